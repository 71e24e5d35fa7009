// Package ucx carries messages between two processes over UCX, a library for the networks of clusters, as
// active messages. What comes in are messages, and the address of a peer that was told another way; what goes
// out are the same messages, in order, whole, once.
//
// UCX knows neither who sends nor encryption. So the operator names the networks that are trusted (Trusted),
// and what comes is held against what the peer was told over a connection that does know: a number drawn for
// the direction, without which a packet is nobody's; the packet's number, its length and its sum.
// Invariant: a message is given only if all before it were. Anything else ends the connection.
//
// The library is found when it is asked for, without cgo, as LLVM is. Its calls come from one goroutine at a
// time (Fabric.mu). It puts what it received into memory of this package (take in
// worker_amd64.s) and never calls Go.
package ucx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/pattern"
)

// Errors of a fabric and its connections.
var (
	// ErrNone says that there is no UCX here.
	ErrNone = errors.New("no UCX")
	// ErrSilent ends a connection whose peer gives no sign of life over it.
	ErrSilent = fmt.Errorf("nothing came over the fabric for %v", silentBeats*beatTime)
	// ErrEnded is the reason where there is no other.
	ErrEnded = errors.New("the fabric's connection has ended")
)

// BrokenError says that a packet is not what the peer sent, or not what any peer sends.
type BrokenError struct{ What string }

func (e *BrokenError) Error() string { return "the fabric broke a connection: " + e.What }

func broken(format string, args ...any) error { return &BrokenError{fmt.Sprintf(format, args...)} }

// Signs of life are packets without messages.
const (
	beatTime    = time.Second
	silentBeats = 5
)

// MaxAddress bounds the address of a peer. That of one with four networks has some 400 bytes.
const MaxAddress = 4 << 10

// Trusted are networks that need neither authentication nor encryption.
type Trusted struct {
	Name       string   // peers of one fabric give it the same name
	Transports []string // UCX's names for them, such as tcp, shm, rc
	Devices    []string // UCX's names for them, such as eth0, mlx5_0:1; none of shm
}

var (
	named     = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)
	transport = pattern.Of(`^[a-z][a-z0-9_]{0,15}$`)
	device    = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,31}$`)
)

// shared is the one transport without devices: memory of this machine.
const shared = "shm"

// Parse reads NAME=TRANSPORT:DEVICE,..., where shm has no device.
func Parse(text string) (*Trusted, error) {
	name, list, ok := strings.Cut(text, "=")
	if !ok || !named().MatchString(name) {
		return nil, fmt.Errorf("expected a fabric as NAME=TRANSPORT:DEVICE,..., such as lab=tcp:eth1 or lab=rc:mlx5_0:1, found %q", text)
	}
	t := &Trusted{Name: name}
	for entry := range strings.SplitSeq(list, ",") {
		way, on, has := strings.Cut(entry, ":")
		if !transport().MatchString(way) || has == (way == shared) || has && !device().MatchString(on) {
			return nil, fmt.Errorf("fabric %s: expected TRANSPORT:DEVICE, such as tcp:eth1, or shm, found %q", name, entry)
		}
		if !slices.Contains(t.Transports, way) {
			t.Transports = append(t.Transports, way)
		}
		if has && !slices.Contains(t.Devices, on) {
			t.Devices = append(t.Devices, on)
		}
	}
	return t, nil
}

// watched says that UCX itself can tell when a peer is gone, which it cannot through shared memory.
func (t *Trusted) watched() bool { return !slices.Contains(t.Transports, shared) }

// Options are those of one connection.
type Options struct {
	// Most is the greatest length of a message that is taken, Ahead how many bytes of messages may have come
	// that were not read.
	Most, Ahead int
	// Hold is asked before memory is made for a message that is coming, and may refuse it. It may be nil, and
	// is called while the library waits.
	Hold func(bytes int) error
}
