package godwit_test

import (
	"context"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
)

// panicking is a source of the caller's with 50 chunks, of which some panic when they are decoded.
type panicking struct{ data.Source }

func (panicking) Raw(int) (data.Raw, bool) { return data.Raw{}, false }

func (p panicking) Chunks() (list []data.Chunk) {
	for at := range p.Rows() / 1000 {
		list = append(list, data.Chunk{Lo: at * 1000, Hi: (at + 1) * 1000})
	}
	return list
}

func (panicking) Prune([]data.Pred) []bool { return nil }

func (p panicking) Fill(_ context.Context, chunk int, _ []data.Want, dst []data.Dest) (int64, error) {
	if chunk%10 == 9 {
		panic("mine")
	}
	return 0, nil
}

// TestPanicOfACallback shows that a panic in what the caller gave is one of the call, whichever thread met it, and that
// the runtime can be used afterwards.
func TestPanicOfACallback(t *testing.T) {
	f := fn(t, "fn f(x: &[f64; N]) -> f64 { x.map(|v| v.sin().exp().sin().exp()).sum() }")
	rt := godwit.NewRuntime()
	defer rt.Close()
	x := make([]float64, 3_000_000)
	tell := func(done, total int64) { panic("mine") }
	for range 10 {
		for threads := 1; threads <= 4; threads++ {
			got := func() (v any) {
				defer func() { v = recover() }()
				_, err := f.Call(context.Background(), godwit.Args{"x": x}, godwit.WithRuntime(rt), godwit.WithThreads(threads), godwit.WithProgress(tell))
				return err
			}()
			if got != "mine" {
				t.Fatalf("%d threads: %v", threads, got)
			}
		}
	}
	res, err := f.Call(context.Background(), godwit.Args{"x": x[:10]}, godwit.WithRuntime(rt))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := godwit.As[float64](res); err != nil || got <= 0 {
		t.Error(got, err)
	}
}

// TestPanicOfASource is the same for a source.
func TestPanicOfASource(t *testing.T) {
	f := fn(t, "fn f(x: &[f64; N]) -> f64 { x.map(|v| v.sin()).sum() }")
	src := panicking{data.FromSlice(make([]float64, 50_000))}
	for range 10 {
		for threads := 1; threads <= 4; threads++ {
			got := func() (v any) {
				defer func() { v = recover() }()
				_, err := f.Call(context.Background(), godwit.Args{"x": src}, godwit.WithThreads(threads))
				return err
			}()
			if got != "mine" {
				t.Fatalf("%d threads: %v", threads, got)
			}
		}
	}
}
