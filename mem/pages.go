package mem

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Fresh maps n bytes of zeroed memory outside of any arena, for Unmap.
func Fresh(n int64) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, int(roundUp(n)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", n, err)
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // a hint
	return b, nil
}

// Unmap gives back what Fresh has mapped. Nothing may use it afterwards.
func Unmap(b []byte) error { return unix.Munmap(b) }

// Available is how many bytes of memory the machine could give a process now, as the system
// estimates; math.MaxInt64 where it does not say.
func Available() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return math.MaxInt64
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			if kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64); err == nil {
				return kb << 10
			}
		}
	}
	return math.MaxInt64
}
