package gate

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// Who went away by himself was not refused; whom the gate has closed was.
func TestLeft(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		io.EOF: true,
		fmt.Errorf("hello: %w", io.ErrUnexpectedEOF):                                  true,
		&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}: true,
		net.ErrClosed:                      false,
		os.ErrDeadlineExceeded:             false,
		errors.New("tls: bad certificate"): false,
	} {
		if got := Left(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
