package elaborate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: a number that is known only at run time where a size is wanted, as the end of a range or the length of an array.
// Out: what to write for it: as many elements as there can be, and of these the ones that are meant. Bounds in these helps
// are bounds that are known. None is made up, for one that is too small would leave elements out without a word; where
// nothing is known, the help asks for a Range, which is checked at the call.

// mostOfType is up to how many elements a narrow type alone is bound enough.
const mostOfType = 1 << 16

// most is a size that a number never passes; false if none is known.
func (e *elab) most(n *graph.Node) (size.Poly, bool) {
	b := e.boundsOf(n)
	for _, p := range b.his {
		if writable(p) && e.proves(p) {
			return p, true
		}
	}
	if b.hi <= mostOfType || b.declared && b.hi <= graph.MaxSize {
		return size.Const(max(b.hi, 0)), true
	}
	return size.Poly{}, false
}

// least is a number that a value is never below; false if none is known.
func (e *elab) least(n *graph.Node) (int64, bool) {
	b := e.boundsOf(n)
	return b.lo, b.lo >= -mostOfType || b.declared && b.lo >= -graph.MaxSize
}

// rangeMeant is what to write for a..b, or every step-th number of it, where an end is no size.
func (e *elab) rangeMeant(r *syntax.RangeExpr, a, b *graph.Node, step string) string {
	hi, ok := e.most(b)
	if p, exact := e.sizeOf(b); exact {
		hi, ok = p, true
	}
	intro := "keep what is meant of a range that is long enough:\n"
	if most, own := e.declarable(r.Hi); own && !ok {
		hi, ok = size.Const(most), true
		intro = "declare its range, which is checked at the call, and keep what is meant of a range that is long enough:\nwhere " + e.rangesOf(r.Hi) + "\n"
	}
	if !ok {
		return e.askRange(r.Hi)
	}
	from, ok := e.least(a)
	if !ok {
		return e.askRange(r.Lo)
	}
	lo, kept := e.sizeOf(a)
	kept = kept && e.proves(lo) && e.proves(hi.Sub(lo))
	whole := e.text(r.Lo.Where()) + ".." + sizeOperand(hi)
	shift := int64(0)
	if !kept {
		shift = max(-from, 0)
		whole = "0.." + sizeOperand(hi.AddConst(shift))
	}
	whole = "(" + whole + ")"
	name := unusedName(e.text(r.Span)+step, "r", "i", "k", "each")
	var conds []string
	if !kept {
		conds = append(conds, name+" >= "+e.asI64(r.Lo, a))
	}
	if _, exact := e.sizeOf(b); !exact {
		conds = append(conds, name+" < "+e.asI64(r.Hi, b))
	}
	if step != "" && kept {
		whole += ".step(" + step + ")"
	} else if step != "" {
		conds = append(conds, "("+name+" - "+e.asI64(r.Lo, a)+") % "+step+" == 0")
	}
	if shift > 0 {
		whole += fmt.Sprintf(".map(|%s| %s - %d)", name, name, shift)
	}
	return intro + whole + ".filter(|" + name + "| " + strings.Join(conds, " && ") + ")"
}

// asI64 is the text of an integer as an operand beside an i64.
func (e *elab) asI64(x syntax.Expr, n *graph.Node) string {
	if n.Type.Kind == graph.Index || n.Type.Equal(graph.I64Type) {
		return e.operand(x)
	}
	return "(" + e.operand(x) + " as i64)"
}

// sizeOperand is a size as the end of a range.
func sizeOperand(p size.Poly) string {
	if c, ok := p.Const(); ok {
		return strconv.FormatInt(c, 10)
	}
	return p.String()
}

// unusedName is the first of these names that does not stand in a text.
func unusedName(text string, names ...string) string {
	for _, name := range names {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
			return name
		}
	}
	return names[len(names)-1] + "_"
}

