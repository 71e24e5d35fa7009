package cost

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop. Out: how often its body runs, and whether its iterations go side by side, which package loops knows: emitters
// write what it plans.

// loop counts a For or Fold that is entered n times.
func (w *walker) loop(in *kernel.Instr, n float64, depth int) {
	b, lo := &in.Blocks[0], w.known[in.Args[0]]
	turns, sure := w.count(in)
	if in == w.loops.Slots { // one loop for all outer indices
		n, turns = 1, n*turns
	}
	if w.m.Guessed = w.m.Guessed || !sure || in.Stop; in.Stop {
		turns = w.ends(in, n, turns)
		if w.last == nil {
			w.last = map[kernel.Value]float64{}
		}
		w.last[b.Results[len(b.Results)-1]] = turns
	}
	counter := sum(lo.stride, make([]float64, depth), 1)[:depth]
	w.known[b.Params[0]] = known{mid: lo.mid + turns/2, stride: append(counter, 1), carried: lo.carried, depth: lo.depth}
	if in.Code == kernel.For {
		byCarried := loadsBy(b, b.Params[1:])
		for i, p := range b.Params[1:] {
			w.known[p] = known{mid: math.NaN(), carried: byCarried, depth: depth, beside: goesOn(w.k, b, p, b.Results[i]), levels: w.scales(p, b.Results[i], mostSteps)}
		}
	}
	woven := w.weave(in, n)
	w.turns(in, n, turns, depth)
	w.woven = woven
	for i, v := range in.Out {
		w.known[v] = known{mid: math.NaN(), depth: depth - 1}
		if in.Code == kernel.For {
			w.known[v] = known{mid: math.NaN(), depth: depth - 1, carried: w.known[b.Params[1+i]].carried}
		}
	}
}

// ends is how many of so many turns a loop makes that data ends, if it is entered n times. One that loads nothing by its turns is limited
// lest it go on for ever. What goes through an array may end anywhere, but where each of many looks through all of
// a long array, as through a table with open addresses, it does so because it ends soon.
func (w *walker) ends(in *kernel.Instr, n, turns float64) float64 {
	b, hi := &in.Blocks[0], w.known[in.Args[1]]
	counted, read := loadsBy(b, b.Params[:1]), loadsBy(b, b.Params[1:])
	switch {
	case in.Code == kernel.For && !counted && !read:
		return Limited(turns)
	case n <= 1 || !hi.fixed || turns <= 8*loops.Likely:
		return turns / 2
	case read: // a walk by what it reads ends sooner than one in order
		return loops.Likely / 4
	}
	return loops.Likely
}

// Limited is how many turns a loop makes on average of which only a limit is known: to end in one octave is as likely as in another.
func Limited(most float64) float64 {
	if most <= 1 {
		return math.Max(most, 0)
	}
	return (most - 1) / math.Log(most)
}

// count is how many iterations a loop has that does not stop, and whether that is known.
func (w *walker) count(in *kernel.Instr) (n float64, sure bool) {
	lo, hi := &w.known[in.Args[0]], &w.known[in.Args[1]]
	if w.loops.Data[in.Args[0]] && w.loops.Data[in.Args[1]] && !lo.fixed { // by themselves, both are likely to be in the middle
		if n, ok := w.rows(in, max(lo.depth, hi.depth)); ok {
			return n, false
		}
		return loops.Likely, false
	}
	n = hi.mid - lo.mid
	if math.IsNaN(n) {
		return loops.Likely, false
	}
	return math.Max(n, 0), true
}

// rows is how many iterations a loop has from one place that data tells to another, which the loop at a depth loads: all its turns together
// go through what is there once, as where each goes through a row. It reports false if the loop does not say what it goes through.
func (w *walker) rows(in *kernel.Instr, depth int) (float64, bool) {
	least := math.Inf(1)
	in.Blocks[0].Each(func(x *kernel.Instr) {
		if x.Code == kernel.Load && x.Args[0] == in.Blocks[0].Params[0] {
			reg := w.m.Regions[x.Region]
			least = math.Min(least, float64(reg.Bytes/max(reg.Elem, 1)))
		}
	})
	for d, n := range w.trips[:min(depth+1, len(w.trips))] {
		if d > 0 || w.loops.Slots == nil { // which has the turns of all outer indices
			least /= math.Max(n, 1)
		}
	}
	return least, !math.IsInf(least, 1)
}

