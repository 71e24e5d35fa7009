package progen

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: random choices. Out: programs that walk over whole arrays of several grains again and again: maps that are dear enough
// to be stored, folds over them, and more maps that need the folds, straight, in loops and in branches. What such a
// program does with memory must not show. Invariant: nothing is used before it is there; whatever is in scope may be
// used, also what was computed from long ago.

// Passing lists what a long run of Passes must have used.
func Passing() []string {
	return []string{"map", "two arrays", "turned round", "windows", "fold", "fold of some", "array again", "number again", "loop", "branch"}
}

// Passes draws such a program.
func Passes() *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		w := &passer{t: t, kind: num.F32, used: map[string]int{}, arrays: []string{"x", "y"}, numbers: []string{"c"}}
		if w.pick(3) == 0 {
			w.kind = num.I64
		}
		return w.program()
	})
}

// passer writes such a program.
type passer struct {
	t       *rapid.T
	kind    num.Kind
	body    strings.Builder
	used    map[string]int
	arrays  []string // in scope, all of N elements
	numbers []string
	varied  [2][]string // of these, arrays and numbers that may be assigned to
	names   int
}

func (w *passer) pick(n int) int { return rapid.IntRange(0, n-1).Draw(w.t, "pick") }

// array is one that is there, often the latest, so that the others are not needed any more.
func (w *passer) array() string {
	if w.pick(5) > 1 {
		return w.arrays[len(w.arrays)-1]
	}
	return w.arrays[w.pick(len(w.arrays))]
}

// number is one that was computed, as a rule the latest.
func (w *passer) number() string {
	if w.pick(3) > 0 {
		return w.numbers[len(w.numbers)-1]
	}
	return w.numbers[w.pick(len(w.numbers))]
}

func (w *passer) fresh() string {
	w.names++
	return fmt.Sprintf("v%d", w.names)
}

func (w *passer) line(depth int, format string, args ...any) {
	fmt.Fprintf(&w.body, "%s%s\n", strings.Repeat("    ", depth), fmt.Sprintf(format, args...))
}

// element is an expression of elements, most often one that is dear.
func (w *passer) element(names ...string) string {
	v, s := names[w.pick(len(names))], w.number()
	if w.kind == num.I64 {
		forms := []string{"(%[1]s *%% 7 +%% %[2]s) %% 1009 / 3 + %[1]s %% 13", "(%[1]s ^ %[2]s) %% 4099 * (%[1]s %% 5 - 2) / 3", "%[1]s %% 1000 + %[2]s %% 10", "(%[1]s %% 100_003 * 31 + 7) / (%[2]s %% 5 + 9) %% 777"}
		return fmt.Sprintf(forms[w.pick(len(forms))], v, s) + w.beside(names)
	}
	forms := []string{"(%[1]s * %[2]s).sin() + %[1]s", "(%[1]s - %[2]s).cos() * %[1]s", "%[1]s * 0.5 + %[2]s", "(%[1]s / (%[2]s + 3.0)).atan() - 0.25", "%[1]s.min(%[2]s).exp()"}
	return fmt.Sprintf(forms[w.pick(len(forms))], v, s) + w.beside(names)
}

func (w *passer) beside(names []string) string {
	if len(names) == 1 {
		return ""
	}
	return " - " + names[1]
}

// made is an expression of an array.
func (w *passer) made() string {
	switch w.pick(6) {
	case 0:
		w.used["two arrays"]++
		return fmt.Sprintf("%s.zip(%s).map(|(v, w)| %s)", w.array(), w.array(), w.element("v", "w"))
	case 1:
		w.used["turned round"]++
		return fmt.Sprintf("%s.reverse().map(|v| %s)", w.array(), w.element("v"))
	}
	w.used["map"]++
	return fmt.Sprintf("%s.map(|v| %s)", w.array(), w.element("v"))
}

// folded is an expression of a number.
func (w *passer) folded() string {
	how := []string{"sum", "max", "min"}[w.pick(3)]
	over := w.array()
	switch w.pick(5) {
	case 0:
		w.used["fold of some"]++
		return fmt.Sprintf("%s.filter(|v| v > %s).sum()", over, w.number())
	case 1:
		w.used["windows"]++
		width := []int{2, 5, 16, 17, 18, 20}[w.pick(6)]
		body := fmt.Sprintf("r.%s()", how)
		switch w.pick(4) {
		case 2:
			body = "r.map(|v| v * v).sum()"
		case 0:
			body = fmt.Sprintf("r.map(|v| %s).%s()", w.element("v"), how)
		case 1:
			body = fmt.Sprintf("{ let m = r.%s(); r.map(|v| v - m).sum() }", how)
			if w.kind.IsFloat() {
				body = "{ let m = r.mean(); r.map(|v| (v - m) * (v - m)).sum() }"
			}
		}
		if w.pick(2) == 0 { // what is looked up is stored
			return fmt.Sprintf("{ let q = %s.window::<%d>().map(|r| %s); q[q.argmin()] + q[q.argmax()] }", over, width, body)
		}
		return fmt.Sprintf("%s.window::<%d>().map(|r| %s).max()", over, width, body)
	case 2:
		return fmt.Sprintf("%s.map(|v| %s).%s()", over, w.element("v"), how)
	}
	w.used["fold"]++
	return fmt.Sprintf("%s.%s()", over, how)
}

