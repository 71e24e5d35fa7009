package stream

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// events is a handler that turns what it gets into text.
type events struct {
	testing.TB
	all  chan string
	stop chan struct{} // if not nil, Receive waits for it
}

func newEvents(t testing.TB) *events { return &events{TB: t, all: make(chan string, 1<<16)} }

func (e *events) Receive(from catalog.Peer, b []byte) {
	if e.stop != nil {
		<-e.stop
	}
	if len(b) > 20 {
		b = fmt.Appendf(nil, "%d bytes", len(b))
	}
	e.all <- fmt.Sprintf("%d: %s", from, b)
}

func (e *events) Gone(p catalog.Peer, err error) { e.all <- fmt.Sprintf("%d gone: %v", p, err) }

// expect waits for the next events, which begin so.
func (e *events) expect(want ...string) {
	e.Helper()
	for _, w := range want {
		if got := e.next(); !strings.HasPrefix(got, w) {
			e.Fatalf("got %q, want %q", got, w)
		}
	}
}

// next waits for the next event; it is empty where none comes.
func (e *events) next() string {
	select {
	case got := <-e.all:
		return got
	case <-time.After(patience):
		return ""
	}
}

// gone waits for the end of a connection and gives the reason.
func (e *events) gone(p catalog.Peer) string {
	e.Helper()
	for {
		select {
		case got := <-e.all:
			if why, ok := strings.CutPrefix(got, fmt.Sprintf("%d gone: ", p)); ok {
				return why
			}
		case <-time.After(patience):
			e.Fatalf("%d is not gone", p)
		}
	}
}

// none says that nothing more happens for a while.
func (e *events) none() {
	e.Helper()
	select {
	case got := <-e.all:
		e.Fatalf("got %q, want nothing", got)
	case <-time.After(100 * time.Millisecond):
	}
}

func (w *world) send(t *Transport, to catalog.Peer, parcel string) {
	w.Helper()
	if err := t.Send(to, []byte(parcel)); err != nil {
		w.Fatalf("send to %d: %v", to, err)
	}
	if w.rings && !w.plain {
		w.settle(t, to)
	}
}
