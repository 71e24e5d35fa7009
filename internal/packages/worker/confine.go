package worker

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

// confine closes the sandbox: from here on the process and all its threads can
// compute, allocate and answer, and nothing else. Nothing of the package has run.
func confine(p *program, socket int) error {
	time.Sleep(time.Nanosecond) // has Go's poller open its descriptors
	poll, most, err := closeOthers(socket)
	if err != nil {
		return fmt.Errorf("the sandbox: %w", err)
	}
	for resource, n := range map[int]uint64{
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_FSIZE:  0,
		unix.RLIMIT_NOFILE: uint64(most) + 1 + pack.MaxGrants,
	} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("the sandbox: limit %d: %w", resource, err)
		}
	}
	if err := catchCrashes(); err != nil {
		return fmt.Errorf("the sandbox: signals: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("the sandbox: PR_SET_DUMPABLE: %w", err)
	}
	if p.unconfined {
		return nil
	}
	filter, err := assemble(runtime.GOARCH, rules(os.Getpid(), socket, poll))
	if err == nil {
		err = install(filter)
	}
	if err != nil {
		return fmt.Errorf("packages cannot be confined here, so none is run: %w (the operator can allow it without the filter)", err)
	}
	return nil
}

// install applies a filter to all threads of the process, for good.
func install(filter []unix.SockFilter) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	if thread != 0 {
		return fmt.Errorf("seccomp: thread %d cannot have the filter", thread)
	}
	return nil
}

// closeOthers closes what was inherited beyond the worker's channels. It gives the
// descriptors of Go's poller, and the greatest that is open.
func closeOthers(socket int) (poll []int, most int, err error) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, 0, err
	}
	most = socket
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= crashFD || fd == socket {
			continue
		}
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		switch {
		case err != nil: // the directory itself, closed since
		case strings.HasPrefix(target, "anon_inode:[event"):
			poll, most = append(poll, fd), max(most, fd)
		default:
			unix.Close(fd)
		}
	}
	return poll, most, nil
}
