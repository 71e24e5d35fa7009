package cost

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: a loop. Out: how often its body runs, and whether its turns go side by side in vectors.
// Both engines compute turns so where nothing is carried from one to the next; the rule here is what their
// emitters have in common, since asking them takes longer than many a kernel runs.

// loop counts a For or Fold that is entered n times.
func (w *walker) loop(in *kernel.Instr, n float64, depth int) {
	b, lo, hi := &in.Blocks[0], w.known[in.Args[0]], w.known[in.Args[1]]
	turns := hi.mid - lo.mid
	if math.IsNaN(turns) {
		turns, w.m.Guessed = guess, true
	}
	if turns = math.Max(turns, 0); in.Stop {
		turns, w.m.Guessed = turns/2, true
	}
	counter := sum(lo.stride, make([]float64, depth), 1)[:depth]
	w.known[b.Params[0]] = known{mid: lo.mid + turns/2, stride: append(counter, 1), data: lo.data, carried: lo.carried, depth: lo.depth}
	if in.Code == kernel.For {
		byCarried := loadsBy(b, b.Params[1:])
		for i, p := range b.Params[1:] {
			w.known[p] = known{mid: math.NaN(), data: true, carried: byCarried, depth: depth, beside: goesOn(w.k, b, p, b.Results[i])}
		}
	}
	w.turns(in, n, turns, depth)
	for i, v := range in.Out {
		w.known[v] = known{mid: math.NaN(), data: true, depth: depth - 1}
		if in.Code == kernel.For {
			w.known[v] = known{mid: math.NaN(), data: true, depth: depth - 1, carried: w.known[b.Params[1+i]].carried}
		}
	}
}

// turns counts the body of a loop, and what keeps it going.
func (w *walker) turns(in *kernel.Instr, n, turns float64, depth int) {
	b, lanes, side, all := &in.Blocks[0], w.lanes, w.side, n*turns
	if w.lanes == 0 && w.sideBySide(in, turns) {
		w.lanes, w.side = w.vector/float64(w.widest(b)), depth
	}
	switch {
	case lanes > 0: // inside of turns that go side by side
		w.add(Enter, n/lanes, false)
		w.add(Turn, all/lanes, false)
	case w.lanes > 0:
		w.add(Enter, n, true)
		w.add(Turn, all/w.lanes, true)
	default:
		w.add(Enter, n, false)
		w.add(Turn, all, false)
	}
	w.block(b, all, depth+1)
	for _, a := range in.Accs {
		if a.Op.IsOrdered(a.Kind) {
			w.values(Lane, all, a.Kind)
		} else {
			w.values(Simple, all, a.Kind)
		}
	}
	if len(in.Carry) > 0 {
		steps := chain(w.k, b, b.Params[1:], b.Results) * all
		if w.lanes > 0 {
			steps /= w.lanes
		}
		w.m.Chain += steps
	}
	w.lanes, w.side = lanes, side
}

// sideBySide reports that turns of a loop are computed in vectors: nothing goes from one to the next but
// by a fold, and there is no loop inside.
func (w *walker) sideBySide(in *kernel.Instr, turns float64) bool {
	if in.Stop || in.Tree || len(in.Carry) > 0 || turns < w.vector/8 {
		return false
	}
	return w.flat(&in.Blocks[0])
}

func (w *walker) flat(b *kernel.Block) bool {
	for i := range b.Instrs {
		switch in := &b.Instrs[i]; {
		case isLoop(in):
			return false
		case in.Code == kernel.If:
			if !w.vectors.Branches || !w.flat(&in.Blocks[0]) || !w.flat(&in.Blocks[1]) {
				return false
			}
		case w.vectors.Has != nil && !w.vectors.Has(in):
			return false
		}
	}
	return true
}

// widest is the size of the widest values that a block computes, in bytes: as many go side by side as it allows.
func (w *walker) widest(b *kernel.Block) int {
	most := 1
	for i := range b.Instrs {
		in := &b.Instrs[i]
		for _, v := range in.Out {
			if in.Code == kernel.Load || in.Code == kernel.Arith && w.kinds[v].IsFloat() {
				most = max(most, w.kinds[v].Size())
			}
		}
	}
	return most
}

// loadsBy reports that the place of a load depends on some of these values.
func loadsBy(b *kernel.Block, from []kernel.Value) bool {
	depends := map[kernel.Value]bool{}
	for _, v := range from {
		depends[v] = true
	}
	found := false
	var walk func(b *kernel.Block)
	walk = func(b *kernel.Block) {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			d := slices.ContainsFunc(in.Args, func(v kernel.Value) bool { return depends[v] })
			found = found || d && in.Code == kernel.Load
			for j := range in.Blocks {
				walk(&in.Blocks[j])
				d = d || slices.ContainsFunc(in.Blocks[j].Results, func(v kernel.Value) bool { return depends[v] })
			}
			for _, v := range in.Out {
				depends[v] = depends[v] || d
			}
		}
	}
	walk(b)
	return found
}
