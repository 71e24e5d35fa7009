package data

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// A search finds a code exactly where one of them satisfies the predicate, for all kinds of codes and any constant.
func TestSatisfiable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]num.Kind{num.U8, num.U16, num.U32}).Draw(t, "kind")
		most := int64(k.MaxInt())
		code := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(most-5, most))
		p := Pred{Op: rapid.SampledFrom([]PredOp{Eq, Lt, Le, Gt, Ge}).Draw(t, "op"), Int: rapid.OneOf(code, rapid.Int64(), rapid.Int64Range(-3, 3)).Draw(t, "constant")}
		codes := rapid.SliceOfN(code, 1, 5).Draw(t, "codes")
		b, want := make([]byte, len(codes)*k.Size()), false
		for i, c := range codes {
			setNumber(b, k, i, int(c), false)
			n := c
			want = want || map[PredOp]bool{Eq: n == p.Int, Lt: n < p.Int, Le: n <= p.Int, Gt: n > p.Int, Ge: n >= p.Int}[p.Op]
		}
		if got := satisfiable(b, k, p); got != want {
			t.Fatalf("%v", got)
		}
	})
}
