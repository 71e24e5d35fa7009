package worker

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// statusBytes reads a size from /proc/PID/status; 0 if that cannot be done.
func statusBytes(pid int, field string) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return parseStatus(string(b), field)
}

// parseStatus finds a line such as "VmPeak:	  123 kB" and gives the bytes.
func parseStatus(text, field string) int64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil {
				return n << 10
			}
		}
	}
	return 0
}
