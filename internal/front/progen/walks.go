package progen

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: random choices. Out: programs whose iterations follow references: walks of one length, walks that end where data says, searches in
// trees, hash chains, one behind the other and with work between their loads, whose results are stored, folded, counted, or told to the
// next iteration; with faults in the middle of some. How many iterations are under way at the same time must not show.

// Walking lists what a long run of Walks must have used.
func Walking() []string {
	return []string{"of one length", "to an end", "as long as data says", "down a tree", "work between", "stored", "folded", "counted", "told to the next", "fault in a walk", "two walks"}
}

// Walks draws such a program.
func Walks() *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program { return (&walker{t: t, used: map[string]int{}}).program() })
}

// walker writes such a program.
type walker struct {
	t    *rapid.T
	used map[string]int
}

func (w *walker) pick(n int) int { return rapid.IntRange(0, n-1).Draw(w.t, "pick") }

// sum is an addition that overflows now and then, or one that wraps.
func (w *walker) sum() string {
	if w.pick(3) > 0 {
		return "+%"
	}
	w.used["fault in a walk"]++
	return "+"
}

// walk is statements that take s, where the walk begins, and d, a number of the iteration, to i and a. suffix tells walks of
// one iteration apart.
func (w *walker) walk(from, suffix string) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, "        "+strings.NewReplacer("@", suffix).Replace(format)+"\n", args...)
	}
	line("let mut i@ = %s;", from)
	line("let mut a@ = d;")
	switch turns := []string{"0..k", "0..7", "2..k", "0..N"}[w.pick(4)]; w.pick(4) {
	case 0:
		w.used["of one length"]++
		line("for j in %s {", []string{"0..k", "1..9", "0..64"}[w.pick(3)])
		w.work(line)
		line("    i@ = next[i@];")
		line("}")
	case 1:
		w.used["to an end"]++
		line("for j in %s {", turns)
		line("    if v[i@] %% 5 == d %% 5 { break; }")
		w.work(line)
		line("    i@ = next[i@];")
		line("}")
	case 2:
		w.used["as long as data says"]++
		line("for j in 0..(d & 15) {")
		w.work(line)
		line("    i@ = next[i@];")
		line("}")
	default:
		w.used["down a tree"]++
		line("for j in %s {", turns)
		line("    let e = v[i@];")
		line("    if e == d { break; }")
		line("    let to = if e < d { 2 * (i@ as i64) + 1 } else { 2 * (i@ as i64) + 2 };")
		line("    a@ = a@ %s e;", w.sum())
		line("    i@ = to.clamp_idx::<N>();")
		line("}")
	}
	return b.String()
}

// work is what a turn does beside going on.
func (w *walker) work(line func(string, ...any)) {
	switch w.pick(4) {
	case 0:
	case 1:
		line("    a@ = a@ %s v[i@];", w.sum())
	case 2:
		line("    a@ = (a@ ^ v[i@]) *%% 31 %s (j as i64);", w.sum())
	default:
		w.used["work between"]++
		line("    let mut m = 0;")
		line("    for q in 0..3 { m = m +%% v[(a@ ^ q).clamp_idx::<N>()]; }")
		line("    if m %% 3 == 0 { a@ = a@ %s m; } else { a@ = a@ ^ v[i@]; }", w.sum())
	}
}

func (w *walker) program() *Program {
	body := w.walk("s", "")
	result := "a +% (i as i64)"
	if w.pick(3) == 0 {
		w.used["two walks"]++
		body += w.walk("i", "2")
		result = "a +% a2 +% (i2 as i64) *% 7"
	}
	each := fmt.Sprintf("begin.zip(d).map(|(s, d)| {\n%s        %s\n    })", body, result)
	text, of := "", "[i64; M]"
	switch w.pick(4) {
	case 0:
		w.used["stored"]++
		text = "    " + each + "\n"
	case 1:
		w.used["folded"]++
		text, of = "    "+each+[]string{".map(|x| x & 0xffff).sum()", ".max()", ".min()", ".map(|x| x as f64).sum() as f32"}[w.pick(4)]+"\n", "i64"
		if strings.Contains(text, "f32") {
			of = "f32"
		}
	case 2:
		w.used["counted"]++
		text, of = "    "+each+".histogram::<16>(|x| x & 15)\n", "[i64; 16]"
	default:
		w.used["told to the next"]++
		text = fmt.Sprintf("    let mut all = 1;\n    for (s, d) in begin.zip(d) {\n%s        all = all *%% 3 ^ (%s);\n    }\n    all\n", body, result)
		of = "i64"
	}
	head := fmt.Sprintf("fn f(next: &[idx<N>; N], v: &[i64; N], begin: &[idx<N>; M], d: &[i64; M], k: i64) -> %s\nwhere N: Range<1, 1_000_000>, M: Range<1, 1_000_000>, k: Range<0, 100>\n{\n", of)
	p := &Program{Source: head + text + "}\n", Used: w.used}
	n := rapid.SampledFrom([]int64{1, 2, 37, 5000}).Draw(w.t, "N")
	m := rapid.SampledFrom([]int64{1, 2, 7, 63, 64, 65, 300, 1500}).Draw(w.t, "M")
	p.Sizes = map[string]int64{"N": n, "M": m}
	r := splitmix(rapid.Uint64().Draw(w.t, "numbers"))
	some := func(n int64, number func() uint64) []uint64 {
		bits := make([]uint64, n)
		for i := range bits {
			bits[i] = number()
		}
		return bits
	}
	index := func() uint64 { return r.next() % uint64(n) }
	value := func() uint64 {
		if r.next()%64 == 0 {
			return r.next() >> 1 // sums of two such overflow
		}
		return r.next() % 4096
	}
	column := func(kind num.Kind, n int64, bits []uint64) []Column { return []Column{{kind, []int64{n}, bits}} }
	p.Params = []Param{
		{"next", column(num.I64, n, some(n, index))}, {"v", column(num.I64, n, some(n, value))},
		{"begin", column(num.I64, m, some(m, index))}, {"d", column(num.I64, m, some(m, value))},
		{"k", []Column{{num.I64, nil, []uint64{r.next() % 101}}}},
	}
	return p
}
