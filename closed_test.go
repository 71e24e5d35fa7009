package godwit_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestClosedResult closes results between calls: the bits of the next ones are right, and a closed result says that it is.
func TestClosedResult(t *testing.T) {
	f := fn(t, "fn f(x: &[f32; N]) -> [f32; N] { x.map(|v| v + 1.0) }")
	rt := godwit.NewRuntime()
	defer rt.Close()
	xs := make([]float32, 1<<20)
	want := make([]float32, len(xs))
	for turn := range 4 {
		for i := range xs {
			xs[i] = float32(i%99 + turn)
			want[i] = xs[i] + 1
		}
		r, err := f.Call(context.Background(), godwit.Args{"x": xs}, godwit.WithRuntime(rt))
		if err != nil {
			t.Fatal(err)
		}
		got, err := godwit.As[[]float32](r)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("turn %d: other values than expected, %v", turn, err)
		}
		r.Close()
		r.Close()
		if _, err := godwit.As[[]float32](r); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("a closed result was read: %v", err)
		}
		if _, err := f.Call(context.Background(), godwit.Args{"x": r}, godwit.WithRuntime(rt)); err == nil {
			t.Error("a closed result was taken as an argument")
		}
		if r.String() != "a result that is closed" || string(r.JSON()) != "null" || r.Value() != nil {
			t.Errorf("a closed result reads as %q, %s", r, r.JSON())
		}
	}
	(&godwit.Result{}).Close()
	(*godwit.Result)(nil).Close()
}
