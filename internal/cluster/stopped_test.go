package cluster_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// stopping is a cluster that can be stopped: its nodes take no connections then, and their view is the last one.
type stopping struct {
	control.Control
	h       transport.Handler
	stopped atomic.Bool
	why     error // what a request for a view gives then
	sent    atomic.Int32
}

func (s *stopping) View(ctx context.Context) (*catalog.View, error) {
	if s.stopped.Load() {
		return nil, s.why
	}
	return s.Control.View(ctx)
}

func (s *stopping) Send(p catalog.Peer, b []byte) error {
	if s.stopped.Load() {
		return transport.ErrUnreachable
	}
	s.sent.Add(1)
	return nil // and nobody answers
}

func (*stopping) Know(map[catalog.Peer]string) {}
func (*stopping) Close() error                 { return nil }

// When all nodes have ended, loads and calls under way do too, long before their deadlines.
func TestStopped(t *testing.T) { endsWith(t, control.ErrNoneRuns) }

// So they do when no node takes the client's certificate any more.
func TestUnwelcome(t *testing.T) { endsWith(t, control.ErrUnwelcome) }

func endsWith(t *testing.T, why error) {
	b := newBed(t, 2)
	src := array(num.I32, 1000, nil, 1, 100)
	if err := b.load(src, "t", cluster.LoadOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[i32; N]) -> i64 { v.map(|e| e as i64).sum() }"))
	for name, op := range map[string]func(*bed) error{
		"load": func(b *bed) error {
			_, err := b.Client.Load(context.Background(), src, "u", cluster.LoadOptions{})
			return err
		},
		"call": func(b *bed) error {
			remote, err := b.Client.Open("t")
			if err == nil {
				_, err = b.beside(context.Background(), f, compile.Args{"v": compile.Table{Source: remote}}, cluster.Ship)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stopping{Control: b.Control, why: why}
			c, err := cluster.Connect(t.Context(), cluster.Config{Control: s, Self: catalog.FirstClient + 9,
				Dial: func(_ catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
					s.h = h
					return s, nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			other, locals := *b, *b.Locals
			other.Locals, locals.Client = &locals, c
			ended := make(chan error, 1)
			go func() { ended <- op(&other) }()
			for until := time.Now().Add(time.Minute); s.sent.Load() == 0; time.Sleep(time.Millisecond) {
				if time.Now().After(until) {
					t.Fatal("nothing was sent")
				}
			}
			s.stopped.Store(true)
			for _, n := range c.View().Nodes {
				s.h.Gone(n.Peer, errors.New("it ended"))
			}
			select {
			case err := <-ended:
				if !errors.Is(err, why) {
					t.Errorf("it ended with %v", err)
				}
			case <-time.After(time.Minute):
				t.Error("it still waits")
			}
		})
	}
}

// A set is dropped when the catalogue has it no more, though no node answers.
func TestDropBesideSilentNodes(t *testing.T) {
	b := newBed(t, 2)
	if err := b.load(array(num.I32, 1000, nil, 1, 100), "t", cluster.LoadOptions{Shards: 2, Replicas: 2}); err != nil {
		t.Fatal(err)
	}
	s := &stopping{Control: b.Control}
	c, err := cluster.Connect(t.Context(), cluster.Config{Control: s, Self: catalog.FirstClient + 9,
		Dial: func(_ catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return s, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.Drop(context.Background(), "t") }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the set is gone, and still: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for nodes that do not answer")
	}
	if s.sent.Load() == 0 {
		t.Error("no node was told")
	}
}
