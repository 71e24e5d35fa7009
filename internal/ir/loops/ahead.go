package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: a loop that goes over indices in order, and loads or stores where they say: a[b[i]]. Out: what tells such a place some turns
// before it is needed, so that the memory looks for it meanwhile. Invariant: of the indices only elements are read which the region
// has; of what they lead to nothing is read or stored, so a place may be asked for that no turn comes to.

// Ahead is a place that an index tells beforehand.
type Ahead struct {
	Index *kernel.Instr // the load of the index, once in each turn
	From  Sum           // where that is, by the loop's counter; Step is above 0
	// Region is that of the place, At the place, Chain what computes it from the index, in the order of the body. A loop stands in it
	// for the beginning of its first turn: the place is told for that.
	Region int
	At     kernel.Value
	Chain  []*kernel.Instr
	Inner  []*kernel.Instr // the loops in the turn around the place
	Stores bool
}

// mostStep is how far apart the indices of two turns may be, in elements: what is farther comes from another line each time.
const mostStep = 16

// Ahead lists the places of a loop that its indices tell beforehand.
func (a *Analysis) Ahead(in *kernel.Instr) (list []Ahead) {
	if !a.Engine.Weaves || !IsLoop(in) {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if list, ok := a.told[in]; ok {
		return list
	}
	b := &in.Blocks[0]
	for i := range b.Instrs {
		x := &b.Instrs[i]
		if x.Code != kernel.Load || a.K.Regions[x.Region].Access != kernel.Read || !a.Kinds[x.Out[0]].IsInt() {
			continue
		}
		if from, ok := a.Sum(x.Args[0], b); ok && from.Step > 0 && from.Step <= mostStep {
			t := &teller{a: a, body: b, ahead: Ahead{Index: x, From: from}}
			t.block(b.Instrs[i+1:], dependents(b, x.Out))
			list = append(list, t.list...)
		}
	}
	if a.told == nil {
		a.told = map[*kernel.Instr][]Ahead{}
	}
	a.told[in] = list
	return list
}

// teller looks for the places that one index tells.
type teller struct {
	a     *Analysis
	body  *kernel.Block
	ahead Ahead
	list  []Ahead
}

// block looks at instructions, of which these depend on the index.
func (t *teller) block(list []kernel.Instr, by map[kernel.Value]bool) {
	for i := range list {
		in := &list[i]
		if access := in.Code == kernel.Load || in.Code == kernel.Store; access && by[in.Args[0]] && t.a.isLarge(in.Region) {
			t.place(in)
		}
		if IsLoop(in) {
			t.ahead.Inner = append(slices.Clip(t.ahead.Inner), in)
		}
		for j := range in.Blocks {
			t.block(in.Blocks[j].Instrs, by)
		}
		if IsLoop(in) {
			t.ahead.Inner = t.ahead.Inner[:len(t.ahead.Inner)-1]
		}
	}
}

// place notes where an instruction loads or stores, each place once.
func (t *teller) place(in *kernel.Instr) {
	for i := range t.list {
		if p := &t.list[i]; p.Region == in.Region && p.At == in.Args[0] {
			p.Stores = p.Stores || in.Code == kernel.Store
			return
		}
	}
	p := t.ahead
	p.Region, p.At, p.Stores, p.Inner = in.Region, in.Args[0], in.Code == kernel.Store, slices.Clone(p.Inner)
	if t.chain(&p) {
		t.list = append(t.list, p)
	}
}

// chain finds what computes a place from the index, and from what is known before the loop.
func (t *teller) chain(p *Ahead) bool {
	need := map[kernel.Value]bool{p.At: true}
	var all []*kernel.Instr
	t.body.Each(func(in *kernel.Instr) { all = append(all, in) })
	made := map[kernel.Value]bool{p.Index.Out[0]: true}
	for _, in := range slices.Backward(all) {
		if slices.Contains(p.Inner, in) && t.begins(in, need, made) {
			if need[in.Blocks[0].Params[0]] && in.Args[0] >= t.body.Params[0] && !t.everywhere(in.Args[0]) {
				return false // rows that indices begin follow each other mostly
			}
			p.Chain = append(p.Chain, in)
			continue
		}
		if in == p.Index || !slices.ContainsFunc(in.Out, func(v kernel.Value) bool { return need[v] }) {
			continue
		}
		if Everywhere(in) {
			p.Chain = append(p.Chain, in)
		} else if in.Code == kernel.Load || len(in.Blocks) > 0 {
			return false
		} else {
			p.Chain = append(p.Chain, in)
			needs(in, need)
		}
		made[in.Out[0]] = true
	}
	slices.Reverse(p.Chain)
	if !need[p.Index.Out[0]] {
		return false // it only decides how often the place is come to
	}
	for v := range need {
		if v >= t.body.Params[0] && !made[v] && !t.everywhere(v) {
			return false // of this turn, not of one to come
		}
	}
	return true
}

// begins has what the first turn of a loop begins with computed, as far as it is needed.
func (t *teller) begins(in *kernel.Instr, need, made map[kernel.Value]bool) (needed bool) {
	b := &in.Blocks[0]
	for j, v := range b.Params {
		if !need[v] {
			continue
		}
		from := in.Args[0]
		if j > 0 {
			from = in.Args[1+j]
		}
		needed, made[v], need[from] = true, true, true
	}
	return needed
}

func (t *teller) everywhere(v kernel.Value) bool { return t.a.Def[v] != nil && Everywhere(t.a.Def[v]) }

// Aheads reports that some loop's indices tell places beforehand.
func (a *Analysis) Aheads() bool {
	a.asks.Do(func() {
		a.K.Body.Each(func(in *kernel.Instr) { a.tells = a.tells || len(a.Ahead(in)) > 0 })
	})
	return a.tells
}

// Indices lists the regions whose elements tell places beforehand, in ascending order.
func (a *Analysis) Indices() (regions []int) {
	a.K.Body.Each(func(in *kernel.Instr) {
		for _, x := range a.Ahead(in) {
			regions = append(regions, x.Index.Region)
		}
	})
	slices.Sort(regions)
	return slices.Compact(regions)
}

// Overlaps reports that native code can have several accesses under way where a run waits for memory: iterations that follow
// references, or places that indices tell.
func (a *Analysis) Overlaps() bool { return len(a.Weaves()) > 0 || a.Aheads() }
