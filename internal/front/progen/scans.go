package progen

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: random choices. Out: programs that carry numbers through arrays of several grains: scans, folds in order, products and
// filters whose elements move together. Some of what they carry adds up in any grouping, and some does not, which must not
// show: neither in the results nor in the faults.

// Carrying lists what a long run of Carries must have used.
func Carrying() []string {
	return []string{"scan", "narrow scan", "scan of two", "conditional scan", "scan that looks", "filter", "rows", "fold", "product", "scan of some"}
}

// Carries draws such a program.
func Carries() *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		w := &carrier{t: t, kind: []num.Kind{num.I64, num.I32, num.I8, num.U16, num.F64, num.F32}[rapid.IntRange(0, 5).Draw(t, "kind")], used: map[string]int{}}
		return w.program()
	})
}

// carrier writes such a program.
type carrier struct {
	t       *rapid.T
	kind    num.Kind
	used    map[string]int
	body    strings.Builder
	results []string
	types   []string
}

func (w *carrier) pick(n int) int { return rapid.IntRange(0, n-1).Draw(w.t, "pick") }

func (w *carrier) let(typ, format string, args ...any) {
	name := fmt.Sprintf("v%d", len(w.results)+1)
	fmt.Fprintf(&w.body, "    let %s = %s;\n", name, fmt.Sprintf(format, args...))
	w.results, w.types = append(w.results, name), append(w.types, typ)
}

// joined is an expression that joins a and e: sums that may not fit, sums that wrap, extremes.
func (w *carrier) joined(a, e string) string {
	forms := []string{"%s + %s", "%s +%% %s", "%[1]s.max(%[2]s)", "%[1]s.min(%[2]s)", "%s *%% %s", "%s ^ %s", "%s | %s", "%s - %s", "%[2]s + %[1]s"}
	if w.kind.IsFloat() {
		forms = []string{"%[1]s.max(%[2]s)", "%[1]s.min(%[2]s)", "%s + %s", "%[2]s.max(%[1]s)"}
	}
	return fmt.Sprintf(forms[w.pick(len(forms))], a, e)
}

func (w *carrier) statement() {
	array := fmt.Sprintf("[%s; N]", w.kind)
	switch w.pick(10) {
	case 0, 1:
		w.used["scan"]++
		w.let(array, "x.scan(c, |a, e| %s)", w.joined("a", "e"))
	case 2:
		w.used["narrow scan"]++
		w.let("[i16; N]", "k.scan(5, |a, e| a + e)")
	case 3:
		w.used["scan of two"]++
		w.let(fmt.Sprintf("[(%s, i64); N]", w.kind), "x.zip(k).scan((c, 0), |a, (e, q)| (%s, a.1 +%% q as i64))", w.joined("a.0", "e"))
	case 4:
		w.used["conditional scan"]++
		w.let(array, "x.zip(k).scan(c, |a, (e, q)| if q > %d { %s } else { a })", w.pick(9)-4, w.joined("a", "e"))
	case 5:
		w.used["scan that looks"]++
		w.let(array, "x.zip(y).scan(c, |a, (e, q)| if %s > q { %s } else { a })", []string{"a", "e"}[w.pick(2)], w.joined("a", "e"))
	case 6:
		w.used["filter"]++
		w.let(fmt.Sprintf("[%s; ?K%d <= N]", w.kind, len(w.results)), "x.filter(|e| e > c)")
	case 7:
		w.used["rows"]++
		w.let(fmt.Sprintf("[([%s; 3], bool); ?K%d <= N]", w.kind, len(w.results)), "x.zip(y).filter(|(e, q)| e > q).map(|(e, q)| ([e, q, c], e > c))")
	case 8:
		w.used["fold"]++
		w.let(w.kind.String(), "x.zip(k).fold(c, |a, (e, q)| if q > 0 { %s } else { a })", w.joined("a", "e"))
		w.used["product"]++
		w.let("i64", "k.filter(|q| q > 2).map(|q| q as i64 - %d).product()", 2+w.pick(4))
	case 9:
		w.used["scan of some"]++
		w.let(fmt.Sprintf("[%s; ?K%d <= N]", w.kind, len(w.results)), "x.zip(y).map(|(e, q)| if e > q { e } else { q }).filter(|e| e > c).scan(c, |a, e| %s)", w.joined("a", "e"))
	}
}

func (w *carrier) program() *Program {
	for range 1 + w.pick(3) {
		w.statement()
	}
	head := fmt.Sprintf("fn f(x: &[%[1]s; N], y: &[%[1]s; N], k: &[i16; N], c: %[1]s) -> (%[2]s, bool) where N: Range<0, 10_000_000> {\n", w.kind, strings.Join(w.types, ", "))
	p := &Program{Source: head + w.body.String() + "    (" + strings.Join(w.results, ", ") + ", true)\n}\n", Used: w.used}
	n := rapid.SampledFrom([]int64{0, 1, 4096, 4097, 9000, 3*4096 + 5}).Draw(w.t, "N")
	p.Sizes = map[string]int64{"N": n}
	r := splitmix(rapid.Uint64().Draw(w.t, "numbers"))
	large := w.pick(3) == 0 // sums of what is large do not fit
	for _, name := range []string{"x", "y"} {
		p.Params = append(p.Params, Param{name, []Column{{w.kind, []int64{n}, w.some(w.kind, r, n, large)}}})
	}
	p.Params = append(p.Params, Param{"k", []Column{{num.I16, []int64{n}, w.some(num.I16, r, n, false)}}})
	p.Params = append(p.Params, Param{"c", []Column{{w.kind, nil, w.some(w.kind, r, 1, false)}}})
	return p
}

// some are small numbers, or if they are large a few of them large.
func (w *carrier) some(k num.Kind, r *random, n int64, large bool) []uint64 {
	bits := make([]uint64, n)
	for i := range bits {
		x := int64(r.next()%9) - 4
		switch {
		case k.IsFloat():
			bits[i] = num.FromFloat(k, float64(x)/2)
			continue
		case !k.IsSigned():
			x = max(x, 0)
		}
		if bits[i] = num.Canon(k, uint64(x)); large && r.next()%4000 == 0 {
			bits[i] = num.Canon(k, k.MaxInt()/2)
		}
	}
	return bits
}
