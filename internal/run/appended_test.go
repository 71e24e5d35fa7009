package run_test

import (
	"context"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// TestAppended: what a filter keeps is written over what an earlier result has left, which is not zeroed before; nobody sees any of it, not even where a
// schedule says that the result is longer than what was kept.
func TestAppended(t *testing.T) {
	const n, left = 1 << 20, 0xdb // as mem.Spoil has it
	xs, want := make([]int64, n), []int64(nil)
	for i := range xs {
		if xs[i] = int64(i) * 7 % 1000; xs[i] < 300 {
			want = append(want, xs[i])
		}
	}
	e, err := engine.New(engine.Options{Tier: engine.Native, Codegen: codegentest.Service(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, whole := range []bool{false, true} {
		s, _ := plan(t, "fn f(x: &[i64; N]) -> [i64] { x.filter(|v| v < 300) }", map[string]int64{"N": n})
		if whole {
			s.Result[0].Dims = []size.Poly{size.Var("N")}
		}
		for _, threads := range []int{1, 2} {
			old := mem.FreshResult(8*n, false, false)
			for i := range old {
				old[i] = left
			}
			e.Results().Give(old)
			in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(xs), 0)}}}}
			res, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			got := res.Columns[0]
			if &got.Data[0] != &old[0] {
				t.Error("the result is not where the earlier one was")
			}
			if most := int64(len(want)); !whole && got.Len() != most || whole && got.Len() != n {
				t.Fatalf("%d elements, kept are %d", got.Len(), most)
			}
			for i := range got.Len() {
				v := int64(0)
				if i < int64(len(want)) {
					v = want[i]
				}
				if x := int64(column.Get(num.I64, got.Data, i)); x != v {
					t.Fatalf("%d threads: element %d is %x, expected %x", threads, i, x, v)
				}
			}
			if behind := got.Data[:cap(got.Data)]; !whole && behind[8*n-1] != left {
				t.Error("memory was zeroed that nobody sees")
			}
		}
	}
}
