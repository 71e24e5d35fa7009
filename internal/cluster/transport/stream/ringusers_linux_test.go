package stream

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// Other users' sockets are closed at once, and push out nobody's.
func TestRingOtherUsers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: rings and sockets of other users were not tried: only root can be another user")
	}
	w := newWorld(t, false)
	w.rings = true
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	node := w.begin(Options{Self: 1, Listener: l, PerAddress: 1}, newEvents(t))
	guest := w.issue(identity.Client, "guest")
	w.beside(t, guest, client)
	honest := w.near(t)
	for range 10 {
		c := asUser(t, 12345, honest.RemoteAddr().String())
		_ = c.SetDeadline(time.Now().Add(patience))
		start := time.Now()
		_, err := c.Read(make([]byte, 1))
		if d := time.Since(start); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) || d > connectTime/2 {
			t.Errorf("another user's socket ends after %v: %v", d, err)
		}
	}
	if n, _ := node.gate.Count(""); n != 1 {
		t.Errorf("%d sockets are at the gate, want the honest one alone", n)
	}
	if _, _, err := shaken(honest, tls.Client, guest.Client("")); err != nil {
		t.Errorf("the honest one was pushed out: %v", err)
	}
}

// asUser opens a socket as another user does. The user of a thread is that of the sockets it connects.
func asUser(t *testing.T, id int, name string) (c *net.UnixConn) {
	t.Helper()
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // which ends with this goroutine
		unchanged := ^uintptr(0)
		if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, unchanged, uintptr(id), unchanged); e != 0 {
			failed = e
			return
		}
		c, failed = net.DialUnix("unix", nil, &net.UnixAddr{Name: name, Net: "unix"})
	}()
	<-done
	if failed != nil {
		t.Fatal(failed)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
