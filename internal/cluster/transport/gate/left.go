package gate

import (
	"errors"
	"io"
	"syscall"
)

// Left reports that a connection did not come about because the other side went away, as a client
// does that ends while it connects. This side has refused nothing then, and an operator has
// nothing to look after. A connection that the gate has closed ends with net.ErrClosed instead.
func Left(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
