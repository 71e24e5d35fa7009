package worker

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// usage is what the kernel says that a process takes. In bytes.
type usage struct {
	size, peak int64 // address space, and the most of it so far
	held       int64 // memory of its own, in RAM and swapped out; not what it shares with others
	threads    int
}

// usageOf reads /proc/PID/status.
func usageOf(pid int) (u usage, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return usage{}, false
	}
	return parseStatus(string(b))
}

// parseStatus reads lines such as "VmPeak:	  123 kB". A process that has ended has no
// address space, and is not ok.
func parseStatus(text string) (u usage, ok bool) {
	fields := map[string]*int64{"VmSize": &u.size, "VmPeak": &u.peak}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(line, ":")
		value := strings.TrimSpace(rest)
		n, err := strconv.ParseInt(strings.TrimSuffix(value, " kB"), 10, 64)
		if err != nil {
			continue
		}
		switch to := fields[name]; {
		case to != nil:
			*to = n << 10
		case name == "RssAnon" || name == "VmSwap":
			u.held += n << 10
		case name == "Threads":
			u.threads = int(n)
		}
	}
	return u, u.size > 0 && u.threads > 0
}

// runs reports whether a thread of a process is there and has not ended.
func runs(pid int, thread uint32) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/stat", pid, thread))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// machineMemory is the memory of this machine.
func machineMemory() int64 {
	var i unix.Sysinfo_t
	if err := unix.Sysinfo(&i); err != nil {
		return 1 << 62
	}
	return int64(i.Totalram) * int64(i.Unit)
}
