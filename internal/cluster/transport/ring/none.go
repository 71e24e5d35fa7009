//go:build !linux

package ring

import (
	"context"
	"fmt"
	"net"
)

// Elsewhere there are no rings: memory cannot be sealed, and no socket be named without a file.

var errSystem = fmt.Errorf("%w: this system has no memory that can be sealed and passed", ErrNone)

type Options struct {
	Most  int
	Hold  func(bytes int) error
	Lends bool
	Go    func(func())
	At    func()
}

type Conn struct{}

func Listen(string, string) (net.Listener, error)                 { return nil, errSystem }
func Dial(context.Context, string, string) (*net.UnixConn, error) { return nil, errSystem }
func SameUser(net.Conn) error                                     { return errSystem }
func Offer(*net.UnixConn, Options) (*Conn, error)                 { return nil, errSystem }
func Accept(*net.UnixConn, Options) (*Conn, error)                { return nil, errSystem }
func (*Conn) Ready() error                                        { return errSystem }
func (*Conn) Read() ([]byte, error)                               { return nil, errSystem }
func (*Conn) Write([]byte, []byte, bool) error                    { return errSystem }
func (*Conn) Flush()                                              {}
func (*Conn) Room(int) bool                                       { return false }
func (*Conn) Process() (int, bool)                                { return 0, false }
func (*Conn) Why() error                                          { return errSystem }
func (*Conn) Close(error)                                         {}
