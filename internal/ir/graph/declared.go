package graph

import (
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
)

// In: a type of a graph. Out: its text as a program declares it, for people. Inside of a graph, sizes that only a run knows have
// numbers, as ?5, which no program can write. Here each is `?M <= N`, with a letter that is no other size's name.

// Declared is the text of one type.
func (g *Graph) Declared(t *Type) string { return g.Declarer().Type(t) }

// Declarer writes several types in which the same size has the same name.
func (g *Graph) Declarer() *Declarer { return &Declarer{g: g, names: map[string]string{}} }

// Declarer gives names to the sizes that only a run knows.
type Declarer struct {
	g     *Graph
	names map[string]string // by the number that the graph has for it
	given int               // how many letters have been looked at
}

// Type writes a type.
func (d *Declarer) Type(t *Type) string { return t.text(d) }

// Size writes a size; one that only a run knows by its name.
func (d *Declarer) Size(p size.Poly) string {
	return p.Subst(func(name string) (size.Poly, bool) { return size.Var(d.name(name)), onlyRun(name) }).String()
}

// dim writes the size of an array; "" if nothing that bounds it can be written: then the array is a [T].
func (d *Declarer) dim(t *Type) string {
	name, plain := t.Size.IsVar()
	switch {
	case t.Masked:
		if bound := d.g.written(t.Size); bound != "" {
			return d.letter() + " <= " + bound
		}
		return ""
	case !plain || !onlyRun(name):
		return d.Size(t.Size)
	}
	if bound := d.g.bound(name); bound != "" {
		return d.name(name) + " <= " + bound
	}
	return ""
}

func (d *Declarer) name(of string) string {
	if !onlyRun(of) {
		return of
	}
	if d.names[of] == "" {
		d.names[of] = d.letter()
	}
	return d.names[of]
}

// letter gives a name that nothing has yet.
func (d *Declarer) letter() string {
	const letters = "MKPQRSTUVW"
	for {
		round, i := d.given/len(letters), d.given%len(letters)
		name := letters[i:i+1] + strings.Repeat("_", round)
		d.given++
		if !slices.ContainsFunc(d.g.Sizes, func(s SizeParam) bool { return s.Name == name }) {
			return "?" + name
		}
	}
}

// bound is what a size that only the run knows is at most, in names of the program.
func (g *Graph) bound(name string) string {
	for _, f := range g.Facts.NonNeg {
		if b := f.Add(size.Var(name)); !slices.Contains(b.Vars(), name) {
			if text := g.written(b); text != "" {
				return text
			}
		}
	}
	return ""
}

// written is a size, or what it is at most, in names of the program; "" if that has none.
func (g *Graph) written(p size.Poly) string {
	for _, name := range p.Vars() {
		if writable(name) {
			continue
		}
		c, rest, ok := p.Linear(name)
		more, bounded := g.plainBound(name)
		if !ok || !c.Positive() || !bounded {
			return ""
		}
		p = rest.Add(c.Mul(more))
	}
	return p.String()
}

// plainBound is a bound of a size that cannot be written, in sizes that can.
func (g *Graph) plainBound(name string) (size.Poly, bool) {
	for _, f := range g.Facts.NonNeg {
		if b := f.Add(size.Var(name)); !slices.ContainsFunc(b.Vars(), func(v string) bool { return !writable(v) }) {
			return b, true
		}
	}
	return size.Poly{}, false
}

// onlyRun reports that a size is found while a program runs: it has a number for a name.
func onlyRun(name string) bool { return strings.HasPrefix(name, "?") }

// writable reports that a program can name a size: one of a text's dictionary, or of an array whose size has no name, is
// dict(…) or len(…).
func writable(name string) bool { return !onlyRun(name) && !strings.Contains(name, "(") }