// turns counts the body of a loop, and what keeps it going.
func (w *walker) turns(in *kernel.Instr, n, turns float64, depth int) {
	b, before, all := &in.Blocks[0], w.inLanes, n*turns
	if w.plan == nil && (w.woven == nil || w.woven.In != in) {
		w.inLanes = w.sideBySide(in, turns, depth)
	}
	switch {
	case w.loops.Engine.Nests && w.loops.IsWrittenOut(in): // one iteration behind the other
	case before.plan != nil: // inside of turns that go side by side
		w.add(Enter, n/before.lanes, false)
		w.add(Turn, all/before.lanes, false)
	case w.lanes > 0:
		w.add(Enter, n, true)
		w.add(Turn, all/w.lanes, true)
	default:
		w.add(Enter, n, false)
		w.add(Turn, all, false)
	}
	w.steps(in, all)
	w.rests(in, n, all)
	if in.Stop && w.lanes == 0 {
		w.add(Branch, n, false)
	}
	already := w.m.operations()
	if len(in.Carry) > 0 {
		w.serial++
	}
	w.trips = append(w.trips[:depth], turns)
	w.inside = append(w.inside, in)
	w.block(b, all, depth+1)
	w.inside = w.inside[:len(w.inside)-1]
	if len(in.Carry) > 0 {
		w.serial--
	}
	w.accumulate(in, all)
	if w.woven == nil || w.woven.Walk != in { // the steps of a walk do not wait for those of others
		way := w.ways(in)
		w.m.Chain.add(&way, all/math.Max(w.lanes, 1)/w.overlap(in, n, (w.m.operations()-already)/math.Max(n, 1)))
	}
	w.inLanes = before
}

// accumulate counts what n iterations add to what a fold has.
func (w *walker) accumulate(in *kernel.Instr, n float64) {
	for i, a := range in.Accs {
		if a.Op == num.FoldMulAdd {
			w.values(Fused, n, a.Kind)
		}
		switch {
		case a.Op.IsOrdered(a.Kind):
			w.values(Lane, n, a.Kind)
		case a.Kind.IsFloat() && !w.loops.Engine.Nests:
			w.values(Extreme, n, a.Kind)
		case w.isMask(in.Blocks[0].Results[i]): // whose ones are counted
			w.values(Simple, n, num.Bool)
		default:
			w.values(Simple, n, a.Kind)
		}
	}
}

// isMask reports an integer that a Bool was made.
func (w *walker) isMask(v kernel.Value) bool {
	in := w.loops.Def[v]
	return in != nil && in.Code == kernel.Convert && in.From == num.Bool
}

// ways is the longest way from what an iteration takes over to what it hands on, by values or by elements.
func (w *walker) ways(in *kernel.Instr) Steps {
	if b := &in.Blocks[0]; len(in.Carry) > 0 {
		return w.chain(b, b.Params[1:], b.Results[:len(in.Carry)])
	}
	if in.Code == kernel.For && w.lanes == 0 {
		return w.handed(in)
	}
	return Steps{}
}

// joinSteps is what joining a group of lanes takes beside its steps: to spread its last lane, and to join that and all with what
// the group before left, of which the loop's own operation is one.
const joinSteps = 2

// steps counts what a scan or a turned nest in lanes takes beside its own operations: in each step a scan shifts the lanes of what
// it carries and joins, and a nest zips what it has loaded.
func (w *walker) steps(in *kernel.Instr, all float64) {
	if w.plan == nil || w.plan.In != in {
		return
	}
	steps := float64(w.plan.Steps())
	for _, x := range w.plan.Prefixed {
		w.values(Simple, all*(2*steps+joinSteps), x.Kind)
	}
	if t := w.plan.Turned; t != nil {
		for _, d := range t.Loads {
			w.values(Simple, all*steps, w.k.Regions[d.Load.Region].Elem)
		}
	}
}

// sideBySide is the plan by which an emitter computes iterations in lanes, if there are enough of them; it is asked before
// it runs, as the emitter's code is.
func (w *walker) sideBySide(in *kernel.Instr, turns float64, depth int) (l inLanes) {
	if w.vector == 0 { // an interpreter has no lanes
		return inLanes{}
	}
	p := w.columns
	if w.columns = nil; p == nil || p.In != in {
		p, _ = w.loops.Plan(in)
	}
	switch {
	case p == nil:
	case p.In != in:
		w.columns = p
	case turns < w.vector/float64(p.Width) || slices.ContainsFunc(p.Check, w.long):
	default:
		return inLanes{p, w.vector / float64(p.Width), depth}
	}
	return inLanes{}
}

// long reports a loop that does not count as short.
func (w *walker) long(in *kernel.Instr) bool {
	n, _ := w.count(in)
	return n > float64(loops.ShortEnough(in))
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
