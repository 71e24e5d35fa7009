package remote

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// An address that refuses, which was one a moment ago.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, l.Close())
	return l.Addr().String()
}

// When every address refuses the connection, a request ends within a second, and says so of each. One that
// is silent gets the whole wait. Neither is the end of a context that has none.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	one, err := b.authority.Issue(identity.Client, "one", time.Hour)
	check(t, err)
	ask := func(wait time.Duration, nodes ...Address) (*UnansweredError, time.Duration) {
		c, err := Dial(Options{Nodes: nodes, Identity: one, Timeout: wait})
		check(t, err)
		defer c.Close()
		began := time.Now()
		_, err = c.View(context.Background())
		var e *UnansweredError
		if !errors.As(err, &e) || errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "rpc error") || strings.Contains(err.Error(), "desc =") {
			t.Fatalf("found %v", err)
		}
		return e, time.Since(began)
	}
	x, y := Address{"x", closedPort(t)}, Address{"y", closedPort(t)}
	e, took := ask(time.Minute, x, y)
	if !e.Refused || len(e.Nodes) != 2 || !strings.Contains(e.Error(), "x ("+x.Address+") refuses the connection") {
		t.Errorf("found %v, %+v", e, e)
	}
	if took < refusing || took > refusing+5*time.Second {
		t.Errorf("it took %v", took)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer silent.Close()
	e, took = ask(1500*time.Millisecond, x, Address{"z", silent.Addr().String()})
	if e.Refused || took < 1400*time.Millisecond || !strings.Contains(e.Error(), "z ("+silent.Addr().String()+") is silent") {
		t.Errorf("found %v after %v", e, took)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	c, err := Dial(Options{Nodes: []Address{x}, Identity: one})
	check(t, err)
	defer c.Close()
	if _, err := c.View(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a deadline of the caller's: %v", err)
	}
}
