package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// In comes a For that carries the likes of a greatest element so far and uses it in every turn, as a scan does; out goes
// one in lanes. First each lane is joined with those before it in the group, in as many steps as the number of lanes has
// bits: at step d with the lane d places before. Then all are joined with what the group before left, which alone waits
// from group to group. The bits are the same, because the operation is exact and associative. The lesser and
// greater of floats are those of their keys (see key), in which one instruction joins two.

// prefix is one carried value, and what of it is written.
type prefix struct {
	loops.Prefix
	acc    accumulator // of keys where the value is a float
	before string      // what the group before left, the same in all lanes
	behind string
}

// prefixes are the carried values of a plan.
func (p *plan) prefixes() (list []*prefix) {
	for _, x := range p.Prefixed {
		acc := accumulator{Acc: x.Acc}
		if acc.Kind.IsFloat() {
			acc.Kind = intKind(acc.Kind)
		}
		list = append(list, &prefix{Prefix: x, acc: acc})
	}
	return list
}

// writePrefixes gives whole groups of n turns to lanes, and runs the turns that are left.
func (p *plan) writePrefixes(from, to string, n int) {
	list := p.prefixes()
	var first []state
	for j, c := range p.In.Carry {
		first = append(first, state{typ{c.Kind, 1}, p.scalar(p.In.Args[2+j])})
	}
	mid := p.groupsEnd(from, to, n)
	after := p.when(p.set("icmp slt i64 %s, %s", from, mid), first, func() []string {
		size := p.stripSize(p.Body)
		end := p.strips(from, mid, size, p.Short(p.In, size), p.spread(list, first, n), func(from, to string, s []state) ([]string, string) {
			return p.loop(from, to, int64(n), s, func(i string, c []string) ([]string, string) { return p.joined(list, i, n, c), "" }), ""
		})
		return p.gathered(list, end, n)
	})
	plain := p.plain
	p.plain = true
	p.forFrom(p.In, mid, to, with(first, after))
	p.plain = plain
}

// joined writes a group and gives what it leaves.
func (p *plan) joined(list []*prefix, i string, n int, before []string) []string {
	for j, x := range list {
		x.before = before[j]
		p.running[x.Op] = x
	}
	p.group(i, n)
	var behind []string
	for _, x := range list {
		delete(p.running, x.Op)
		behind = append(behind, x.behind)
	}
	return behind
}

// spread has values in all lanes, floats as keys.
func (p *plan) spread(list []*prefix, first []state, n int) []state {
	var all []state
	for j, x := range list {
		v := p.keyOf(x, p.splat(typ{p.In.Carry[j].Kind, n}, first[j].text), n)
		all = append(all, state{typ{x.acc.Kind, n}, v})
	}
	return all
}

// gathered takes the values out of their lanes.
func (p *plan) gathered(list []*prefix, all []string, n int) []string {
	var last []string
	for j, x := range list {
		v := p.set("extractelement %s %s, i64 0", typ{x.acc.Kind, n}, all[j])
		last = append(last, p.fromKey(x, v, 1))
	}
	return last
}

// take writes the operation for a group: in each lane, all up to it.
func (x *prefix) take(e *emitter) {
	n := e.lanes
	t := typ{x.acc.Kind, n}
	v := e.keyOf(x, e.vector(x.Summand, n), n)
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
	e.give(x.Op.Out[0], e.fromKey(x, v, n), n)
}

// keyOf is a carried value as it is joined. NaN goes to the end that wins.
func (e *emitter) keyOf(x *prefix, v string, n int) string {
	if !x.Op.Kind.IsFloat() {
		return v
	}
	best := accumulator{Acc: kernel.Acc{Op: kernel.FoldArgMin, Kind: x.Op.Kind}}
	if x.acc.Op == kernel.FoldMax {
		best.Op = kernel.FoldArgMax
	}
	return e.key(best, n, v)
}

func (e *emitter) fromKey(x *prefix, v string, n int) string {
	if !x.Op.Kind.IsFloat() {
		return v
	}
	t := typ{x.Op.Kind, n}
	return e.set("bitcast %s %s to %s", t.bits(), e.flipNegative(t.bits(), v), t)
}
