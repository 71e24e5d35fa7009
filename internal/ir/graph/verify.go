package graph

import (
	"fmt"
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/size"
)

// Verify checks everything that a graph promises to its readers, and can run
// after any pass: each node is typed as its operation's rule says (see the
// rules in verifyscalar.go, verifyarray.go and verifyloop.go), is used only
// after it and inside of the block where it stands, every index is shown to
// be in bounds by the facts about sizes, and masked views stand only where
// slots are enough. The first thing found wrong is returned with its node.
func Verify(g *Graph) error {
	v := &verifier{
		g: g, printer: newPrinter(g), ids: map[int]*Node{}, seen: map[*Node]bool{},
		visible: map[*Node]bool{}, sizes: map[string]bool{}, runtime: map[string]bool{},
	}
	v.facts = size.Facts{Lo: maps.Clone(g.Facts.Lo), Hi: maps.Clone(g.Facts.Hi), NonNeg: slices.Clone(g.Facts.NonNeg)}
	if err := v.declare(); err != nil {
		return fmt.Errorf("graph %s: %w", g.Name, err)
	}
	if err := v.function(); err != nil {
		return fmt.Errorf("graph %s: %w", g.Name, err)
	}
	return nil
}

type verifier struct {
	g       *Graph
	printer *printer
	facts   size.Facts
	ids     map[int]*Node
	seen    map[*Node]bool // in some block already
	visible map[*Node]bool // may be used where the walk is now
	sizes   map[string]bool
	runtime map[string]bool // every run-time size defined so far
}

// declare makes the size parameters known.
func (v *verifier) declare() error {
	if v.facts.Lo == nil {
		v.facts.Lo = map[string]int64{}
	}
	if v.facts.Hi == nil {
		v.facts.Hi = map[string]int64{}
	}
	for _, s := range v.g.Sizes {
		if v.sizes[s.Name] {
			return fmt.Errorf("the size %s is declared twice", s.Name)
		}
		v.sizes[s.Name] = true
		if _, ok := v.facts.Hi[s.Name]; !ok && s.Hi > 0 {
			v.facts.Hi[s.Name] = s.Hi
		}
		v.facts.Lo[s.Name] = max(v.facts.Lo[s.Name], s.Lo)
	}
	return nil
}

// literal holds the value of a parameter to its type: a column for each leaf, as long as the
// leaf is.
func (v *verifier) literal(p *Node, columns []column.Column, given bool) error {
	leaves := Leaves(p.Type)
	switch {
	case columns == nil:
		return nil
	case given:
		return v.fail(p, "a literal comes before a parameter that is given")
	case len(columns) != len(leaves):
		return v.fail(p, "a literal of %d columns is %s", len(columns), p.Type)
	}
	for j, leaf := range leaves {
		n, known := volume(leaf.Dims).Const()
		if c := &columns[j]; !known || c.Kind != leaf.Type.KindOf() || c.Len() != n || int64(len(c.Data)) != n*int64(c.Kind.Size()) {
			return v.fail(p, "column %d of a literal has %d bytes of %s, but is %s", j, len(c.Data), c.Kind, p.Type)
		}
	}
	return nil
}

func volume(dims []size.Poly) size.Poly {
	n := size.Const(1)
	for _, d := range dims {
		n = n.Mul(d)
	}
	return n
}

func (v *verifier) function() error {
	g := v.g
	if len(g.ParamInfo) != len(g.Body.Params) {
		return fmt.Errorf("%d parameters, but %d are described", len(g.Body.Params), len(g.ParamInfo))
	}
	for i, p := range g.Body.Params {
		if err := v.literal(p, g.ParamInfo[i].Literal, i < g.Given()); err != nil {
			return err
		}
		if p.Type != nil && p.Type.anyMasked() {
			return v.fail(p, "a parameter of the function is masked")
		}
	}
	if err := v.block(nil, &g.Body); err != nil {
		return err
	}
	if len(g.Body.Results) != 1 {
		return fmt.Errorf("%d results instead of one", len(g.Body.Results))
	}
	if r := g.Body.Results[0]; r.Type.anyMasked() {
		return v.fail(r, "the result of the function is masked")
	}
	return nil
}

func (t *Type) anyMasked() bool {
	return t.Masked || slices.ContainsFunc(t.Elems, func(e *Type) bool { return e != nil && e.anyMasked() })
}

// fail is an error about a node, which it prints.
func (v *verifier) fail(n *Node, format string, args ...any) error {
	return fmt.Errorf("%s: %s", v.printer.safeLine(n), fmt.Sprintf(format, args...))
}

// safeLine prints a node that may be broken in any way.
func (p *printer) safeLine(n *Node) (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("%s = %s", p.ref(n), n.Op)
		}
	}()
	if n.Op == Param {
		return fmt.Sprintf("%s = param %s: %s", p.ref(n), n.Name, n.Type)
	}
	return p.line(n)
}

