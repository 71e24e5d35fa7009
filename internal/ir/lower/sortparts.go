package lower

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a sort that threads share. Out: steps that sort each part by an outer index of its own, and then merge runs of parts, two at a
// time. Invariant: the order does not tell how many parts there were: a part's slots
// are in order, and of equal keys a merge takes those of the earlier run first.
//
//	slots of part o ──► half 0 or 1 of its keys ──merge──► runs twice as long ──…──► two runs ──merge──► elements
//	                    |  2·part·o …          |           each round between two buffers, which change places

// sharing is what the launches of a shared sort have in common.
type sharing struct {
	n *graph.Node
	divided
	keys, index int // buffers; -1 where a key is the element
	sides       int // buffer: the half in which the keys of each part are in order
}

// sortShared sorts by all threads.
func (l *lowering) sortShared(n *graph.Node, out []source) error {
	return l.inParts(n, n.Args[0].Type.Size, func(of divided) error { return l.sortParts(l.sharingOf(n, of), out) }, func() error { return l.solo(n, out) })
}

// sharingOf makes the buffers of a shared sort.
func (l *lowering) sharingOf(n *graph.Node, of divided) *sharing {
	p := &sharing{n: n, divided: of, index: -1}
	both := p.part.MulConst(2).Mul(p.count)
	p.keys = l.buffer("sort:keys", unsigned(n.Blocks[0].Results[0].Type.KindOf()), both)
	if !byItself(n) {
		p.index = l.buffer("sort:slots", l.slotKind(p.slots), both)
	}
	p.sides = l.buffer("sort:halves", num.I64, p.count)
	return p
}

// sortParts makes the launches that sort parts and merge them.
func (l *lowering) sortParts(p *sharing, out []source) error {
	name := l.nameOf(p.n)
	if arg := p.n.Args[0]; !l.atHand(arg) {
		at := l.buffersFor(l.nameOf(arg), arg.Type)
		if err := l.fill(arg, at); err != nil {
			return err
		}
		l.mat[arg] = at
	}
	if err := l.kernel("sort parts of "+name, p.sort); err != nil {
		return err
	}
	if err := l.mergeRounds(p); err != nil {
		return err
	}
	return l.kernel("merge into "+name, func(k *kern) {
		m := k.merger(p, k.sizeValue(p.rounds))
		s := &sorter{k: k, n: p.n, e: k.root, src: k.node(p.n.Args[0], k.root).arr}
		dst := k.attach(p.n.Type, out, kernel.Write)
		m.merge(func(i, key, at kernel.Value) {
			inner := dst
			inner.off = i
			if m.index >= 0 {
				k.store(p.n.Type.Elem(), s.taken(k.b.Load(m.index, at)), inner)
			} else {
				k.store(p.n.Type.Elem(), s.told(key), inner)
			}
		})
	})
}

// mergeRounds makes the rounds but for the last: a loop of none for two parts.
func (l *lowering) mergeRounds(p *sharing) error {
	loop := &schedule.Loop{Number: l.s.Loops, Hi: schedule.ScalarSource{Poly: p.rounds}, Max: p.rounds, Stop: -1}
	l.s.Loops++
	outer := l.steps
	l.steps = &loop.Body
	defer func() { l.steps = outer }()
	to := l.mergedInto(p, loop)
	round := source{buffer: -1, scalar: schedule.ScalarArg{From: schedule.FromLoop, Loop: loop.Number}, lo: 0, hi: math.MaxInt64}
	err := l.kernel("merge runs of "+l.nameOf(p.n), func(k *kern) {
		m := k.merger(p, k.scalarArg(round, graph.I64Type))
		keys, index := k.region(to[0].buffer, p.slots, kernel.Write), -1
		if p.index >= 0 {
			index = k.region(to[1].buffer, p.slots, kernel.Write)
		}
		m.merge(func(i, key, at kernel.Value) {
			k.b.Store(keys, i, key)
			if index >= 0 {
				k.b.Store(index, i, k.b.Load(m.index, at))
			}
		})
	})
	if err == nil {
		*outer = append(*outer, loop)
	}
	return err
}

// mergedInto makes the buffers that a round merges into, which then change places with those it merges from.
func (l *lowering) mergedInto(p *sharing, loop *schedule.Loop) (to []source) {
	for _, b := range []int{p.keys, p.index} {
		if b >= 0 {
			like := l.s.Buffers[b]
			other := l.buffer(like.Name, like.Kind, like.Len)
			to, loop.Swap = append(to, source{buffer: other}), append(loop.Swap, [2]int{b, other})
		}
	}
	return to
}

// atHand reports an array of which launches can ask for elements again and again.
func (l *lowering) atHand(n *graph.Node) bool {
	if _, ok := l.component(n); ok {
		return true
	}
	if n.Op != graph.Map || !l.waits(n) || l.use[n].cost > 3 || l.use[n].faults {
		return false
	}
	for _, a := range n.Args {
		if !l.atHand(a) {
			return false
		}
	}
	return true
}

// sort sorts the part of an outer index.
func (p *sharing) sort(k *kern) {
	k.k.Outer, k.k.Grain, k.k.Count = k.poly(p.count), k.poly(p.part), k.poly(p.slots)
	src := k.node(p.n.Args[0], k.root).arr
	both := p.part.MulConst(2).Mul(p.count)
	s := k.sorter(p.n, k.root, src, k.lo, k.b.Wrap(num.Sub, k.hi, k.lo), p.part)
	s.keys, s.base = k.region(p.keys, both, kernel.ReadWrite), k.b.Wrap(num.Mul, k.lo, k.b.Int(2))
	if p.index >= 0 {
		s.index = k.region(p.index, both, kernel.ReadWrite)
	}
	k.b.Store(k.region(p.sides, p.count, kernel.Write), k.o, s.sort())
}
