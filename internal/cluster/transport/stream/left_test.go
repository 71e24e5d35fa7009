package stream

import (
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// What an operator reads in the log are refusals. A client that goes away while it connects, wherever
// it has come to, is none.
func TestGoingAwayIsNoRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	log := &journal{}
	l := w.listen("127.0.0.1:0")
	w.begin(Options{Self: 1, Listener: l, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, newEvents(t))
	at := l.Addr().String()
	raw, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	raw.Close()
	log.expect(t, "a connection ended before it was one")
	guest := w.issue(identity.Client, "guest")
	for _, sent := range []string{"", preface, preface + headers[:9]} {
		c := w.opening(guest, at)
		if _, err := c.Write([]byte(sent)); err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	raw, err = net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Write([]byte("no TLS, which is refused")); err != nil {
		t.Fatal(err)
	}
	log.expect(t, "does not look like a TLS handshake")
	log.mu.Lock()
	defer log.mu.Unlock()
	if n := strings.Count(log.text.String(), "level=WARN"); n != 1 {
		t.Errorf("%d refusals are in the log, expected 1:\n%s", n, log.text.String())
	}
}
