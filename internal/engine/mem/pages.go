package mem

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
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

// Available is how many bytes of memory the machine, or the control group of this process,
// could still give, as the system estimates; math.MaxInt64 where neither says.
func Available() int64 {
	return min(ofMachine("/proc/meminfo"), ofGroup("/proc/self/cgroup", "/sys/fs/cgroup"))
}

func ofMachine(meminfo string) int64 {
	f, err := os.Open(meminfo)
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

// ofGroup is what the group and those around it have left, by either version of control
// groups. What the page cache holds for them counts as used there, though it could be dropped,
// so a group's inactive file pages are added.
func ofGroup(membership, root string) int64 {
	text, err := os.ReadFile(membership)
	if err != nil {
		return math.MaxInt64
	}
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		top, of := root, &second
		switch {
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			top, of = filepath.Join(root, "memory"), &first
		case parts[1] != "":
			continue
		}
		for dir := filepath.Join(top, parts[2]); strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
			least = min(least, of.left(dir))
		}
	}
	return least
}

// accounts are the files in which a version of control groups says what a group uses.
type accounts struct{ limit, used, dropped string }

var (
	first  = accounts{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "}
	second = accounts{"memory.max", "memory.current", "inactive_file "}
)

func (a *accounts) left(group string) int64 {
	limit, limited := number(filepath.Join(group, a.limit))
	used, known := number(filepath.Join(group, a.used))
	if !limited || !known {
		return math.MaxInt64
	}
	stat, _ := os.ReadFile(filepath.Join(group, "memory.stat"))
	for line := range strings.Lines(string(stat)) {
		if text, ok := strings.CutPrefix(line, a.dropped); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			used -= n
		}
	}
	return max(0, limit-used)
}

func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil // "max" is none
}
