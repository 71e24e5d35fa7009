package difftest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// rollingPrograms fold windows of W elements of x. Folds says how many of the folds stay as they are written.
var rollingPrograms = []struct {
	name, kind, result, body string
	folds                    int
}{
	{"greatest", "f32", "f32", "w.max()", 0},
	{"least", "f64", "f64", "w.min()", 0},
	{"least integer", "i16", "i16", "w.min()", 0},
	{"range", "i32", "i64", "w.max() as i64 - w.min() as i64", 0},
	{"any", "f32", "bool", "w.map(|e| e > 1.5).any()", 0},
	{"all", "i32", "bool", "w.map(|e| e > -90_000).all()", 0},
	{"sum", "i32", "i64", "w.map(|e| e as i64).sum()", 0},
	{"sum of bytes", "u8", "i64", "w.map(|e| e as i64).sum()", 0},
	{"number", "f64", "i64", "w.map(|e| (e < 0.5) as i64).sum()", 0},
	{"greatest of squares", "f32", "f32", "w.map(|e| e * e - 1.0).max()", 0},
	{"beside its place", "f32", "f32", "w.max() - w.min() * 0.5", 0},
	{"sum of floats", "f32", "f32", "w.sum()", 0},
	{"product of floats", "f64", "f64", "w.product()", 0},
	{"sum of roots", "f64", "f64", "w.map(|e| (e + 2.0).sqrt()).sum()", 0},
	{"sum of some", "f32", "f32", "w.filter(|e| e > 0.5).sum()", 0},
	{"fused squares", "f64", "f64", "w.map(|e| e * e).sum()", 1},
	{"fused deviation", "f32", "f32", "{ let m = w.mean(); (w.map(|e| (e - m) * (e - m)).sum() / (WW as i64 as f32)).sqrt() }", 1},
	{"deviation", "f64", "f64", "{ let m = w.mean(); (w.map(|e| (e - m) * (e - m)).sum() / (WW as i64 as f64)).sqrt() }", 1},
	{"two that wait", "f32", "f32", "{ let m = w.mean(); let s = w.map(|e| e * e).sum().sqrt(); w.map(|e| (e - m) / s).max() + m }", 1},
	{"sum of halves", "i64", "i64", "w.sum()", 0},
	{"sum that does not fit", "i64", "i64", "w.map(|e| e * 45_000_000_000_000).sum()", 1},
	{"sum that may not fit", "i64", "i64", "w.map(|e| e *% 9_000_000_000_000).sum()", 0},
	{"unsigned sum", "u64", "u64", "w.map(|e| e / 3).sum()", 0},
	{"fault", "i32", "i32", "w.map(|e| 7 / (e - 17)).max()", 1},
	{"weights", "f32", "f32", "w.enumerate().map(|(j, e)| e * (j as i64 as f32)).max()", 1},
}

// TestRolling compares windows with the interpreter, on arrays around the lengths of windows and grains.
func TestRolling(t *testing.T) {
	f := &fleet{}
	defer f.close()
	for _, p := range rollingPrograms {
		t.Run(p.name, func(t *testing.T) {
			for _, c := range []struct{ w, n int64 }{
				{16, 16}, {16, 17}, {16, 4095 + 15}, {16, 4096 + 15}, {16, 4097 + 15}, {17, 3 * 4096}, {100, 4300}, {1024, 1500}, {1500, 1700},
				{16, 8191 + 15}, {16, 8193 + 15}, {33, 2*8192 + 32},
			} {
				source := strings.ReplaceAll(fmt.Sprintf("fn f(x: &[%s; N]) -> [%s; N - WW + 1] where N: Range<WW, 10_000_000> { x.window::<WW>().map(|w| %s) }",
					p.kind, p.result, p.body), "WW", fmt.Sprint(c.w))
				if strings.HasPrefix(p.name, "fused") {
					source = "#[fused]\n" + source
				}
				compareRolling(t, f, source, p.kind, c.n, uint64(c.w+c.n), p.folds)
			}
		})
	}
}

