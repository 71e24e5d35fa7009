package worker

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// crashFD is where a worker finds the pipe for its crash record.
const crashFD = 3

// environment keeps Go's runtime and the C library from what the sandbox forbids:
// reading cgroup files, calling prctl, and, for malloc with several arenas, opening
// files of /sys and /proc at some later time.
var environment = []string{
	"GOMAXPROCS=2", // the code and the collector
	"GODEBUG=decoratemappings=0",
	"MALLOC_ARENA_MAX=1",
}

// stackVariable says how large the stack of the thread must be that runs a package.
// A worker has to know before it starts threads.
const stackVariable = "GODWIT_STACK"

// spawner starts processes from one thread that is kept while the pool lives: the
// kernel sends a child its parent's-death signal when the thread that started it
// ends, and Go ends threads when it likes.
type spawner struct {
	once sync.Once
	work chan func()
}

func (s *spawner) start(cmd *exec.Cmd) error {
	s.once.Do(func() {
		s.work = make(chan func())
		go func() {
			runtime.LockOSThread()
			// A thread whose goroutine ends locked would end too, and others may have
			// started processes on it before.
			defer runtime.UnlockOSThread()
			for f := range s.work {
				f()
			}
		}()
	})
	done := make(chan error)
	s.work <- func() { done <- cmd.Start() }
	return <-done
}

// close gives the thread back; no start may follow or be under way.
func (s *spawner) close() {
	s.once.Do(func() {})
	if s.work != nil {
		close(s.work)
	}
}

// channels are the node's ends of what connects it with a worker.
type channels struct {
	conn   net.Conn // frames; *net.UnixConn
	stderr *pipe    // text
	// crash is for the crash record. Go's poller may have it: who has written as much as
	// a record is killed.
	crash *os.File
}

func (c *channels) close() {
	for _, f := range []io.Closer{c.conn, c.crash, c.stderr} {
		f.Close()
	}
}

// spawn starts a worker that has no program yet. It inherits no descriptors but its
// channels, and no environment but what Go and the loader of libraries look at.
func spawn(s *spawner, command []string, stack int64) (*exec.Cmd, *channels, error) {
	if len(command) == 0 {
		return nil, nil, fmt.Errorf("Options.Program is empty: there is no command that runs workers")
	}
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	ours := &channels{}
	conn, end, err := socketPair()
	if err != nil {
		return nil, nil, err
	}
	ours.conn, theirs = conn, append(theirs, end)
	text, crash := (*os.File)(nil), (*os.File)(nil)
	if ours.stderr, text, err = newPipe(); err == nil {
		theirs = append(theirs, text)
		ours.crash, crash, err = os.Pipe()
	}
	if err != nil {
		ours.close()
		return nil, nil, err
	}
	theirs = append(theirs, crash)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = end, end, text, []*os.File{crash}
	cmd.Dir = "/"
	cmd.Env = append(slices.Clone(environment), fmt.Sprintf("%s=%d", stackVariable, stack), "LD_LIBRARY_PATH="+os.Getenv("LD_LIBRARY_PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := s.start(cmd); err != nil {
		ours.close()
		return nil, nil, fmt.Errorf("a worker process cannot be started: %w", err)
	}
	return cmd, ours, nil
}

// socketPair gives a connected pair: this process's end, and the one to pass on.
func socketPair() (net.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	own, other := os.NewFile(uintptr(fds[0]), "worker"), os.NewFile(uintptr(fds[1]), "node")
	defer own.Close()
	conn, err := net.FileConn(own)
	if err != nil {
		other.Close()
		return nil, nil, err
	}
	return conn, other, nil
}
