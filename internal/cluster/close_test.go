package cluster_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// swallow is a network that takes parcels and delivers none.
type swallow chan struct{}

func (s swallow) Send(catalog.Peer, []byte) error {
	select {
	case s <- struct{}{}:
	default:
	}
	return nil
}
func (swallow) Know(map[catalog.Peer]string) {}
func (swallow) Close() error                 { return nil }

// What waits for an answer when the connection is closed ends at once with ErrClosed, and so does
// what comes later: calls of every kind, loads, and what asks nodes.
func TestClose(t *testing.T) {
	b := newBed(t, 2)
	ints := func(name string, n int) data.Source {
		return data.FromBytes(name, []data.Column{{Name: "v", Kind: num.I32, Stored: "i4"}}, int64(n), [][]byte{make([]byte, 4*n)}, nil)
	}
	if err := b.load(ints("t", 20000), "t", cluster.LoadOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	pkg, err := pack.Encode(&pack.Package{Name: "x", Sections: []pack.Section{{Arch: "amd64", Form: pack.Object, Bytes: []byte("object")}}})
	if err != nil {
		t.Fatal(err)
	}
	run := func(text string, s cluster.Strategy, small int64) func(context.Context, *bed) error {
		f := compiled(t, diag.NewSource("f.gw", text))
		return func(ctx context.Context, b *bed) error {
			src, err := b.Client.Open("t")
			if err != nil {
				return err
			}
			side := *b
			side.small = small
			_, err = side.beside(ctx, f, compile.Args{"v": compile.Table{Source: src}}, s)
			return err
		}
	}
	const sum = "fn f(v: &[i32; N]) -> i64 { v.map(|e| e as i64).sum() }"
	for name, op := range map[string]func(context.Context, *bed) error{
		"fan":  run(sum, cluster.Ship, 0),
		"flow": run(sum, cluster.Ship, 64),
		"rows": run(sum, cluster.Fetch, 0),
		"load": func(ctx context.Context, b *bed) error {
			_, err := b.Client.Load(ctx, ints("u", 10), "u", cluster.LoadOptions{Shards: 1})
			return err
		},
		"send": func(ctx context.Context, b *bed) error {
			_, err := b.Client.Send(ctx, pkg, "n1", nil, cluster.SendOptions{})
			return err
		},
		"status": func(ctx context.Context, b *bed) error { _, err := b.Client.Status(ctx); return err },
		"drop":   func(ctx context.Context, b *bed) error { return b.Client.Blob(ctx, parcel.Drop, 1, &parcel.Blob{}) },
		"elements": func(ctx context.Context, b *bed) error {
			set, _ := b.Client.View().Named("t")
			done := make(chan error, 1)
			b.Client.Elements(ctx, set, 0, 0, []int64{1}, func(_ []byte, err error) { done <- err })
			return <-done
		},
		"walk": func(ctx context.Context, b *bed) error {
			_, err := b.Client.Walk(ctx, 0, caller.Code{}, &parcel.Batch{Set: 1, States: 1, Kinds: []byte{byte(num.I64), byte(num.I64)}, Values: [][]byte{make([]byte, 8), make([]byte, 8)}, Keep: 3})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent := make(swallow, 1000)
			c, err := cluster.Connect(t.Context(), cluster.Config{Control: b.Control, Self: catalog.FirstClient + 7,
				Dial: func(catalog.Peer, func(catalog.Peer) (string, bool), transport.Handler) (transport.Transport, error) {
					return sent, nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			mute := *b
			locals := *b.Locals
			mute.Locals, locals.Client = &locals, c
			ended := make(chan error, 1)
			start := func() { go func() { ended <- op(context.Background(), &mute) }() }
			within := func() {
				t.Helper()
				select {
				case err := <-ended:
					if !errors.Is(err, cluster.ErrClosed) {
						t.Errorf("it ended with %v", err)
					}
				case <-time.After(time.Minute):
					t.Fatal("it still waits")
				}
			}
			start()
			select {
			case <-sent:
			case err := <-ended:
				t.Fatalf("it did not wait: %v", err)
			case <-time.After(time.Minute):
				t.Fatal("nothing was sent")
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			within()
			start()
			within()
			if err := c.Close(); err != nil {
				t.Errorf("closing again: %v", err)
			}
		})
	}
}
