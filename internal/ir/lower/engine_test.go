package lower_test

import (
	"context"
	"testing"

	"github.com/godwit-run/godwit/difftest"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestManyCandidates finds the best of several leaves by threads, in memory
// and in windows; the interpreter does it in one go.
func TestManyCandidates(t *testing.T) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for name, source := range map[string]string{
		"ties and NaN": `fn f(x: &[f32; N]) -> [(idx<N>, f32); ?M <= 256] { x.enumerate().top_k::<256>(|(_, e)| e) }`,
		"too many":     `fn f(x: &[f32; N]) -> [(idx<N>, f32); ?M <= 257] { x.enumerate().top_k::<257>(|(_, e)| e) }`,
		"of a filter":  `fn f(x: &[f32; N]) -> [f32; ?M <= 3] { x.filter(|e| e != 1.0).top_k::<3>(|e| -e) }`,
		"none":         `fn f(x: &[f32; N]) -> [f32; ?M <= 0] { x.top_k::<0>(|e| e) }`,
		"rows, all":    `fn f(x: &[f32; N]) -> [(i64, [f32; 2]); 2] where N: Range<2, 1_000_000> { (0..N).map(|i| { let v = x[i]; ((i % 7) as i64, [v, v + 1.0]) }).top_k::<2>(|(k, _)| k) }`,
	} {
		t.Run(name, func(t *testing.T) {
			const n = 3*65536 + 17
			x := progen.Column{Kind: num.F32, Bits: make([]uint64, n)}
			for i := range x.Bits {
				x.Bits[i] = num.FromFloat(num.F32, float64(i*7919%4001))
			}
			for _, i := range []int{5, 70000, 140000, n - 1} {
				x.Bits[i] = num.Canon(num.F32, 0x7fc00000) // NaN comes first
			}
			c, err := difftest.Prepare(&progen.Program{Source: source, Sizes: map[string]int64{"N": n}, Params: []progen.Param{{Name: "x", Columns: []progen.Column{x}}}})
			if err != nil {
				t.Fatal(err)
			}
			want, err := c.Oracle(0)
			if err != nil {
				t.Fatal(err)
			}
			for _, window := range []int64{0, 5000} {
				got, err := c.Engine(context.Background(), e, 2, window)
				if err == nil {
					err = difftest.Same(want, got)
				}
				if err != nil {
					t.Errorf("windows of %d rows: %v", window, err)
				}
			}
		})
	}
}
