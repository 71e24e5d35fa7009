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

// Nodes that are silent leave time to ask those behind them; those for which there was none are not said to be silent.
func TestSilentNodesLeaveTimeForOthers(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	one, err := b.authority.Issue(identity.Client, "one", time.Hour)
	check(t, err)
	silent := func(name string) Address {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		check(t, err)
		t.Cleanup(func() { l.Close() })
		return Address{name, l.Addr().String()}
	}
	view := func(limit time.Duration, nodes ...Address) error {
		c, err := Dial(Options{Identity: one, Nodes: nodes[:1]})
		check(t, err)
		defer c.Close()
		for _, a := range nodes[1:] { // in this order
			c.pool.add(a)
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		_, err = c.View(ctx)
		return err
	}
	x, y, z := silent("x"), silent("y"), silent("z")
	if err := view(2*contact, x, y, z, b.nodes[0].Address); err != nil {
		t.Errorf("a node behind three silent ones is not reached: %v", err)
	}
	err = view(contact+contact/20, x, y, z, silent("1"), silent("2"), silent("3"), silent("4"), silent("5"), silent("6"), silent("7"))
	var e *UnansweredError
	if !errors.As(err, &e) || len(e.Nodes) == 0 || len(e.Unasked) == 0 || len(e.Nodes)+len(e.Unasked) != 10 {
		t.Fatalf("found %v, %+v", err, e)
	}
	if !strings.Contains(e.Error(), "no node has answered in time: x ("+x.Address+") is silent, ") || !strings.Contains(e.Error(), "; there was no time to ask ") || !strings.HasSuffix(e.Error(), "7 ("+e.Unasked[len(e.Unasked)-1].Address+")") {
		t.Error(e)
	}
}
