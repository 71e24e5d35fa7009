package lower_test

import (
	"context"
	"testing"

	"github.com/godwit-run/godwit/difftest"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestElementOfRow takes an element of a row wherever that may stand: the steps grow with the
// number of elements, since no row is copied for one of them, and the result is the interpreter's.
func TestElementOfRow(t *testing.T) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for name, source := range map[string]string{
		"if":      `fn f(o: &[i64; H, W]) -> [i64; H, W] { (0..H).map(|i| (0..W).map(|j| if i > 0 { o[i - 1][j] / 4 } else { 0 })) }`,
		"let":     `fn f(o: &[i64; H, W]) -> [i64; H, W] { (0..H).map(|i| (0..W).map(|j| if i + 1 < H { let row = o[i + 1]; row[j] + row[W - 1 - j] } else { 0 })) }`,
		"closure": `fn f(o: &[i64; H, W]) -> [i64; H, W] { (0..H).map(|i| (0..W).map(|j| (0..3).map(|k| if i >= k { o[i - k][j] } else { 0 }).sum())) }`,
		"four":    `fn f(o: &[i64; H, W]) -> [i64; H, W] { (0..H).map(|i| (0..W).map(|j| (if i > 0 { o[i - 1][j] } else { 0 }) + (if i + 1 < H { o[i + 1][j] } else { 0 }) + (if j > 0 { o[i][j - 1] } else { 0 }) + (if j + 1 < W { o[i][j + 1] } else { 0 }))) }`,
		"loop":    `fn f(o: &[i64; H, W]) -> [i64; H, W] { let mut s = o; for i in 0..H { for j in 0..W { if i > 0 { s[i][j] = o[i - 1][j]; } } } s }`,
		"tuples":  `fn f(o: &[i64; H, W]) -> [i64; H, W] { let p = o.map(|r| r.map(|e| (e, e + 1))); (0..H).map(|i| (0..W).map(|j| if i > 0 { let (a, b) = p[i - 1][j]; a * b } else { 0 })) }`,
		"cubes":   `fn f(o: &[i64; H, W]) -> [i64; H, W] { let p = (0..H).map(|i| (0..W).map(|j| (0..2).map(|k| o[i][j] * k))); (0..H).map(|i| (0..W).map(|j| if i > 0 { p[i - 1][j][1] } else { 0 })) }`,
	} {
		t.Run(name, func(t *testing.T) {
			steps := func(w int64) int64 {
				const h = 4
				x := progen.Column{Kind: num.I64, Bits: make([]uint64, h*w)}
				for i := range x.Bits {
					x.Bits[i] = uint64(i * 7919 % 4001)
				}
				c, err := difftest.Prepare(&progen.Program{Source: source, Sizes: map[string]int64{"H": h, "W": w}, Params: []progen.Param{{Name: "o", Columns: []progen.Column{x}}}})
				if err != nil {
					t.Fatal(err)
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
				return most(t, c.Plan, c.Program.Sizes)
			}
			if few, many := steps(100), steps(1000); many > 12*few {
				t.Errorf("at most %d steps for 100 columns, %d for ten times as many", few, many)
			}
		})
	}
}

// most is the greatest bound on the steps of an outer index of a schedule's kernels.
func most(t *testing.T, s *schedule.Schedule, sizes map[string]int64) (steps int64) {
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		safe, err := verify.Check(l.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		var values []int64
		for _, a := range l.Sizes {
			n, ok := a.Poly.Eval(func(name string) (int64, bool) { n, ok := sizes[name]; return n, ok })
			if !ok {
				t.Fatalf("%s is not known", a.Poly)
			}
			values = append(values, n)
		}
		steps = max(steps, safe.Outer.Eval(values))
	})
	return steps
}
