package loops

import (
	"math"
	"math/bits"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: what of a loop can be computed side by side. Out: for how many iterations. A processor looks only some hundred
// instructions ahead. If those are one long chain after another, it waits for each operation's result; chains side by
// side in the text fill that time. They may be as many as keep their values in registers; constants come from memory where
// registers are short.

const (
	// leastWork is how many values must be computed side by side to make up for taking them apart again.
	leastWork = 3
	// shadow is the number of operations up to which a processor has done them when an element has gone through a short
	// chain of operations to the next iteration.
	shadow = 16
	// mostWork bounds the operations on vectors in an iteration: longer code gains nothing by going over several vectors.
	mostWork = 512
	// division is how many operations a processor without one on vectors takes for an integer division: each lane is taken out,
	// divided and put back.
	division = 64
	// fewValues is up to how many values an iteration is no long chain.
	fewValues = 12
	// someValues is up to how many an iteration is written for several vectors.
	someValues = 60
	// mostVectors are enough for the longest waits: 4 operations at once, each 4 cycles long, in pairs.
	mostVectors = 8
	// leastPrefix is the least number of lanes that makes up for the steps in which a scan is joined within them.
	leastPrefix = 4
	// rowVectors is how many vectors a fold that needs no order goes over, to have several combinations going on at once.
	rowVectors = 4
)

// Work is what there is to compute side by side.
type Work struct {
	bySize [9]int // operations on values of so many bytes; those in loops count more
	apart  int    // and what divisions of integers take beside
	Loops  bool
	Turns  bool // loops that are not written out
	Data   int  // values that vary freely
}

func (p *Plan) weigh() {
	p.Work = &Work{}
	for i := range p.Body.Instrs {
		if in := &p.Body.Instrs[i]; !p.Single[in] {
			p.Work.add(p, in, 1)
		}
	}
	p.Width = p.Work.width()
}

func (w *Work) add(p *Plan, in *kernel.Instr, times int) {
	if IsLoop(in) {
		w.Loops, times = true, min(p.Of.likely(in)*times, math.MaxInt32)
		w.Turns = w.Turns || !p.Of.IsWrittenOut(in)
	}
	for i := range in.Blocks {
		for j := range in.Blocks[i].Instrs {
			w.add(p, &in.Blocks[i].Instrs[j], times)
		}
	}
	if in.Code == kernel.Store {
		w.bySize[p.Of.K.Regions[in.Region].Elem.Size()] += times
		w.Data++
	}
	if p.divides(in) {
		w.apart += times * (division - 1)
	}
	for _, v := range in.Out {
		if p.Shapes[v] == Varying {
			w.Data++
			if k := p.Of.Kinds[v]; k != num.Bool {
				w.bySize[k.Size()] += times
			}
		}
	}
}

// LeastQuotient is the least width of vectors, in bytes, in which integers of 8 bytes are divided by a constant in lanes. Vectors of 16 have two
// such lanes, for which that is no faster than one by one.
const LeastQuotient = 32

// divides reports an integer division that lanes do one by one. One by a constant is a multiplication, of 8 bytes in wide vectors.
func (p *Plan) divides(in *kernel.Instr) bool {
	if in.Code != kernel.Arith || in.Op != num.Div && in.Op != num.Rem || !in.Kind.IsInt() || p.Shapes[in.Out[0]] != Varying {
		return false
	}
	_, constant := p.Of.Const(in.Args[1])
	return !constant || in.Kind.Size() == 8 && p.Of.Engine.Bytes < LeastQuotient
}

// likely is a guess, unless a loop is written out.
func (a *Analysis) likely(in *kernel.Instr) int {
	if n, ok := a.Length(in); ok && a.IsWrittenOut(in) {
		return int(n)
	}
	return Likely
}

// All is the number of operations in one iteration.
func (w *Work) All() int {
	all := w.apart
	for _, n := range w.bySize {
		all += n
	}
	return all
}

// width is that of most values; of two, the wider.
func (w *Work) width() int {
	best := 1
	for s, n := range w.bySize {
		if n >= w.bySize[best] && n > 0 {
			best = s
		}
	}
	return best
}

// vectors is how many vectors suit a straight loop: one for a nested loop, which may be short, and several for a loop over many
// slots, as long as registers suffice. Loops inside that are written out are straight, too; the long chains of their sums are
// the more in need of others beside them.
func (p *Plan) vectors() int {
	n, w := 1, p.Work
	if p.Of.OverSlots(p.In) && !w.Turns {
		switch {
		case w.Data <= fewValues:
			n = 4
		case w.Data <= someValues && !w.Loops && len(p.Single) == 0:
			n = max(2, p.chains())
		case w.Data <= someValues:
			n = 2
		}
	}
	for n > 1 && n*w.All() > mostWork {
		n /= 2
	}
	return n
}

// lanes is the number of iterations side by side, 0 if there are not enough.
func (p *Plan) lanes() int {
	n := p.bounded(p.vectors() * p.Of.Engine.Bytes / p.Width)
	if len(p.Prefixed) > 0 {
		n = p.prefixLanes(n)
	}
	for p.Meet != nil && int64(n) > p.Meet.Closest {
		n /= 2
	}
	if n < 2 {
		return 0
	}
	return n
}

// prefixLanes is a vector of the widest carried value: more lanes would take more steps.
func (p *Plan) prefixLanes(n int) int {
	for _, x := range p.Prefixed {
		n = min(n, p.Of.Engine.Bytes/x.Kind.Size())
	}
	if n < leastPrefix {
		return 0
	}
	return n
}

// Steps is in how many steps a group of lanes is joined, or turned around: as many as their number has bits.
func (p *Plan) Steps() int { return bits.Len(uint(p.Lanes)) - 1 }

// bounded brings a number of lanes below the number of iterations.
func (p *Plan) bounded(n int) int {
	n = min(n, p.Of.Engine.MostLanes)
	if most, ok := p.Of.Most(p.In); ok {
		for int64(n) > most {
			n /= 2
		}
	}
	return n
}

// unordered is how many slots of a fold without a canonical order go side by side.
func (p *Plan) unordered() int {
	w := *p.Work
	for i, acc := range p.In.Accs {
		if k, ok := p.NarrowLanes(acc, p.Body.Results[i]); ok {
			w.bySize[acc.Kind.Size()]--
			w.bySize[k.Size()]++
		}
	}
	p.Width = w.width()
	n := p.bounded(rowVectors * p.Of.Engine.Bytes / p.Width)
	for n > p.Of.Engine.Bytes/8 && w.across(n, p.Of.Engine.Bytes) > mostWork {
		n /= 2
	}
	return n
}

// across is the number of operations on vectors of some bytes for n lanes: values that are wider than others take more of them.
func (w *Work) across(n, bytes int) int {
	all := w.apart * max(1, n*8/bytes)
	for size, times := range w.bySize {
		all += times * max(1, n*size/bytes)
	}
	return all
}

// lanesOf is the number of lanes of an accumulator in canonical order.
func lanesOf(a kernel.Acc) int { return num.Lanes(a.Kind) }

// NarrowLanes is a kind narrower than an integer sum's in which the sum over a leaf of these values fits, and which is no
// narrower than what the body loads: such lanes would only have to be packed.
func (p *Plan) NarrowLanes(a kernel.Acc, v kernel.Value) (num.Kind, bool) {
	if a.Op != kernel.FoldAdd && a.Op != kernel.FoldAddWide || !a.Kind.IsInt() {
		return 0, false
	}
	least := 8
	for _, x := range p.Access {
		least = min(least, p.Of.K.Regions[x.In.Region].Elem.Size())
	}
	of := p.Of.Bounds(v)
	for _, k := range []num.Kind{num.I16, num.I32} {
		if k.Size() >= least && k.Size() < a.Kind.Size() && of.Within(Span{k.MinInt() / num.Leaf, int64(k.MaxInt()) / num.Leaf}) {
			return k, true
		}
	}
	return 0, false
}

// chains is how many vectors of iterations fit into registers side by side.
func (p *Plan) chains() int {
	n := 1
	for most := p.alive(p.Width); n < mostVectors && 2*n*most <= p.Of.Engine.Registers; {
		n *= 2
	}
	return n
}

// alive is the greatest number of registers that the values which vary between lanes need at one time, in the order of the body,
// where a vector of values of unit bytes needs one.
func (p *Plan) alive(unit int) int {
	last := map[kernel.Value]int{}
	for i := range p.Body.Instrs {
		for _, v := range p.Body.Instrs[i].Args {
			last[v] = i
		}
	}
	now, most := 0, 0
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		ends := map[kernel.Value]bool{}
		for _, v := range in.Args {
			if last[v] == i && v > p.Body.Params[0] && !ends[v] {
				now -= p.registers(v, unit)
				ends[v] = true
			}
		}
		for _, v := range in.Out {
			if _, used := last[v]; used {
				now += p.registers(v, unit)
			}
		}
		most = max(most, now)
	}
	return most
}

func (p *Plan) registers(v kernel.Value, unit int) int {
	if p.Shapes[v] != Varying {
		return 0
	}
	if p.Of.Kinds[v] == num.Bool {
		return 1
	}
	return max(1, p.Of.Kinds[v].Size()/unit)
}
