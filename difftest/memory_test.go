package difftest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/run"
)

// memoryPrograms write where other arrays were, or to memory of earlier results. Arrays says how many arrays of N
// elements each has beside its argument.
var memoryPrograms = []struct {
	name   string
	arrays int
	source string
}{
	{"softmax", 1, `{ x.softmax() }`},
	{"with its fold", 1, `{ let y = x.map(|v| v.exp()); let s = y.sum(); (y.map(|v| v / s), s) }`},
	{"read afterwards", 3, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let z = y.map(|v| v / s); (z, y.reverse()) }`},
	{"read by the next", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let z = y.map(|v| (v / s).sin()); let t = z.sum(); (z, y.map(|v| v / t)) }`},
	{"turned round", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); y.reverse().map(|v| v / s) }`},
	{"beside itself", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); y.zip(y.reverse()).map(|(v, w)| (v - w) / s) }`},
	{"one after the other", 1, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let z = y.map(|v| (v / s).sin()); let t = z.max(); z.map(|v| v - t) }`},
	{"of another kind", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); y.map(|v| v as f64 / s as f64) }`},
	{"filtered", 1, `{ let y = x.map(|v| v.exp()); let s = y.filter(|v| v > 1.0).sum(); y.map(|v| v / s) }`},
	{"looked at for its faults only", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let z = y.map(|v| (100 / (v.clamp(0.5, 1.0) * 10.0) as i32) as f32 / s); y }`},
	{"read afterwards for its faults only", 3, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let z = y.map(|v| (v / s).sin()); let q = z.sum(); let w = y.map(|v| 100 / ((v.clamp(0.5, 1.0) * 10.0) as i32 + (if q > 0.0 { 1 } else { 2 }))).sum(); z.map(|v| v - q) }`},
	{"records", 3, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let z = y.map(|v| ((v / s).sin(), (v - s).cos())); let t = z.map(|p| p.0 * p.1).sum(); (z.map(|p| (p.0 * t - p.1).exp()).max(), t) }`},
	{"in each turn", 2, `{ let y = x.map(|v| v.exp()); let mut s = 0.5f32; for i in 0..3 { let z = y.map(|v| (v + s).sin() + v); let t = z.sum(); s = s + z.map(|v| (v / t).cos()).max(); } s }`},
	{"on one side", 5, `{ let y = x.map(|v| v.exp()); let s = y.sum(); if s > 2.0 { let z = y.map(|v| (v / s).sin()); let t = z.sum(); z.map(|v| v - t) } else { y.map(|v| v * s) } }`},
	{"one loop after the other", 1, `{ let mut y = x.map(|v| v.exp()); let s = y.sum(); for i in 1..N { y[i] = (y[i] + y[i - 1]) / s; } let t = y.max(); for i in 1..N { y[i - 1] = y[i] - y[i - 1] * t; } y }`},
	{"a loop, then read", 3, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let mut z = y; for i in 1..N { z[i] = (z[i] + z[i - 1]) / s; } (z, y.reverse()) }`},
	{"a loop that reads its start", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let mut z = y; for i in 1..N { z[i] = (z[i - 1] + y[N - 1 - i]) / s; } z }`},
	{"a loop over maps of its start", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let w = y.map(|v| v / s); let mut z = y; for i in 1..N { z[i] = z[i - 1] + w[N - 1 - i]; } z }`},
	{"a loop with one start twice", 3, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let mut a = y; let mut b = y; for i in 1..N { a[i] = b[i - 1] / s; b[i] = a[i - 1] + 1.0; } (a, b) }`},
	{"an element changed", 1, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let mut z = y; z[0] = s; let t = z.max(); z.map(|v| v / t) }`},
	{"an element changed for one of its own", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let mut z = y; z[0] = z[N - 1] + s; let t = z.max(); z.map(|v| v / t) }`},
	{"turns of maps", 2, `{ let y = x.map(|v| v.exp()); let s = y.sum(); let mut z = y; for i in 0..3 { let t = z.max(); z = z.zip(z.reverse()).map(|(v, w)| (v - w) / (t + s)); } z }`},
	{"whichever NaN", 1, `{ x.map(|v| (v - v) / (v - v) * -1.0) }`},
}

var resultOf = map[string]string{"with its fold": "([f32; N], f32)", "read afterwards": "([f32; N], [f32; N])",
	"read by the next": "([f32; N], [f32; N])", "a loop, then read": "([f32; N], [f32; N])", "a loop with one start twice": "([f32; N], [f32; N])", "of another kind": "[f64; N]", "in each turn": "f32", "records": "(f32, f32)"}

// TestMemoryTwice runs each at sizes around those of grains, and where results are large enough for their memory to be
// used again, with that of the run before full of what it left there.
func TestMemoryTwice(t *testing.T) {
	f := &fleet{}
	defer f.close()
	for _, p := range memoryPrograms {
		t.Run(p.name, func(t *testing.T) {
			result := resultOf[p.name]
			if result == "" {
				result = "[f32; N]"
			}
			source := fmt.Sprintf("fn f(x: &[f32; N]) -> %s where N: Range<1, 10_000_000> %s", result, p.source)
			for i, n := range []int64{1, 4095, 4096, 4097, 9000, 600_001} {
				if n > 9000 && (p.arrays > 1 || strings.Contains(p.source, "] =")) { // the interpreter is slow
					continue
				}
				c := onNumbers(t, source, n, uint64(i))
				if got := arraysOf(c.Plan); got != p.arrays {
					t.Fatalf("%d arrays beside the argument, expected %d", got, p.arrays)
				}
				want, err := c.Oracle(0)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range settings() {
					if err := c.again(f.engine(t, s.tier), s, want); err != nil {
						t.Errorf("%d elements, %s: %v", n, s, err)
					}
				}
			}
		})
	}
}

// onNumbers prepares a program over n numbers, some of them special.
func onNumbers(t *testing.T, source string, n int64, seed uint64) *Case {
	t.Helper()
	x := progen.Column{Kind: num.F32, Dims: []int64{n}, Bits: make([]uint64, n)}
	for i := range x.Bits {
		x.Bits[i] = num.FromFloat(num.F32, float64((uint64(i)*2654435761+seed*97)%1999)/500-2)
	}
	if seed%2 == 1 { // one NaN would be all that is left
		x.Bits[n/2] = num.FromFloat(num.F32, 1e38*1e38)
	}
	c, err := Prepare(&progen.Program{Source: source, Sizes: map[string]int64{"N": n}, Params: []progen.Param{{Name: "x", Columns: []progen.Column{x}}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// arraysOf counts the buffers of as many elements as the argument has.
func arraysOf(s *schedule.Schedule) int {
	used := map[int]bool{}
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		for r, b := range l.Regions {
			if b >= 0 && l.Kernel.Regions[r].Access != kernel.Read && s.Buffers[b].Len.Equal(s.Buffers[0].Len) {
				used[b] = true
			}
		}
	})
	return len(used)
}

// again runs a case three times, and closes each result before the next.
func (c *Case) again(e *engine.Engine, s setting, want *Outcome) error {
	p := run.Prepare(c.Plan)
	for range 3 {
		res, err := p.Run(context.Background(), c.inputs, run.Options{Engine: e, Threads: s.threads, WindowRows: s.window})
		if err != nil {
			return err
		}
		if err := Same(want, &Outcome{Columns: res.Columns}); err != nil {
			return err
		}
		for _, col := range res.Columns {
			for i := range col.Data {
				col.Data[i] = 0xa5
			}
		}
		res.Close()
	}
	return nil
}
