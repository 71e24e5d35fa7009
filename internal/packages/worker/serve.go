package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Serve is the worker process: it loads the program that it is sent and runs it
// until the node closes the connection. in and out are standard input and output,
// both the socket of a Pool, which is the only one that can start a worker.
func Serve(in io.Reader, out io.Writer) error {
	s, err := adopt(in, out)
	if err != nil {
		return err
	}
	stack, err := strconv.ParseInt(os.Getenv(stackVariable), 10, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", stackVariable, err)
	}
	return onStack(stack, func(guard span) error {
		kind, body, _, err := s.read()
		if err != nil || kind != askLoad {
			return ended(err)
		}
		p, err := decodeProgram(body)
		if err != nil {
			return err
		}
		return s.serve(p, guard)
	})
}

// ended is nil if the node closed the connection: that is how a worker ends.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// adopt moves the socket away from where the code prints to. Standard output then
// goes where standard error goes, and there is no standard input.
func adopt(in io.Reader, out io.Writer) (*socket, error) {
	input, ok1 := in.(*os.File)
	_, ok2 := out.(*os.File)
	if !ok1 || !ok2 {
		return nil, errors.New("a worker needs standard input and output to be the socket of a pool")
	}
	if _, err := unix.Getpeername(int(input.Fd())); err != nil {
		return nil, fmt.Errorf("standard input is not the socket of a pool (%w): workers are started by a node, not by hand", err)
	}
	fd, err := unix.FcntlInt(input.Fd(), unix.F_DUPFD_CLOEXEC, 10)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	null, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open /dev/null", err)
	}
	// What the code prints is dropped when the node has not read what it printed before:
	// output shall not stop a call.
	return &socket{fd}, errors.Join(unix.Dup3(null, 0, 0), unix.Dup3(2, 1, 0), unix.Close(null), unix.SetNonblock(2, true))
}

// serve links the program, closes the sandbox and answers calls. It runs on the
// thread whose stack the code is to have.
func (s *socket) serve(p *program, guard span) error {
	began := time.Now()
	c, err := link(p)
	if err == nil {
		err = confine(p, s.fd)
	}
	if err != nil {
		if err := s.write(sayFailed, []byte(err.Error())); err != nil {
			return err
		}
		// Whoever reads that kills this process. Were it to end before, the node might
		// close the connection without having read the reason.
		_, _, _, err := s.read()
		return ended(err)
	}
	l := loaded{
		link: time.Since(began), guard: guard,
		main: uint64(c.main), code: uint64(c.image.Bytes()), thread: uint32(unix.Gettid()),
	}
	if err := s.write(sayLoaded, l.encode()); err != nil {
		return err
	}
	for {
		kind, body, fds, err := s.read()
		if err != nil || kind != askCall {
			return ended(err)
		}
		q, err := decodeQuestion(body)
		if err != nil {
			return err
		}
		o, err := c.answer(q, fds)
		if err != nil {
			err = s.write(sayFailed, q.failed(err))
		} else {
			err = s.write(sayDone, q.answered(o))
		}
		if err != nil {
			return err
		}
	}
}
