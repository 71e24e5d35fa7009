//go:build !linux || !(amd64 || arm64) || static

package ucx

import "fmt"

// Elsewhere there are no fabrics.

var errSystem = fmt.Errorf("%w: this program was built without it: it is for Linux on amd64 and arm64", ErrNone)

type Fabric struct{}
type Conn struct{}

func Installed() error                             { return errSystem }
func Open(*Trusted, func(func())) (*Fabric, error) { return nil, errSystem }
func (*Fabric) Address() []byte                    { return nil }
func (*Fabric) New(Options) *Conn                  { return nil }
func (*Fabric) Retire()                            {}
func (*Fabric) Close()                             {}
func (*Conn) Token() uint64                        { return 0 }
func (*Conn) Connect([]byte, uint64) error         { return errSystem }
func (*Conn) Ready() <-chan struct{}               { return nil }
func (*Conn) Heard() bool                          { return false }
func (*Conn) Fabric() *Fabric                      { return nil }
func (*Conn) Done() <-chan struct{}                { return nil }
func (*Conn) Read() ([]byte, error)                { return nil, errSystem }
func (*Conn) Write([]byte, []byte, bool) error     { return errSystem }
func (*Conn) Flush()                               {}
func (*Conn) Room(int) bool                        { return false }
func (*Conn) Why() error                           { return errSystem }
func (*Conn) Close(error)                          {}
