package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a For that carries the likes of a greatest element so far and uses it in every turn, as a scan does; out goes
// one in lanes. First each lane is joined with those before it in the group, in as many steps as the number of lanes has
// bits: at step d with the lane d places before. Then all are joined with what the group before left, which alone waits
// from group to group. The bits are the same, because the operation is exact and associative. The lesser and
// greater of floats are those of their keys (see key), in which one instruction joins two.

// leastPrefix is the least number of lanes that makes up for the steps.
const leastPrefix = 4

// prefix is one carried value with the operation of the body that gives the next.
type prefix struct {
	acc     accumulator // of keys where the value is a float
	op      *kernel.Instr
	summand kernel.Value
	before  string // what the group before left, the same in all lanes
	behind  string
}

// prefixes are the operations by which a loop carries its values.
func (e *emitter) prefixes(in *kernel.Instr) ([]*prefix, bool) {
	b := &in.Blocks[0]
	var list []*prefix
	for j, c := range in.Carry {
		param := b.Params[1+j]
		op := e.def[b.Results[j]]
		if op == nil || !onlyUse(b, param, op) || slices.ContainsFunc(list, func(p *prefix) bool { return p.op == op }) {
			return nil, false
		}
		if op.Code != kernel.Arith || len(op.Args) != 2 || op.Site != kernel.NoSite || op.Kind != c.Kind || c.Kind == num.Bool || op.Args[0] == op.Args[1] {
			return nil, false
		}
		a, ok := exactly(op)
		at := slices.Index(op.Args, param)
		if !ok || at < 0 || op.Op.IsCompare() || a.Op.IsOrdered(a.Kind) {
			return nil, false
		}
		list = append(list, &prefix{acc: keyed(a), op: op, summand: op.Args[1-at]})
	}
	return list, true
}

// keyed is the accumulator that joins the keys of floats.
func keyed(a accumulator) accumulator {
	if a.Kind.IsFloat() {
		a.Kind = intKind(a.Kind)
	}
	return a
}

// examinePrefixes finds a plan for a loop that carries such values. Elements that lie one behind the other must be among
// what it loads or stores.
func (e *emitter) examinePrefixes(in *kernel.Instr) (*plan, bool) {
	list, ok := e.prefixes(in)
	if !ok || !innermost(&in.Blocks[0]) || !e.consecutive(in) {
		return nil, false
	}
	p := e.planOf(in, nil)
	p.prefixed = list
	return p, len(p.single) == 0
}

// prefixLanes is a vector of the widest carried value: more lanes would take more steps.
func (p *plan) prefixLanes(n int) int {
	for _, x := range p.prefixed {
		n = min(n, p.t.VectorBytes/x.acc.Kind.Size())
	}
	if n < leastPrefix {
		return 0
	}
	return n
}

// writePrefixes gives whole groups of n turns to lanes, and runs the turns that are left.
func (p *plan) writePrefixes(from, to string, n int) {
	var first []state
	for j, c := range p.in.Carry {
		first = append(first, state{typ{c.Kind, 1}, p.scalar(p.in.Args[2+j])})
	}
	mid := p.groupsEnd(from, to, n)
	after := p.when(p.set("icmp slt i64 %s, %s", from, mid), first, func() []string {
		size := p.stripSize(p.body)
		end := p.strips(from, mid, size, p.short(p.in, size), p.spread(first, n), func(from, to string, s []state) ([]string, string) {
			return p.loop(from, to, int64(n), s, func(i string, c []string) ([]string, string) { return p.joined(i, n, c), "" }), ""
		})
		return p.gathered(end, n)
	})
	plain := p.plain
	p.plain = true
	p.forFrom(p.in, mid, to, with(first, after))
	p.plain = plain
}

// joined writes a group and gives what it leaves.
func (p *plan) joined(i string, n int, before []string) []string {
	for j, x := range p.prefixed {
		x.before = before[j]
		p.running[x.op] = x
	}
	p.group(i, n)
	var behind []string
	for _, x := range p.prefixed {
		delete(p.running, x.op)
		behind = append(behind, x.behind)
	}
	return behind
}

// spread has values in all lanes, floats as keys.
func (p *plan) spread(first []state, n int) []state {
	var all []state
	for j, x := range p.prefixed {
		v := p.keyOf(x, p.splat(typ{p.in.Carry[j].Kind, n}, first[j].text), n)
		all = append(all, state{typ{x.acc.Kind, n}, v})
	}
	return all
}

// gathered takes the values out of their lanes.
func (p *plan) gathered(all []string, n int) []string {
	var last []string
	for j, x := range p.prefixed {
		v := p.set("extractelement %s %s, i64 0", typ{x.acc.Kind, n}, all[j])
		last = append(last, p.fromKey(x, v, 1))
	}
	return last
}

// take writes the operation for a group: in each lane, all up to it.
func (x *prefix) take(e *emitter) {
	n := e.lanes
	t := typ{x.acc.Kind, n}
	v := e.keyOf(x, e.vector(x.summand, n), n)
	id := t.constant(x.acc.Op.Identity(t.kind, 0)[0])
	for d := 1; d < n; d *= 2 {
		lanes := make([]int, n)
		for i := range lanes {
			lanes[i] = i + n - d // the lanes of id stand before those of v
		}
		earlier := e.set("shufflevector %s %s, %s %s, %s", t, id, t, v, mask(lanes))
		v = e.combine(x.acc, n, []string{v}, []string{earlier})[0]
	}
	last := make([]int, n)
	for i := range last {
		last[i] = n - 1
	}
	whole := e.set("shufflevector %s %s, %s poison, %s", t, v, t, mask(last))
	x.behind = e.combine(x.acc, n, []string{x.before}, []string{whole})[0]
	v = e.combine(x.acc, n, []string{x.before}, []string{v})[0]
	e.give(x.op.Out[0], e.fromKey(x, v, n), n)
}

// keyOf is a carried value as it is joined. NaN goes to the end that wins.
func (e *emitter) keyOf(x *prefix, v string, n int) string {
	if !x.op.Kind.IsFloat() {
		return v
	}
	best := accumulator{Acc: kernel.Acc{Op: kernel.FoldArgMin, Kind: x.op.Kind}}
	if x.acc.Op == kernel.FoldMax {
		best.Op = kernel.FoldArgMax
	}
	return e.key(best, n, v)
}

func (e *emitter) fromKey(x *prefix, v string, n int) string {
	if !x.op.Kind.IsFloat() {
		return v
	}
	t := typ{x.op.Kind, n}
	return e.set("bitcast %s %s to %s", t.bits(), e.flipNegative(t.bits(), v), t)
}