func (w *passer) statement(depth int) {
	switch c := w.pick(12); {
	case c < 4:
		made, name := w.made(), w.fresh()
		w.line(depth, "let %s = %s;", name, made)
		w.arrays = append(w.arrays, name)
		if w.pick(3) > 0 { // it is walked over twice, so that it is stored
			sum := w.fresh()
			w.line(depth, "let %s = %s.%s();", sum, name, []string{"sum", "max"}[w.pick(2)])
			w.numbers = append(w.numbers, sum)
		}
	case c < 8:
		folded, name := w.folded(), w.fresh()
		w.line(depth, "let %s = %s;", name, folded)
		w.numbers = append(w.numbers, name)
	case c == 8 && len(w.varied[0]) > 0:
		w.used["array again"]++
		w.line(depth, "%s = %s;", w.varied[0][w.pick(len(w.varied[0]))], w.made())
	case c == 9 && len(w.varied[1]) > 0:
		w.used["number again"]++
		w.line(depth, "%s = %s;", w.varied[1][w.pick(len(w.varied[1]))], w.folded())
	case depth < 3 && c == 10:
		w.used["loop"]++
		w.line(depth, "for i in 0..%d {", 1+w.pick(3))
		w.block(depth + 1)
		w.line(depth, "}")
	case depth < 3:
		w.used["branch"]++
		w.line(depth, "if %s > %s {", w.number(), w.number())
		w.block(depth + 1)
		w.line(depth, "} else {")
		w.block(depth + 1)
		w.line(depth, "}")
	}
}

// block writes statements, of which what they declare is gone afterwards; at the end something is assigned.
func (w *passer) block(depth int) {
	arrays, numbers := len(w.arrays), len(w.numbers)
	for range 1 + w.pick(4) {
		w.statement(depth)
	}
	if w.pick(2) == 0 {
		w.line(depth, "%s = %s;", w.varied[0][w.pick(len(w.varied[0]))], w.made())
	} else {
		w.line(depth, "%s = %s;", w.varied[1][w.pick(len(w.varied[1]))], w.folded())
	}
	w.arrays, w.numbers = w.arrays[:arrays], w.numbers[:numbers]
}

func (w *passer) program() *Program {
	for i, expr := range []string{w.made(), w.folded()} {
		name := w.fresh()
		w.line(1, "let mut %s = %s;", name, expr)
		w.varied[i] = append(w.varied[i], name)
	}
	w.arrays, w.numbers = append(w.arrays, w.varied[0]...), append(w.numbers, w.varied[1]...)
	for range 2 + w.pick(5) {
		w.statement(1)
	}
	results, types := []string{w.number()}, []string{w.kind.String()}
	for range w.pick(4) {
		results, types = append(results, w.arrays[w.pick(len(w.arrays))]), append(types, fmt.Sprintf("[%s; N]", w.kind))
	}
	head := fmt.Sprintf("fn f(x: &[%[1]s; N], y: &[%[1]s; N], c: %[1]s) -> (%[2]s, bool) where N: Range<20, 10_000_000> {\n", w.kind, strings.Join(types, ", "))
	if w.pick(4) == 0 {
		w.used["fused"]++
		head = "#[fused]\n" + head
	}
	p := &Program{Source: head + w.body.String() + "    (" + strings.Join(results, ", ") + ", true)\n}\n", Used: w.used}
	n := rapid.SampledFrom([]int64{20, 300, 4096, 4097, 4400}).Draw(w.t, "N")
	p.Sizes = map[string]int64{"N": n}
	r := splitmix(rapid.Uint64().Draw(w.t, "numbers"))
	for _, name := range []string{"x", "y"} {
		p.Params = append(p.Params, Param{name, []Column{{w.kind, []int64{n}, w.some(r, n)}}})
	}
	p.Params = append(p.Params, Param{"c", []Column{{w.kind, nil, w.some(r, 1)}}})
	return p
}

// some are numbers of moderate size.
func (w *passer) some(r *random, n int64) []uint64 {
	bits := make([]uint64, n)
	for i := range bits {
		x := r.next() % 4001
		if bits[i] = num.FromFloat(num.F32, float64(x)/1000-2); w.kind == num.I64 {
			bits[i] = x
		}
	}
	return bits
}
