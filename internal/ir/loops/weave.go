package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: a loop whose iterations follow references, each from the element that it has just loaded to the next. Out: how several
// iterations are under way at the same time, so that the memory looks for many elements at once; or why they are not.
//
//	for o { before; for … { walk }; after }
//
// Before is what the walk begins with. It runs for a batch of iterations, then their walks run, a turn of each after the other,
// then what is left of the iterations, in order. Invariant: bits and faults are those of iterations that run one after the other.
// Walks store nothing, and nothing that they or what is before them load is stored in the loop; a fault's place is the least of
// all, whatever comes first.

// Weave says how iterations of a loop are interleaved.
type Weave struct {
	In     *kernel.Instr // the loop whose iterations they are
	Walk   *kernel.Instr // the loop in its body that follows references
	Before []*kernel.Instr
	// Even says that all walks have the same length, so that they go on in step.
	Even bool
	// Ends says that the first and the last turn are known before the loop; that of an uneven walk may come sooner.
	Ends bool
	// Kept are values made before a walk that its turns use, Later those that are used behind it.
	Kept, Later []kernel.Value
	Far         []Far
	// First are the loads before walks whose places data says, and which what the loop goes over in order is enough to compute.
	First []Far
}

// Far is a load of a walk whose place what is carried tells, and what computes that.
type Far struct {
	Load  *kernel.Instr
	Chain []*kernel.Instr // in the order of the body; a loop stands in it for the beginning of its first turn
	Inner *kernel.Instr   // the loop in the turn that goes on from that place; nil for none
}

// The reasons for which iterations are not interleaved. Stops is another.
const (
	Follows Why = "nothing in it follows references"
	Inside  Why = "what follows references is inside of a branch, or of another loop"
	Waits   Why = "where a walk begins depends on what the iteration before has left"
	Stores  Why = "it stores to what walks load, or walks store"
	Uneven  Why = "the engine advances walks in step, and these have ends of their own, loops inside, or too much in a turn"
	Hidden  Why = "where a walk goes next depends on what else it loads on the way"
)

// Weave gives the plan by which iterations of a loop are interleaved; nil, and the reason, if there is none.
func (a *Analysis) Weave(in *kernel.Instr) (*Weave, Why) {
	switch {
	case !a.Engine.Weaves && !a.Engine.Steps || !IsLoop(in):
		return nil, Follows
	}
	w := &Weave{In: in}
	if why := w.find(a); why != Fits {
		return nil, why
	}
	if in.Stop {
		return nil, Stops
	}
	b := &in.Blocks[0]
	if w.before(a); slices.ContainsFunc(append(w.Before, w.Walk), func(in *kernel.Instr) bool { return Uses(in, b.Params[1:]...) }) {
		return nil, Waits
	}
	if w.stores() {
		return nil, Stores
	}
	lo, hi := w.Walk.Args[0], w.Walk.Args[1]
	w.Ends = lo < b.Params[0] && hi < b.Params[0]
	w.Even = w.Ends && !w.Walk.Stop
	w.values(a)
	if w.Far = a.far(w.Walk); len(w.Far) == 0 {
		return nil, Hidden
	}
	if w.First = a.first(w); a.Engine.Steps && w.Abreast() < 2 {
		return nil, Uneven
	}
	return w, Fits
}

// find looks for the first loop in the body that follows references.
func (w *Weave) find(a *Analysis) Why {
	why := Follows
	for i := range w.In.Blocks[0].Instrs {
		top := &w.In.Blocks[0].Instrs[i]
		if top.Code == kernel.For && len(a.chased(top)) > 0 {
			w.Walk = top
			return Fits
		}
		top.Each(func(in *kernel.Instr) {
			if in.Code == kernel.For && len(a.chased(in)) > 0 {
				why = Inside
			}
		})
	}
	return why
}

// chased are the carried values of a loop that say where it loads from and become what was found there, or depend on it.
func (a *Analysis) chased(in *kernel.Instr) map[kernel.Value]bool {
	b := &in.Blocks[0]
	found := map[kernel.Value]bool{}
	if len(in.Carry) == 0 {
		return found
	}
	var loaded []kernel.Value // by what is carried
	at := map[kernel.Value]bool{}
	from := dependents(b, b.Params[1:])
	b.Each(func(in *kernel.Instr) {
		if in.Code == kernel.Load && a.isFar(in.Region) && from[in.Args[0]] {
			loaded = append(loaded, in.Out...)
			at[in.Args[0]] = true
		}
	})
	by := dependents(b, loaded)
	for j, p := range b.Params[1:] {
		own := dependents(b, []kernel.Value{p})
		for index := range at {
			if own[index] && by[b.Results[j]] {
				found[p] = true
			}
		}
	}
	return found
}