// block checks a block in a scope of its own; owner is the node it belongs
// to, nil for the function's body.
func (v *verifier) block(owner *Node, b *Block) error {
	if b == nil {
		return v.fail(owner, "a block is missing")
	}
	nodes, sizes := maps.Clone(v.visible), maps.Clone(v.sizes)
	for _, p := range b.Params {
		if err := v.param(p); err != nil {
			return err
		}
	}
	for _, n := range b.Nodes {
		if err := v.node(n); err != nil {
			return err
		}
	}
	for _, r := range b.Results {
		if r == nil || !v.visible[r] {
			return fmt.Errorf("%s is a result of a block where it is not defined", v.printer.ref(r))
		}
	}
	v.visible, v.sizes = nodes, sizes
	return nil
}

func (v *verifier) param(p *Node) error {
	if p.Op != Param {
		return v.fail(p, "stands among the parameters of a block")
	}
	if err := v.common(p); err != nil {
		return err
	}
	v.visible[p] = true
	return v.typeOf(p, p.Type)
}

func (v *verifier) node(n *Node) error {
	if n.Op == Param || n.Op == BadOp || n.Op >= ops {
		return v.fail(n, "stands among the nodes of a block")
	}
	if err := v.common(n); err != nil {
		return err
	}
	if err := v.define(n); err != nil {
		return err
	}
	if err := v.typeOf(n, n.Type); err != nil {
		return err
	}
	if err := v.polys(n); err != nil {
		return err
	}
	if len(n.Blocks) != blockCount[n.Op] {
		return v.fail(n, "has %d blocks instead of %d", len(n.Blocks), blockCount[n.Op])
	}
	for _, b := range n.Blocks {
		if err := v.block(n, b); err != nil {
			return err
		}
	}
	if err := rules[n.Op](v, n); err != nil {
		return err
	}
	v.visible[n] = true
	return nil
}

var blockCount = [ops]int{If: 2, Map: 1, Filter: 1, KeyedReduce: 1, Fold: 1, Scan: 1, Scatter: 2, Sort: 1, TopK: 1, Loop: 1}

// rules is filled at init because the rules for blocks refer back to it.
var rules [ops]func(v *verifier, n *Node) error

func init() {
	for _, set := range []map[Op]func(*verifier, *Node) error{scalarRules, arrayRules, blockRules} {
		for op, rule := range set {
			rules[op] = rule
		}
	}
}

// common is what holds for every node: an identity, a type, arguments that
// are there, a site only where one means something.
func (v *verifier) common(n *Node) error {
	if v.seen[n] {
		return v.fail(n, "stands in the graph twice")
	}
	v.seen[n] = true
	if other := v.ids[n.ID]; other != nil {
		return v.fail(n, "has the ID %d of %s", n.ID, v.printer.safeLine(other))
	}
	v.ids[n.ID] = n
	for _, a := range n.Args {
		if a == nil || !v.visible[a] {
			return v.fail(n, "uses a node that is not defined here")
		}
	}
	if n.Site < -1 || n.Site >= len(v.g.Sites) {
		return v.fail(n, "has the site %d of %d", n.Site, len(v.g.Sites))
	}
	if n.Site >= 0 && !maySite[n.Op] {
		return v.fail(n, "has a fault site but cannot fault")
	}
	return nil
}

var maySite = [ops]bool{Arith: true, Cast: true, Clamp: true, Wrap: true, Check: true, Reduce: true, KeyedReduce: true}

// define brings the run-time size of n, if it has one, into scope.
func (v *verifier) define(n *Node) error {
	if n.Defines == "" {
		if n.Op == Compact || n.Op == Limit {
			return v.fail(n, "does not name its run-time size")
		}
		return nil
	}
	switch {
	case n.Op != Compact && n.Op != Limit && n.Op != TopK:
		return v.fail(n, "defines a size")
	case v.runtime[n.Defines] || v.sizes[n.Defines]:
		return v.fail(n, "defines the size %s, which exists already", n.Defines)
	case len(n.Args) == 0 || n.Args[0].Type.Kind != Array:
		return v.fail(n, "is not of an array")
	}
	v.runtime[n.Defines], v.sizes[n.Defines] = true, true
	v.bound(n.Defines, n.Args[0].Type.Size)
	if n.Op == TopK {
		v.bound(n.Defines, n.Poly)
	}
	return nil
}

// bound notes that a run-time size is at most p.
func (v *verifier) bound(name string, p size.Poly) {
	v.facts.NonNeg = append(v.facts.NonNeg, p.Sub(size.Var(name)))
	_, hi := v.facts.Bounds(p)
	if old, ok := v.facts.Hi[name]; !ok || hi < old {
		v.facts.Hi[name] = hi
	}
}

// polys checks that the sizes n speaks of are in scope.
func (v *verifier) polys(n *Node) error {
	for _, p := range []size.Poly{n.Poly, n.MaxPoly} {
		if err := v.poly(n, p); err != nil {
			return err
		}
	}
	if needsPoly[n.Op] && !n.HasPoly {
		return v.fail(n, "has no bound")
	}
	return nil
}

var needsPoly = [ops]bool{SizeVal: true, Clamp: true, Wrap: true, Check: true, KeyedReduce: true, TopK: true}

func (v *verifier) poly(n *Node, p size.Poly) error {
	if p.Overflowed() {
		return v.fail(n, "has a size that is too large to compute")
	}
	for _, name := range p.Vars() {
		if !v.sizes[name] {
			return v.fail(n, "uses the size %s, which is not defined here", name)
		}
	}
	return nil
}
