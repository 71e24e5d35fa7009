package worker

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lastWords is how long a pipe is read after its process has ended: what that started
// before the sandbox closed might still hold it.
const lastWords = 100 * time.Millisecond

// pipe is the node's end of a pipe that a package may write to without end. Go's poller
// does not have it: with that, each write wakes the node, even one that fails because
// the pipe is full and nobody reads. So a reader takes a thread while it waits.
type pipe struct {
	file *os.File
	over *os.File  // an eventfd that can be read once the process has ended
	end  time.Time // when reading ends; 0 before the process has ended. Of the reader alone
}

// newPipe gives a pipe, and the end to pass on.
func newPipe() (*pipe, *os.File, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	// NewFile gives to the poller what does not block, so it comes first.
	p, other := &pipe{file: os.NewFile(uintptr(fds[0]), "text")}, os.NewFile(uintptr(fds[1]), "text")
	over, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err == nil {
		p.over = os.NewFile(uintptr(over), "over")
		err = unix.SetNonblock(fds[0], true)
	}
	if err != nil {
		return nil, nil, errors.Join(os.NewSyscallError("eventfd", err), p.Close(), other.Close())
	}
	return p, other, nil
}

// Read waits for text. There is one reader at a time.
func (p *pipe) Read(b []byte) (n int, err error) {
	c, err := p.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	if closed := c.Control(func(fd uintptr) { n, err = p.read(int(fd), b) }); closed != nil {
		return 0, closed
	}
	return n, err
}

func (p *pipe) read(fd int, b []byte) (int, error) {
	for {
		list, wait := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1
		if p.end.IsZero() {
			list = append(list, unix.PollFd{Fd: int32(p.over.Fd()), Events: unix.POLLIN})
		} else {
			left := time.Until(p.end)
			if left <= 0 {
				return 0, os.ErrDeadlineExceeded
			}
			wait = int(left/time.Millisecond) + 1
		}
		if _, err := unix.Poll(list, wait); err == unix.EINTR {
			continue
		} else if err != nil {
			return 0, os.NewSyscallError("poll", err)
		}
		if len(list) > 1 && list[1].Revents != 0 {
			p.end = time.Now().Add(lastWords)
		}
		if list[0].Revents == 0 {
			continue
		}
		n, err := unix.Read(fd, b)
		switch {
		case err == unix.EINTR, err == unix.EAGAIN: // somebody else has read it
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// finish says that the process has ended: reading ends soon.
func (p *pipe) finish() { p.over.Write([]byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// Close closes the pipe, which nobody may be reading.
func (p *pipe) Close() error {
	if p == nil {
		return nil
	}
	err := p.file.Close()
	if p.over != nil {
		err = errors.Join(err, p.over.Close())
	}
	return err
}
