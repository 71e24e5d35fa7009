package fleet

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// In: a folder. Out: the process that holds its lock, as the system knows it (proc_pid_fdinfo(5)).
// Nothing that somebody has written counts: not what is in the lock, and not who answers at the
// socket. So it works while that process hangs, and no other one is taken for it.

// pid is a process; 0 if it is not known.
type pid int

func (p pid) words() string {
	if p == 0 {
		return ""
	}
	return fmt.Sprintf(" (pid %d)", int(p))
}

// holder is 0 if the process is another user's, or the system does not tell.
func holder(dir string) pid {
	info, err := os.Stat(filepath.Join(dir, lockFile))
	if err != nil {
		return 0
	}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range all {
		n, err := strconv.Atoi(filepath.Base(process))
		if err == nil && pid(n).holds(info) {
			return pid(n)
		}
	}
	return 0
}

// holds reports whether a process has taken the lock on a file.
func (p pid) holds(lock os.FileInfo) bool {
	process := fmt.Sprintf("/proc/%d", int(p))
	open, _ := os.ReadDir(process + "/fd") // of others' there is nothing to see
	for _, fd := range open {
		file, err := os.Stat(process + "/fd/" + fd.Name())
		if err != nil || !os.SameFile(file, lock) {
			continue
		}
		text, _ := os.ReadFile(process + "/fdinfo/" + fd.Name())
		if p.took(text) {
			return true
		}
	}
	return false
}

// took reads lines such as "lock: 1: FLOCK  ADVISORY  WRITE 4711 fe:00:995 0 EOF". A process that is
// only just being started has the same files open; the lock is not its own.
func (p pid) took(fdinfo []byte) bool {
	for lines := bufio.NewScanner(bytes.NewReader(fdinfo)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) > 5 && f[0] == "lock:" && f[2] == "FLOCK" && f[4] == "WRITE" && f[5] == strconv.Itoa(int(p)) {
			return true
		}
	}
	return false
}

// signal sends a signal to who holds the lock of a folder, and says who that was; 0 if that is
// not known. A number may be given to another process at any time: os.FindProcess keeps
// hold of the one process (pidfd_open(2)), and it is looked at again after that.
func signal(dir string, s syscall.Signal) pid {
	by := holder(dir)
	if by == 0 {
		return 0
	}
	p, err := os.FindProcess(int(by))
	if err != nil {
		return 0
	}
	defer func() { _ = p.Release() }()
	if info, err := os.Stat(filepath.Join(dir, lockFile)); err == nil && by.holds(info) {
		_ = p.Signal(s) // it may end just now; who waits for the lock finds out
	}
	return by
}
