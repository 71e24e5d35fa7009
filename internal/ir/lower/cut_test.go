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

// cutPrograms choose by whether an index is below a size.
var cutPrograms = map[string]string{
	"concat":  `fn f(x: &[i32; N], y: &[i32; M]) -> [i32; N + M] { concat(x, y) }`,
	"written": `fn f(x: &[i32; N], y: &[i32; M]) -> [i32; M] { (0..M).map(|i| if i < N { x[i.clamp_idx()] } else { y[i] }) }`,
	"records": `fn f(x: &[i32; N], y: &[i32; M]) -> [(i32, i64); N + M] { concat(x.map(|e| (e, 1)), y.map(|e| (e + 1, 2))) }`,
	"faults":  `fn f(x: &[i32; N], y: &[i32; M]) -> [i32; N + M] { concat(x.map(|e| 7 / (e - 900)), y.map(|e| 7 / (e - 950))) }`,
	"twice":   `fn f(x: &[i32; N], y: &[i32; M]) -> [i32; N + M + N] { concat(concat(x, y), x) }`,
}

// TestChoicesByIndexAreLoops compares such programs with the interpreter, with either array empty and at
// the borders of grains. No loop of a concat chooses or limits an index.
func TestChoicesByIndexAreLoops(t *testing.T) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for name, source := range cutPrograms {
		for _, sizes := range [][2]int64{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {4095, 1}, {4096, 4096}, {4097, 4095}, {3000, 9001}} {
			t.Run(fmt.Sprint(name, sizes), func(t *testing.T) {
				c, err := difftest.Prepare(&progen.Program{Source: source, Sizes: map[string]int64{"N": sizes[0], "M": sizes[1]},
					Params: []progen.Param{{Name: "x", Columns: []progen.Column{counted(sizes[0], 0)}}, {Name: "y", Columns: []progen.Column{counted(sizes[1], 100_000)}}}})
				if err != nil {
					t.Fatal(err)
				}
				if name == "concat" {
					onlyCopies(t, c.Plan)
				}
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

// counted is a column of n numbers from first on.
func counted(n, first int64) progen.Column {
	x := progen.Column{Kind: num.I32, Bits: make([]uint64, n)}
	for i := range x.Bits {
		x.Bits[i] = num.Canon(num.I32, uint64(first+int64(i)))
	}
	return x
}

func onlyCopies(t *testing.T, s *schedule.Schedule) {
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		for _, loop := range l.Kernel.Body.Instrs {
			if loop.Code != kernel.For {
				continue
			}
			for _, in := range loop.Blocks[0].Instrs {
				if in.Code == kernel.If || in.Code == kernel.Select || in.Code == kernel.Bound || in.Code == kernel.Arith && in.Op == num.Min {
					t.Errorf("kernel %q chooses or limits in its loop", l.Label)
				}
			}
		}
	})
}
