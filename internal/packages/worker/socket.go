package worker

import (
	"encoding/binary"
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

// socket is the worker's end of the connection. It is used with plain blocking
// system calls, so that the sandbox need not let Go's poller have it.
type socket struct{ fd int }

// read reads a frame and the descriptors that came with it.
func (s *socket) read() (kind byte, body []byte, fds []int, err error) {
	var head [frameHead]byte
	if fds, err = s.readHead(head[:]); err != nil {
		return 0, nil, nil, err
	}
	body = make([]byte, binary.LittleEndian.Uint32(head[:]))
	return head[4], body, fds, s.fill(body)
}

func (s *socket) readHead(head []byte) (fds []int, err error) {
	oob := make([]byte, unix.CmsgSpace(pack.MaxGrants*4))
	for done := 0; done < len(head); {
		n, m, flags, _, err := unix.Recvmsg(s.fd, head[done:], oob, unix.MSG_CMSG_CLOEXEC)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, err
		case n == 0:
			return nil, io.EOF
		case flags&unix.MSG_CTRUNC != 0:
			return nil, fmt.Errorf("descriptors were lost on the way: too many files are open")
		}
		done += n
		more, err := rights(oob[:m])
		if err != nil {
			return nil, err
		}
		fds = append(fds, more...)
	}
	return fds, nil
}

// rights gives the descriptors in control messages.
func rights(oob []byte) (fds []int, err error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	for _, m := range messages {
		list, err := unix.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		fds = append(fds, list...)
	}
	return fds, err
}

func (s *socket) fill(b []byte) error {
	for len(b) > 0 {
		n, err := unix.Read(s.fd, b)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case n == 0:
			return io.ErrUnexpectedEOF
		default:
			b = b[n:]
		}
	}
	return nil
}

func (s *socket) write(kind byte, body []byte) error {
	for b := frame(kind, body); len(b) > 0; {
		n, err := unix.Write(s.fd, b)
		if err != nil && err != unix.EINTR {
			return err
		}
		b = b[max(n, 0):]
	}
	return nil
}