// smallTable is the number of elements up to which a region lies in a cache anyway.
const smallTable = 1 << 12

// isFar reports a region that may be too large for a cache.
func (a *Analysis) isFar(region int) bool {
	return a.K.Regions[region].Access != kernel.Scratch && a.isLarge(region)
}

// isLarge is isFar, of scratch memory too.
func (a *Analysis) isLarge(region int) bool {
	n, known := a.K.Regions[region].Len.Const()
	return !known || n > smallTable
}

// dependents are the values of a block, and inside, that depend on some values, be it by a branch.
func dependents(b *kernel.Block, on []kernel.Value) map[kernel.Value]bool {
	d := map[kernel.Value]bool{}
	for _, v := range on {
		d[v] = true
	}
	for n := -1; n != len(d); { // what loops inside carry may come back
		n = len(d)
		spread(b, d)
	}
	return d
}

func spread(b *kernel.Block, d map[kernel.Value]bool) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		depends := slices.ContainsFunc(in.Args, func(v kernel.Value) bool { return d[v] })
		for j := range in.Blocks {
			inner := &in.Blocks[j]
			if depends {
				for _, p := range inner.Params {
					d[p] = true
				}
			}
			spread(inner, d)
			for x, r := range inner.Results {
				depends = depends || d[r]
				if d[r] && in.Code == kernel.For && x < len(in.Carry) {
					d[inner.Params[1+x]] = true
				}
			}
		}
		if depends {
			for _, v := range in.Out {
				d[v] = true
			}
		}
	}
}

// before finds what of the body the walk needs.
func (w *Weave) before(a *Analysis) {
	need := map[kernel.Value]bool{}
	needs(w.Walk, need)
	b := &w.In.Blocks[0]
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		in := &b.Instrs[i]
		if in != w.Walk && slices.ContainsFunc(in.Out, func(v kernel.Value) bool { return need[v] }) {
			w.Before = append(w.Before, in)
			needs(in, need)
		}
	}
	slices.Reverse(w.Before)
}

// needs notes all operands of an instruction and of those inside.
func needs(in *kernel.Instr, need map[kernel.Value]bool) {
	in.Each(func(in *kernel.Instr) {
		for _, v := range in.Args {
			need[v] = true
		}
		need[in.At] = true
		for _, b := range in.Blocks {
			for _, v := range b.Results {
				need[v] = true
			}
		}
	})
}

// stores reports that the order of iterations shows in memory.
func (w *Weave) stores() bool {
	stored, found := map[int]bool{}, false
	w.In.Each(func(in *kernel.Instr) {
		if in.Code == kernel.Store {
			stored[in.Region] = true
		}
	})
	for _, top := range append(w.Before, w.Walk) {
		top.Each(func(in *kernel.Instr) {
			found = found || in.Code == kernel.Store || in.Code == kernel.Load && stored[in.Region]
		})
	}
	return found
}

// Early reports an instruction of the body that runs before the walk, or is the walk.
func (w *Weave) Early(in *kernel.Instr) bool { return in == w.Walk || slices.Contains(w.Before, in) }

// values finds what must be kept of an iteration.
func (w *Weave) values(a *Analysis) {
	walk, behind := map[kernel.Value]bool{}, map[kernel.Value]bool{}
	for i := range w.Walk.Blocks[0].Instrs {
		needs(&w.Walk.Blocks[0].Instrs[i], walk)
	}
	for _, v := range w.Walk.Blocks[0].Results {
		walk[v] = true
	}
	b := &w.In.Blocks[0]
	for i := range b.Instrs {
		if in := &b.Instrs[i]; !w.Early(in) {
			needs(in, behind)
		}
	}
	for _, v := range b.Results {
		behind[v] = true
	}
	for i, acc := range w.In.Accs {
		if acc.Op == kernel.FoldMulAdd { // it multiplies by itself: what it needs is not the product, but the factors
			for _, v := range a.Def[b.Results[i]].Args {
				behind[v] = true
			}
		}
	}
	for _, in := range w.Before {
		if Everywhere(in) {
			continue
		}
		for _, v := range in.Out {
			if walk[v] {
				w.Kept = append(w.Kept, v)
			}
			if behind[v] {
				w.Later = append(w.Later, v)
			}
		}
	}
}

// Everywhere reports an instruction that gives the same wherever it stands, for nothing.
func Everywhere(in *kernel.Instr) bool {
	return in.Code == kernel.Const || in.Code == kernel.SizeOf || in.Code == kernel.ScalarArg
}

