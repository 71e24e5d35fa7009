package elaborate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/interp"
)

// loopWriter makes random programs in which loops change two numbers and look into an array by
// them.
type loopWriter struct {
	*rand.Rand
	turns []string // the variables of the loops around
}

func (w *loopWriter) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w *loopWriter) number() string {
	return w.pick(append([]string{"i", "j", "i", "j", "0", "1", "N", "N - 1", "a"}, w.turns...)...)
}

func (w *loopWriter) expr() string {
	x, y := w.number(), w.number()
	return w.pick(x, x+" + 1", x+" - 1", x+" / 2", "2 * "+x+" + 1", "2 * "+x, "("+x+" + "+y+") / 2", x+" & "+y, "("+x+" + 1) % N",
		"("+x+").min("+y+")", "("+x+").max("+y+")", x+" + "+y, x+" - "+y, "N - 1 - "+x, x+" >> 1", x+" + ("+y+" - "+x+") / 2", x+" & -("+x+")", x+" - ("+x+" & -("+x+"))")
}

func (w *loopWriter) test() string {
	x, y := w.number(), w.number()
	one := w.pick(x+" < N", x+" >= N", x+" == 0", x+" > 0", x+" < "+y, x+" >= "+y, x+" <= N", x+" < 0", "v[a] > 3")
	switch w.IntN(5) {
	case 0:
		return one + " && " + w.pick("i < N", "j >= 1", "i < j", "j <= N", "i > 0")
	case 1:
		return one + " || " + w.pick("i >= N", "j < 1", "i >= j", "j > N", "i == 0")
	}
	return one
}

func (w *loopWriter) statement(depth int) string {
	switch w.IntN(9) {
	case 0, 1, 2:
		return w.pick("i", "j") + " = " + w.expr() + "; "
	case 3:
		return w.pick("i += 1", "j += 1", "i -= 1", "j -= 1", "i = 0", "j = N", "i *= 2", "j /= 2") + "; "
	case 4:
		return "if " + w.test() + " { break; } "
	case 5, 6:
		if depth > 0 {
			return "if " + w.test() + " { " + w.statement(depth-1) + "} else { " + w.statement(depth-1) + "} "
		}
	case 7:
		if depth > 0 {
			return w.loop(depth - 1)
		}
	}
	return "s = s +% v[" + w.pick("i", "j", "i", "j", w.expr()) + "]; "
}

func (w *loopWriter) loop(depth int) string {
	name := fmt.Sprintf("k%d", len(w.turns))
	head := "for " + name + " in " + w.pick("0..N", "0..8", "1..N + 1", "0..5", "i.max(0)..N", "a..N") + " { "
	w.turns = append(w.turns, name)
	for range 2 + w.IntN(3) {
		head += w.statement(depth)
	}
	w.turns = w.turns[:len(w.turns)-1]
	return head + "} "
}

func (w *loopWriter) program() string {
	text := "fn f(v: &[i64; N], a: idx<N>) -> i64 where N: Range<1, 100000> { let mut i = " + w.pick("0", "1", "N", "N - 1", "a as i64", "-1") +
		"; let mut j = " + w.pick("0", "1", "N", "N - 1", "a as i64") + "; let mut s = 0; " + w.loop(2)
	if w.IntN(3) == 0 {
		text += w.loop(1)
	}
	return text + "s +% i +% j }"
}

// TestKept runs random programs of loops that the checker accepts: the interpreter stops at an
// index that is outside although it was shown not to be.
func TestKept(t *testing.T) {
	w := &loopWriter{Rand: rand.New(rand.NewPCG(11, 12))}
	accepted, thanks := 0, 0
	for range 300 {
		text := w.program()
		p, msgs := checkText("f.gw", text)
		if msgs.Err() != nil {
			continue
		}
		accepted++
		maxTrials = 0
		if _, msgs := checkText("f.gw", text); msgs.Err() != nil {
			thanks++
		}
		maxTrials = 64
		runSmall(t, w.Rand, p, text)
	}
	t.Logf("%d programs were accepted, %d of them for what loops keep", accepted, thanks)
	if thanks < 20 {
		t.Errorf("%d of %d accepted programs need what loops keep, want some", thanks, accepted)
	}
}

