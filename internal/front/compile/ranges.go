package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// checkSizes holds the sizes of a run to what the program declares.
func (b *Bound) checkSizes() error {
	g := b.Func.Graph
	for i := range g.Sizes {
		if err := b.checkRange(&g.Sizes[i]); err != nil {
			return err
		}
	}
	for _, p := range g.Facts.NonNeg {
		n, ok := b.sizes.eval(p)
		if ok && n < 0 || !ok && b.sizes.all(p) { // one that is too large is not known to hold
			return b.brokenFact(p)
		}
	}
	return nil
}

func (b *Bound) checkRange(s *graph.SizeParam) error {
	n, ok := b.sizes.value(s.Name)
	if !ok {
		return refuse(s.Name, fmt.Sprintf("give it as an argument: %s=8", s.Name),
			"nothing says what the size %s of `%s` is\n  %s", s.Name, b.Func.Name, b.Func.Signature())
	}
	why := b.sizes.reason(s.Name)
	if e := b.sizes.from[s.Name]; e == nil || e.got != n {
		why = fmt.Sprintf("%s = %s (%s)", s.Name, diag.Prose(n), why)
	}
	switch {
	case n > graph.MaxSize:
		return refuse(s.Name, "", "%s, but a size is at most %s", why, diag.Prose(graph.MaxSize))
	case !s.Declared || n >= s.Lo && n <= s.Hi:
		return nil
	}
	return refuse(s.Name, fmt.Sprintf("give an argument within the range, or declare a wider one, if the function passes its checks with it:\n%s: Range<%s, %s>", s.Name, diag.Literal(min(n, s.Lo)), diag.Literal(max(n, s.Hi))),
		"%s, but `%s: Range<%s, %s>`", why, s.Name, diag.Literal(s.Lo), diag.Literal(s.Hi)).
		at(b.Func.Graph.Source, b.Func.rangeOf(s.Name), fmt.Sprintf("%s would be %s", s.Name, diag.Prose(n)))
}

// rangeOf is where the Range of a size or parameter is declared.
func (f *Func) rangeOf(name string) diag.Span {
	if f.Decl == nil {
		return diag.Span{}
	}
	for _, c := range f.Decl.Where {
		if r, ok := c.(*syntax.RangeClause); ok && r.Name.Text == name {
			return r.Span
		}
	}
	return diag.Span{}
}

// brokenFact explains a comparison of the where clause that does not hold.
func (b *Bound) brokenFact(p size.Poly) error {
	var because []string
	for _, name := range p.Vars() {
		n, _ := b.sizes.value(name)
		because = append(because, fmt.Sprintf("%s = %s (%s)", name, diag.Prose(n), b.sizes.reason(name)))
	}
	pos, text := b.comparison(p), inequality(p)
	if pos.End > 0 {
		text = b.Func.Graph.Source.Text[pos.Start:pos.End]
	}
	return refuse("", "give arguments whose sizes satisfy it", "the program needs `%s`, but %s", text, strings.Join(because, " and ")).
		at(b.Func.Graph.Source, pos, "declared here")
}

// inequality writes p ≥ 0 with all its terms positive: M <= N.
func inequality(p size.Poly) string {
	var less, more size.Poly
	p.Terms(func(coef int64, names []string, _ bool) {
		t := size.Const(max(coef, -coef))
		for _, n := range names {
			t = t.Mul(size.Var(n))
		}
		if coef < 0 {
			less = less.Add(t)
		} else {
			more = more.Add(t)
		}
	})
	if n, ok := more.Const(); ok && n == 0 {
		return less.String() + " <= 0"
	}
	if less.Sub(size.Const(1)).Equal(size.Const(0)) {
		return "1 <= " + more.String()
	}
	return less.String() + " <= " + more.String()
}

// comparison finds the clause that p came from by the sizes it speaks of.
func (b *Bound) comparison(p size.Poly) diag.Span {
	if b.Func.Decl == nil {
		return diag.Span{}
	}
	vars := p.Vars()
	for _, c := range b.Func.Decl.Where {
		cmp, ok := c.(*syntax.CompareClause)
		if !ok || cmp.Span.End > len(b.Func.Graph.Source.Text) {
			continue
		}
		text := b.Func.Graph.Source.Text[cmp.Span.Start:cmp.Span.End]
		if !slices.ContainsFunc(vars, func(v string) bool { return !strings.Contains(text, v) }) {
			return cmp.Span
		}
	}
	return diag.Span{}
}