// takeInstead offers `[v; 100].take(n)` for `[v; n]` if n, of which 100 is the most, has just been reported to be no size.
func (e *elab) takeInstead(reported int, x *syntax.RepeatExpr) {
	all := e.msgs.Messages
	if len(all) != reported+1 || all[reported].Code != "T04" && all[reported].Code != "T27" {
		return
	}
	help := ""
	e.trial(func() {
		n := e.expr(x.Dims[0], nil)
		if n == nil || !types.IsInt(n.Type) {
			return
		}
		p, ok := e.most(n)
		if !ok && all[reported].Code == "T04" {
			help = e.askRange(x.Dims[0])
		}
		if !ok {
			return
		}
		dims := sizeOperand(p)
		for _, d := range x.Dims[1:] {
			dims += ", " + e.text(d.Where())
		}
		help = fmt.Sprintf("take that many of an array that is long enough; the result is [T; ?M <= %s]:\n[%s; %s].take(%s)", sizeOperand(p), e.text(x.Value.Where()), dims, e.text(x.Dims[0].Where()))
	})
	if help != "" {
		message{all[reported], e.g}.Help("%s", help)
	}
}

// askRange asks for the bounds of a number: of the parameters that it is computed of, or by making it one.
func (e *elab) askRange(x syntax.Expr) string {
	if clauses := e.rangesOf(x); clauses != "" {
		return "declare its range, which is checked at the call:\nwhere " + clauses
	}
	if len(e.fr.sizes) > 0 {
		n := slices.Min(slices.Collect(maps.Keys(e.fr.sizes)))
		return "limit it by what it never passes, by another bound if that may be more than " + n + ", since what is beyond is left out:\n" + e.parenthesized(x.Where()) + ".min(" + n + ")"
	}
	return "nothing says what it is at most: pass it as a parameter, whose Range is checked at the call, as in where n: Range<0, 1000>"
}

// rangesOf are Ranges to declare for the integers that an expression is computed of; "" unless those are parameters without one.
func (e *elab) rangesOf(x syntax.Expr) string {
	d := e.fr.d
	if d == nil || d.fn == nil {
		return ""
	}
	var clauses []string
	ok := true
	visit(x, func(x any) bool {
		switch x := x.(type) {
		case *syntax.NameExpr:
			v := e.lookup(x.Path[0].Text)
			if v == nil { // a size or a constant
				return true
			}
			t := e.ownParam(v)
			ok = ok && t != nil
			if t != nil {
				if c := fmt.Sprintf("%s: Range<0, %d>", v.name, mostDeclared(t)); !slices.Contains(clauses, c) {
					clauses = append(clauses, c)
				}
			}
		case *syntax.Call, *syntax.MethodCall, *syntax.Index, *syntax.Field, *syntax.If, *syntax.Match, *syntax.Block:
			ok = false
		}
		return ok
	})
	if !ok {
		return ""
	}
	return strings.Join(clauses, ", ")
}

// declarable is the most of the Range that rangesOf has for an expression that is one parameter.
func (e *elab) declarable(x syntax.Expr) (most int64, ok bool) {
	n, ok := unwrapped(x).(*syntax.NameExpr)
	if !ok || e.fr.d == nil || e.fr.d.fn == nil {
		return 0, false
	}
	v := e.lookup(n.Path[0].Text)
	if v == nil || e.ownParam(v) == nil {
		return 0, false
	}
	return mostDeclared(v.typ), true
}

// mostDeclared is the end of a Range of a parameter of a type that has none.
func mostDeclared(t *graph.Type) int64 { return min(1000, natural(t.Num).hi) }

// ownParam is the type of an integer parameter of the function at hand that has no Range yet; nil of other variables.
func (e *elab) ownParam(v *variable) *graph.Type {
	fn := e.fr.d.fn
	if v.mut || v.n == nil || v.typ == nil || v.typ.Kind != graph.Scalar || !types.IsInt(v.typ) {
		return nil
	}
	for _, c := range fn.Where {
		if c, ok := c.(*syntax.RangeClause); ok && c.Name.Text == v.name {
			return nil
		}
	}
	for _, p := range fn.Params {
		if p.Name.Text == v.name && p.Name.Span == v.span {
			return v.typ
		}
	}
	return nil
}