// runSmall runs a program for all small sizes and indices.
func runSmall(t *testing.T, r *rand.Rand, p *Program, text string) {
	t.Helper()
	g, err := p.Graph("f")
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(7) {
		for a := range n {
			v := make([]int64, n)
			for i := range v {
				v[i] = r.Int64N(8)
			}
			args := []*value.Value{value.FromSlice(v), value.Scalar(a)}
			if _, _, err := interp.Run(g, map[string]int64{"N": n}, args, interp.Options{Steps: 1_000_000}); err != nil && err != interp.ErrSteps {
				t.Fatalf("%v, for N = %d, a = %d, v = %v: %s", err, n, a, v, text)
			}
		}
	}
}

// TestLoopsKeep checks textbook programs whose indices follow from what each turn keeps, and
// their neighbours that may leave the array.
func TestLoopsKeep(t *testing.T) {
	head := "fn f(v: &[i64; N], a: idx<N>) -> i64 where N: Range<1, 1000000> { let mut h = v; "
	for _, c := range []struct{ name, text, good, bad string }{
		{"down a heap", "let mut i = a as i64; for _ in 0..40 { let mut c = 2 * i + 1; if c >= N { break; } if c + 1 < N && h[c + 1] > h[c] { c += 1; } let t = h[i]; h[i] = h[c]; h[c] = t; i = ?; } h[0] }", "c", "c - 2"},
		{"up a heap", "let mut i = a as i64; for _ in 0..40 { if ? { break; } let p = (i - 1) / 2; if h[p] >= h[i] { break; } let t = h[i]; h[i] = h[p]; h[p] = t; i = p; } h[0] }", "i == 0", "i == 1"},
		{"halves", "let mut lo = 0; let mut hi = N; for _ in 0..64 { if lo >= hi { break; } let mid = (lo + hi) / 2; if v[mid] < 5 { lo = mid + 1; } else { hi = ?; } } lo }", "mid", "mid + 2"},
		{"around", "let mut p = 0; let mut s = 0; for _ in 0..2 * N { s = s +% h[p]; p = ?; } s }", "(p + 1) % N", "(p + 1) % (N + 1)"},
		{"around by a test", "let mut p = 0; let mut s = 0; for _ in 0..2 * N { s = s +% h[p]; p += 1; if ? { p = 0; } } s }", "p == N", "p == N - 2"},
		{"shifts", "for i in 1..N { let x = h[i]; let mut j = i as i64; for _ in 0..i { if ? || h[j - 1] <= x { break; } h[j] = h[j - 1]; j -= 1; } h[j] = x; } h[0] }", "j == 0", "j == 2"},
		{"the lowest bit", "let mut i = a + 1; let mut s = 0; for _ in 0..40 { if i == 0 { break; } s = s +% v[i - 1]; i ?= i & -i; } s }", "-", "+"},
		{"multiples", "let mut s = 0; for i in 2..N { for k in 1..(N - ?) / i + 1 { s = s +% v[i * k]; } } s }", "1", "0"},
		{"a step that doubles", "let mut w = ?; let mut s = 0; for _ in 0..30 { if w >= N { break; } for i in (0..N).step(2 * w) { s = s +% v[i]; } w *= 2; } s }", "1", "0"},
		{"one loop after another", "let mut i = 0; let mut s = 0; for k in 0..N { if v[k] > 3 && i < N - 1 { i = k as i64; } } for e in v { s = s +% h[i]; i = ?; } s }", "i / 2", "i * 2"},
		{"either side", "let q = v[a]; let mut s = 0; if q ? 0 || q > 2 && q < N { s = s +% h[q]; } s }", "==", ">="},
	} {
		good, bad := head+strings.ReplaceAll(c.text, "?", c.good), head+strings.ReplaceAll(c.text, "?", c.bad)
		p, msgs := checkText("good.gw", good)
		if err := msgs.Err(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		verifyAll(t, p)
		runSmall(t, rand.New(rand.NewPCG(1, 2)), p, good)
		if _, msgs := checkText("bad.gw", bad); msgs.Err() == nil {
			t.Errorf("%s: this passes: %s", c.name, bad)
		}
		const calls = "\nfn g(v: &[i64; N], a: idx<N>) -> i64 where N: Range<1, 1000000> { f(v, a) +% f(v, a) }"
		if _, msgs := checkText("called.gw", good+calls); msgs.Err() != nil {
			t.Errorf("%s: it is not as good when it is called: %v", c.name, msgs.Err())
		}
	}
}
