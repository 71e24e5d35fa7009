package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// maxLanes is the greatest number of turns side by side.
const maxLanes = 128

// weight is what there is to compute side by side.
type weight struct {
	bySize [9]int // operations on values of so many bytes; those in loops count more
	loops  bool
	turns  bool // loops that are not written out
	data   int  // values that vary freely
}

func (p *plan) weigh() *weight {
	w := &weight{}
	for i := range p.body.Instrs {
		if in := &p.body.Instrs[i]; !p.single[in] {
			w.add(p, in, 1)
		}
	}
	return w
}

func (w *weight) add(p *plan, in *kernel.Instr, times int) {
	if isLoop(in) {
		w.loops, times = true, min(p.likelyTurns(in)*times, math.MaxInt32)
		w.turns = w.turns || !p.isWrittenOut(in)
	}
	for i := range in.Blocks {
		for j := range in.Blocks[i].Instrs {
			w.add(p, &in.Blocks[i].Instrs[j], times)
		}
	}
	if in.Code == kernel.Store {
		w.bySize[p.k.Regions[in.Region].Elem.Size()] += times
		w.data++
	}
	for _, v := range in.Out {
		if p.shapes[v] == varying {
			w.data++
			if k := p.kind(v); k != num.Bool {
				w.bySize[k.Size()] += times
			}
		}
	}
}

// likelyTurns is a guess, unless a loop is written out.
func (p *plan) likelyTurns(in *kernel.Instr) int {
	if n, ok := p.maxTurns(in); ok && p.isWrittenOut(in) {
		return int(n)
	}
	return 16
}

// work is the number of operations in one turn.
func (w *weight) work() int {
	all := 0
	for _, n := range w.bySize {
		all += n
	}
	return all
}

// size is that of most values; of two, the wider.
func (w *weight) size() int {
	best := 1
	for s, n := range w.bySize {
		if n >= w.bySize[best] && n > 0 {
			best = s
		}
	}
	return best
}

// mostWork bounds the operations on vectors in a turn of a loop: longer code
// gains nothing by going over several vectors.
const mostWork = 512

// vectors is how many vectors suit a straight loop: one for a nested loop,
// which may be short, and several for a loop over many slots, as long as
// registers suffice. Loops inside that are written out are straight, too; the
// long chains of their sums are the more in need of others beside them.
func (p *plan) vectors(w *weight) int {
	n := 1
	if p.overSlots() && !w.turns {
		switch {
		case w.data <= fewValues:
			n = 4
		case w.data <= 60 && !w.loops && len(p.single) == 0:
			n = max(2, p.chains(w))
		case w.data <= 60:
			n = 2
		}
	}
	for n > 1 && n*w.work() > mostWork {
		n /= 2
	}
	return n
}

// lanesFor is the number of turns side by side, 0 if there are not enough.
func (p *plan) lanesFor(w *weight) int {
	n := p.vectors(w) * p.t.VectorBytes / w.size()
	n = min(n, p.limit)
	if len(p.prefixed) > 0 {
		n = p.prefixLanes(n)
	}
	if most, ok := p.maxTurns(p.in); ok {
		for int64(n) > most {
			n /= 2
		}
	}
	for p.met != nil && int64(n) > p.met.closest {
		n /= 2
	}
	if n < 2 {
		return 0
	}
	return n
}

// overSlots reports that the loop goes over slots, which are many.
func (p *plan) overSlots() bool {
	params := p.k.Body.Params
	return p.in.Args[0] == params[1] && p.in.Args[1] == params[2]
}

// shortOnly lists the loops inside that would better be computed side by side
// themselves, if they are long; ok is false if they are.
func (p *plan) shortOnly() (check []*kernel.Instr, ok bool) {
	ok = true
	for i := range p.body.Instrs {
		if top := &p.body.Instrs[i]; !p.single[top] {
			each(top, func(in *kernel.Instr) {
				if !isLoop(in) || !innermost(&in.Blocks[0]) || !p.consecutive(in) || p.short(in, shortTurns(in)) || p.isConst(in) && p.short(in, unrolled) {
					return
				}
				check = append(check, in)
				first := p.body.Params[0]
				ok = ok && in.Args[0] < first && in.Args[1] < first && !p.isConst(in)
			})
		}
	}
	return check, ok
}

func (p *plan) isConst(in *kernel.Instr) bool {
	_, lo := p.constInt(in.Args[0])
	_, hi := p.constInt(in.Args[1])
	return lo && hi
}

// shortTurns is the number of turns up to which a loop counts as short: a fold
// in canonical order has one slot in each lane at most.
func shortTurns(in *kernel.Instr) int64 {
	n := int64(unrolled)
	for _, a := range in.Accs {
		if a.Op.IsOrdered(a.Kind) {
			n = min(n, int64(num.Lanes(a.Kind)))
		}
	}
	return n
}

// consecutive reports that a loop loads or stores one element after another.
func (e *emitter) consecutive(in *kernel.Instr) bool {
	found := false
	each(in, func(x *kernel.Instr) {
		if x.Code == kernel.Load || x.Code == kernel.Store {
			found = found || e.stepsBy1(x.Args[0], in.Blocks[0].Params[0])
		}
	})
	return found
}