func compareRolling(t *testing.T, f *fleet, source, kind string, n int64, seed uint64, folds int) {
	t.Helper()
	k, _ := num.ParseKind(kind)
	x := progen.Column{Kind: k, Dims: []int64{n}, Bits: make([]uint64, n)}
	for i := range x.Bits {
		r := (uint64(i)*6364136223846793005 + seed*1442695040888963407) >> 33
		switch {
		case !k.IsFloat():
			x.Bits[i] = num.Canon(k, r%200_000-100_000)
		case r%611 < 4: // rare, so that not all windows have one
			special := []float64{math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN()}[r%611]
			x.Bits[i] = num.FromFloat(k, special)
		default:
			x.Bits[i] = num.FromFloat(k, float64(r%4000)/1000-2)
		}
	}
	c, err := Prepare(&progen.Program{Source: source, Sizes: map[string]int64{"N": n}, Params: []progen.Param{{Name: "x", Columns: []progen.Column{x}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := foldsIn(c.Plan); got != folds {
		t.Fatalf("%s\n%d folds, expected %d", source, got, folds)
	}
	agrees(t, f, c, fmt.Sprintf("%d elements of\n%s", n, source))
}

func foldsIn(s *schedule.Schedule) (n int) {
	var look func(b *kernel.Block)
	look = func(b *kernel.Block) {
		for i := range b.Instrs {
			if b.Instrs[i].Code == kernel.Fold {
				n++
			}
			for j := range b.Instrs[i].Blocks {
				look(&b.Instrs[i].Blocks[j])
			}
		}
	}
	schedule.Launches(s.Steps, func(l *schedule.Launch) { look(&l.Kernel.Body) })
	return n
}

// What a division gives to a later fold of the same window is worked out in a loop of its own; without one it is not.
func TestAwaited(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		loops      int
	}{
		{"a mean", "{ let m = w.mean(); w.map(|e| (e - m) * (e - m)).sum() }", 3},
		{"a root", "{ let m = w.sum().sqrt(); w.map(|e| (e - m) * (e - m)).sum() }", 3},
		{"a sum", "{ let m = w.sum(); w.map(|e| (e - m) * (e - m)).sum() }", 2},
		{"a mean that no fold needs", "w.mean() + 1.0", 2},
	} {
		source := fmt.Sprintf("fn f(x: &[f64; N]) -> [f64; N - 19] where N: Range<20, 10_000_000> { x.window::<20>().map(|w| %s) }", tt.body)
		c, err := Prepare(&progen.Program{Source: source, Sizes: map[string]int64{"N": 100}, Params: []progen.Param{{Name: "x", Columns: []progen.Column{{Kind: num.F64, Dims: []int64{100}, Bits: make([]uint64, 100)}}}}})
		if err != nil {
			t.Fatal(err)
		}
		loops := 0
		schedule.Launches(c.Plan.Steps, func(l *schedule.Launch) {
			for _, in := range l.Kernel.Body.Instrs {
				if in.Code == kernel.For {
					loops++
				}
			}
		})
		if loops != tt.loops {
			t.Errorf("%s: %d loops, expected %d", tt.name, loops, tt.loops)
		}
	}
}

// However many windows one function has, its kernel stays small: beyond some, they are folded as they are written.
func TestManyWindows(t *testing.T) {
	f := &fleet{}
	defer f.close()
	for _, w := range []int{16, 4096} {
		var terms []string
		for i := range 40 {
			terms = append(terms, fmt.Sprintf("w.map(|e| e * %d.5).sum()", i))
		}
		source := fmt.Sprintf("fn f(x: &[f64; N]) -> [f64; N - %d] where N: Range<%d, 10_000_000> { x.window::<%d>().map(|w| %s) }", w-1, w, w, strings.Join(terms, " + "))
		kept := 40 - 8
		if w == 4096 {
			kept = 40 - 2
		}
		compareRolling(t, f, source, "f64", int64(w+50), 1, kept)
	}
}
