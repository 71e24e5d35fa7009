package lower_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/godwit-run/godwit/difftest"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// stridedPrograms walk down columns; x has N rows of M.
var stridedPrograms = map[string]struct {
	kind   num.Kind
	source string
}{
	"sums":      {num.F32, `fn f(x: &[f32; N, M]) -> [f32; M] { x.transpose().map(|c| c.sum()) }`},
	"indexed":   {num.F64, `fn f(x: &[f64; N, M]) -> [f64; M] { (0..M).map(|j| (0..N).map(|i| x[i][j]).sum()) }`},
	"product":   {num.F32, `fn f(x: &[f32; N, M]) -> [f32; M] { x.transpose().map(|c| c.product()) }`},
	"means":     {num.F64, `fn f(x: &[f64; N, M]) -> [f64; M] { x.transpose().map(|c| c.mean()) }`},
	"filtered":  {num.F32, `fn f(x: &[f32; N, M]) -> [f32; M] { x.transpose().map(|c| c.filter(|e| e > 0.0).sum()) }`},
	"greatest":  {num.I32, `fn f(x: &[i32; N, M]) -> [i32; M] { x.transpose().map(|c| c.max()) }`},
	"wide":      {num.I64, `fn f(x: &[i64; N, M]) -> [i64; M] { x.transpose().map(|c| c.sum()) }`},
	"narrow":    {num.I32, `fn f(x: &[i32; N, M]) -> [i64; M] { x.transpose().map(|c| c.map(|e| (e * 65536) as i64).sum()) }`},
	"divided":   {num.I64, `fn f(x: &[i64; N, M]) -> [i64; M] { x.transpose().map(|c| c.map(|e| 100 / (e % 977)).sum() + 1) }`},
	"transpose": {num.F32, `fn f(x: &[f32; N, M]) -> [f32; M, N] { x.transpose() }`},
	"faults":    {num.I32, `fn f(x: &[i32; N, M]) -> [i32; M, N] { x.transpose().map(|c| c.map(|e| e * 65536)) }`},
}

// TestColumnsAreWalkedByRows compares programs over columns with the interpreter, at the borders of
// grains, tiles and leaves.
func TestColumnsAreWalkedByRows(t *testing.T) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for name, p := range stridedPrograms {
		for _, shape := range [][2]int64{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {15, 63}, {16, 64}, {17, 65}, {4097, 3}, {33, 200}} {
			t.Run(fmt.Sprint(name, shape), func(t *testing.T) {
				x := progen.Column{Kind: p.kind, Bits: make([]uint64, shape[0]*shape[1])}
				for i := range x.Bits {
					n := int64(i)*7919%100_003 - 40_000
					x.Bits[i] = num.Canon(p.kind, uint64(n))
					if p.kind.IsFloat() {
						x.Bits[i] = num.FromFloat(p.kind, float64(n)/1024)
					}
				}
				if p.kind == num.I64 && len(x.Bits) > 700 {
					x.Bits[500], x.Bits[300] = 1<<63-1, 1<<63-1
				}
				c, err := difftest.Prepare(&progen.Program{Source: p.source, Sizes: map[string]int64{"N": shape[0], "M": shape[1]}, Params: []progen.Param{{Name: "x", Columns: []progen.Column{x}}}})
				if err != nil {
					t.Fatal(err)
				}
				rowsInside(t, c.Plan)
				want, err := c.Oracle(0)
				if err != nil {
					t.Fatal(err)
				}
				got, err := c.Engine(context.Background(), e, 2, 0)
				if err == nil {
					err = difftest.Same(want, got)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// rowsInside fails if a kernel still has its whole walk down a column inside of the loop over columns.
func rowsInside(t *testing.T, s *schedule.Schedule) {
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		body := l.Kernel.Body.Instrs
		last := body[len(body)-1]
		if last.Code != kernel.For || len(body) == 0 {
			return
		}
		for _, in := range last.Blocks[0].Instrs {
			if in.Code == kernel.Fold && !in.Tree {
				t.Errorf("kernel %q walks down one column at a time", l.Label)
			}
			if in.Code == kernel.For && last.Args[0] == 1 {
				t.Errorf("kernel %q stores one row at a time", l.Label)
			}
		}
	})
}