// far lists the loads of a walk whose places can be computed before a turn, each place of a region once.
func (a *Analysis) far(walk *kernel.Instr) (list []Far) {
	b := &walk.Blocks[0]
	var chased []kernel.Value
	for v := range a.chased(walk) {
		chased = append(chased, v)
	}
	by := dependents(b, chased)
	var inner *kernel.Instr
	add := func(in *kernel.Instr) {
		if in.Code != kernel.Load || !a.isFar(in.Region) || !by[in.Args[0]] || slices.ContainsFunc(list, func(f Far) bool {
			return f.Load.Region == in.Region && f.Load.Args[0] == in.Args[0]
		}) {
			return
		}
		if chain, ok := a.pureChain(in.Args[0], b, inner); ok {
			list = append(list, Far{in, chain, inner})
		}
	}
	outsideLoops(b, func(in *kernel.Instr) {
		if add(in); in.Code == kernel.For && a.begins(in) {
			inner = in
			outsideLoops(&in.Blocks[0], add)
			inner = nil
		}
	})
	return list
}

// begins reports a loop of which it is known anywhere where it begins.
func (a *Analysis) begins(in *kernel.Instr) bool {
	_, ok := a.Const(in.Args[0])
	return ok
}

// outsideLoops visits the instructions of a block and of branches inside.
func outsideLoops(b *kernel.Block, visit func(*kernel.Instr)) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		visit(in)
		if in.Code == kernel.If {
			outsideLoops(&in.Blocks[0], visit)
			outsideLoops(&in.Blocks[1], visit)
		}
	}
}

// pureChain lists the instructions of a loop's body by which a value is computed from what is known when a turn begins, if none
// of them loads or loops. They may be computed whether the turn comes to them or not. Those of the first turn of a loop inside may
// be among them, but nothing that it carries.
func (a *Analysis) pureChain(v kernel.Value, body *kernel.Block, inner *kernel.Instr) (chain []*kernel.Instr, ok bool) {
	need := map[kernel.Value]bool{v: true}
	var all []*kernel.Instr
	outsideLoops(body, func(in *kernel.Instr) {
		if all = append(all, in); in == inner {
			outsideLoops(&in.Blocks[0], func(in *kernel.Instr) { all = append(all, in) })
		}
	})
	for i := len(all) - 1; i >= 0; i-- {
		in := all[i]
		if in == inner && need[in.Blocks[0].Params[0]] {
			chain = append(chain, in)
		}
		if !slices.ContainsFunc(in.Out, func(v kernel.Value) bool { return need[v] }) {
			continue
		}
		pure := true
		in.Each(func(in *kernel.Instr) {
			pure = pure && in.Code != kernel.Load && in.Code != kernel.Store && !IsLoop(in)
		})
		if !pure {
			return nil, false
		}
		chain = append(chain, in)
		needs(in, need)
	}
	slices.Reverse(chain)
	return chain, inner == nil || !slices.ContainsFunc(inner.Blocks[0].Params[1:], func(v kernel.Value) bool { return need[v] })
}

// Weaves lists the plans of all loops whose iterations are interleaved, outer ones first. What lies inside of one runs as it is.
func (a *Analysis) Weaves() []*Weave {
	a.once.Do(func() { a.weavesIn(&a.K.Body, &a.woven) })
	return a.woven
}

func (a *Analysis) weavesIn(b *kernel.Block, list *[]*Weave) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if w, _ := a.Weave(in); w != nil {
			*list = append(*list, w)
			continue
		}
		for j := range in.Blocks {
			a.weavesIn(&in.Blocks[j], list)
		}
	}
}

// first finds what is loaded before walks, here and there.
func (a *Analysis) first(w *Weave) (list []Far) {
	b := &w.In.Blocks[0]
	inOrder := func(in *kernel.Instr) bool {
		_, ok := a.Sum(in.Args[0], b)
		return ok
	}
	for at, in := range w.Before {
		if in.Code != kernel.Load || !a.isFar(in.Region) || inOrder(in) {
			continue
		}
		need := map[kernel.Value]bool{in.Args[0]: true}
		f, ok := Far{Load: in}, true
		for i := at - 1; i >= 0; i-- {
			x := w.Before[i]
			if slices.ContainsFunc(x.Out, func(v kernel.Value) bool { return need[v] }) {
				ok = ok && len(x.Blocks) == 0 && (x.Code != kernel.Load || inOrder(x))
				f.Chain = append(f.Chain, x)
				needs(x, need)
			}
		}
		if slices.Reverse(f.Chain); ok {
			list = append(list, f)
		}
	}
	return list
}
