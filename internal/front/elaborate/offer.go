package elaborate

import (
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/pattern"
)

// Offers are the lines of a help that can be followed to the letter. A test
// of package docs does so for an example of every code.

// writable reports that a condition on these sizes can be written: all their
// variables have names in the source.
func writable(sizes ...size.Poly) bool {
	for _, p := range sizes {
		for _, v := range p.Vars() {
			if isDynamic(v) || strings.HasPrefix(v, "len(") || strings.HasPrefix(v, "dict(") {
				return false
			}
		}
	}
	return true
}

// declare offers a condition for the where clause, or something else where
// that cannot be written.
func declare(intro, clause, otherwise string, sizes ...size.Poly) string {
	switch {
	case writable(sizes...):
		return intro + ":\nwhere " + clause
	case otherwise != "":
		return otherwise
	}
	for _, p := range sizes {
		for _, v := range p.Vars() {
			if isDynamic(v) {
				return "the number of elements is known only at run time: use an operation that takes any number"
			}
		}
	}
	return "give the size a name where the array is declared, as in v: &[f32; N], and say so there"
}

// sizeText is a size in words that mean something to a reader: run-time sizes
// have no names of their own.
func sizeText(p size.Poly, array string) string {
	if name, ok := p.IsVar(); ok && isDynamic(name) {
		return strings.TrimSpace("the number of elements of " + array)
	}
	return p.String()
}

// indexText is what an index into n elements of an array has to be.
func indexText(n size.Poly, array string) string {
	if writable(n) {
		return "idx<" + n.String() + ">"
	}
	return "an index below " + sizeText(n, array)
}

// factorsHelp offers bounds for the sizes of an expression that would be a
// size if it were known to be small enough, or "".
func (e *elab) factorsHelp(x syntax.Expr) string {
	var names []string
	ok := true
	visit(x, func(x any) bool {
		switch x := x.(type) {
		case *syntax.NameExpr:
			if _, isSize := e.fr.sizes[x.Path[0].Text]; !isSize {
				ok = false
			} else if !slices.Contains(names, x.Path[0].Text) {
				names = append(names, x.Path[0].Text)
			}
		case *syntax.Call, *syntax.MethodCall, *syntax.Index, *syntax.If, *syntax.Match, *syntax.Block:
			ok = false
		}
		return ok
	})
	if !ok || len(names) < 2 {
		return ""
	}
	return "declare that it is at most 2^40:\nwhere " + strings.Join(names, " <= 1_000, ") + " <= 1_000"
}

// letMut offers to declare a variable as one that changes.
func (e *elab) letMut(name string) string {
	if f := e.fr.d; f != nil && f.fn != nil {
		body := e.text(f.fn.Body.Span)
		for _, end := range []string{" ", ":", "="} {
			if strings.Contains(body, "let "+name+end) {
				return "write `let mut " + name + "` for `let " + name + "`"
			}
		}
	}
	return "begin with a variable of its own: let mut " + name + " = " + name + ";"
}

// namedPattern is a tuple pattern for t with the names that are there.
func (e *elab) namedPattern(t *graph.Type, given []syntax.Pattern) string {
	if t.Kind != graph.Tuple {
		return "x"
	}
	used, names := map[string]bool{}, make([]string, len(t.Elems))
	for i := range names {
		if i < len(given) {
			names[i] = e.text(given[i].Where())
			used[names[i]] = true
		}
	}
	next := 'a'
	for i := range names {
		for names[i] == "" {
			if c := string(next); !used[c] {
				names[i] = c
			}
			next++
		}
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// callWith is a call's text with one argument replaced, and more at the end.
func (e *elab) callWith(x *syntax.Call, name string, at int, text string) string {
	args := make([]string, len(x.Args))
	for i, a := range x.Args {
		if args[i] = e.text(a.Where()); i == at {
			args[i] = text
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// isPlain reports text that a method call may follow as it stands: a name, a
// number, or something in brackets behind one.
func isPlain(text string) bool {
	depth := 0
	for i, c := range text {
		switch {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth > 0 || c == '.' && i > 0:
		case !strings.ContainsRune("_:", c) && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80:
			return false
		}
	}
	return depth == 0
}

// wrapped offers an operation that wraps around in place of one that faults.
func (e *elab) wrapped(x syntax.Expr, k num.Kind) string {
	if b, ok := x.(*syntax.Binary); ok {
		if op := map[syntax.Token]string{syntax.Plus: "+%", syntax.Minus: "-%", syntax.Star: "*%"}[b.Op]; op != "" {
			if k.Bits() == 64 {
				return "no integer type is wider; wrap around: " + e.text(b.X.Where()) + " " + op + " " + e.text(b.Y.Where())
			}
			return "use a wider type, or wrap around: " + e.text(b.X.Where()) + " " + op + " " + e.text(b.Y.Where())
		}
	}
	return "use a wider type, or +% -% *% to wrap around"
}

// fold offers to fold an array of a size that is known only at run time.
func (e *elab) folded(t *graph.Type, at string) string {
	if t != nil && t.Kind == graph.Array && t.Elem().IsScalar() && t.Elem().Kind == graph.Scalar && t.Elem().Num != num.Bool {
		return "fold the inner array to a value of fixed size:\n" + at + ".sum()"
	}
	return "fold the inner array to a value of fixed size:\n" + at + ".len()"
}

// declareResult offers a type for the one that was wanted: of the function's
// result, if it is that.
func (e *elab) declareResult(want *graph.Type, found string) string {
	if d := e.fr.d; d != nil && d.fn != nil && d.fn.Result != nil {
		if text := d.src.Text[d.fn.Result.Where().Start:d.fn.Result.Where().End]; bare(text) == bare(e.show(want)) {
			return "write `-> " + found + "` for `-> " + text + "`"
		}
	}
	return "declare it so: " + found
}

// bare is a type's text without blanks and the names of sizes that are found at run time.
func bare(text string) string {
	return runTimeSize().ReplaceAllString(strings.Join(strings.Fields(text), ""), "?")
}

var runTimeSize = pattern.Of(`\?\w+`)

// compared is a comparison of elements, for one of arrays.
func (e *elab) compared(x *syntax.Binary, a, b *graph.Type) string {
	switch {
	case b.Kind != graph.Array:
		return e.operand(x.X) + ".map(|e| e " + x.Op.String() + " " + e.operand(x.Y) + ")"
	case a.Kind != graph.Array:
		return e.operand(x.Y) + ".map(|e| " + e.operand(x.X) + " " + x.Op.String() + " e)"
	}
	return e.operand(x.X) + ".zip(" + e.text(x.Y.Where()) + ").all(|(a, b)| a " + x.Op.String() + " b)"
}

// someSize is a size to offer where the source does not say which: the only
// one there is, or a number.
func (e *elab) someSize() string {
	if len(e.fr.sizes) == 1 {
		for name := range e.fr.sizes {
			return name
		}
	}
	return "8"
}

// numbersInstead offers to make the element looked up a number if what .or()
// gives has just been reported to be no index. Only that one is converted:
// to convert the array first would, in a closure, pass over it every time.
func (e *elab) numbersInstead(reported int, c *methodUse) {
	all := e.msgs.Messages
	get, ok := c.x.Receiver.(*syntax.MethodCall)
	if !ok || get.Name.Text != "get" || len(all) != reported+1 || all[reported].Code != "B02" {
		return
	}
	message{all[reported], e.g}.Help("make what was looked up a number:\n%s.get(%s).map(|e| e as i64).or(%s)", e.operand(get.Receiver), e.argText(get), e.argText(c.x))
}
