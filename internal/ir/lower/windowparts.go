package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the canonical order in which a window of so many floats is folded. Out: the parts that it is made of, of which windows beside
// each other have many in common, and which of them are kept for all places of a grain. Invariant: every window is folded in its own
// order, to the bit; a part is only worked out once and not for each window that has it.

// A part is one element (the first in the list), or two parts of which the second begins gap places behind the first.
type part struct {
	first, second int
	gap           int64
}

// partAt is a part that begins at a place.
type partAt struct {
	part int
	at   int64
}

// windowSum has the parts of one window, each behind those that it is made of.
type windowSum struct {
	list  []part
	index map[part]int
}

// mostJoined is how many instructions a pass over a grain may have: what joins more keeps some of it first.
const mostJoined = 96

// windowParts are the parts of a window, at most a leaf long; the last one is the window.
func windowParts(width int64, kind num.Kind) *windowSum {
	p := &windowSum{list: []part{{}}, index: map[part]int{}}
	lanes := make([]partAt, min(width, int64(num.Lanes(kind))))
	for slot := range width {
		lane := &lanes[slot%int64(len(lanes))]
		if slot < int64(len(lanes)) {
			*lane = partAt{0, slot}
		} else {
			*lane = p.join(*lane, partAt{0, slot})
		}
	}
	for n := num.Lanes(kind) / 2; n > 0; n /= 2 {
		for j := n; j < len(lanes); j++ { // lanes without an element are the identity
			lanes[j-n] = p.join(lanes[j-n], lanes[j])
		}
		lanes = lanes[:min(n, len(lanes))]
	}
	return p
}

func (p *windowSum) join(a, b partAt) partAt {
	key := part{a.part, b.part, b.at - a.at}
	n, ok := p.index[key]
	if !ok {
		n = len(p.list)
		p.list, p.index[key] = append(p.list, key), n
	}
	return partAt{n, a.at}
}

// whole is the window's part.
func (p *windowSum) whole() int { return len(p.list) - 1 }

// needs lists what a part is made of, each behind what it is made of itself: parts that are kept are loaded.
func (p *windowSum) needs(of int, kept []bool) (joined, loaded []partAt) {
	seen := map[partAt]bool{}
	var look func(x partAt)
	look = func(x partAt) {
		switch {
		case seen[x]:
			return
		case x.part == 0 || kept[x.part] && x.part != of:
			loaded = append(loaded, x)
		default:
			in := p.list[x.part]
			look(partAt{in.first, x.at})
			look(partAt{in.second, x.at + in.gap})
			joined = append(joined, x)
		}
		seen[x] = true
	}
	look(partAt{of, 0})
	return joined, loaded
}

// work is how many instructions a pass takes that works out a part; an element takes so many.
func (p *windowSum) work(of int, kept []bool, element int64) (n int64) {
	if of == 0 {
		return element
	}
	joined, loaded := p.needs(of, kept)
	n = int64(len(joined) + len(loaded))
	if !kept[0] {
		for _, x := range loaded {
			if x.part == 0 {
				n += element - 1
			}
		}
	}
	return n
}

// keep chooses the parts that are worth a pass of their own and a store for each place, and says how many instructions a window takes.
// It begins with all of them and gives up those without which it is not more.
func (p *windowSum) keep(element int64) (kept []bool, total int64) {
	kept = make([]bool, len(p.list))
	for n := range p.whole() {
		kept[n] = n > 0 || element > 1
	}
	each := make([]int64, len(p.list)) // what the pass of each takes that has one
	for n := range p.list {
		each[n] = p.work(n, kept, element)
	}
	for n := range p.whole() {
		if !kept[n] {
			continue
		}
		kept[n] = false
		saved, more := each[n]+1, map[int]int64{}
		for m := n + 1; m < len(p.list) && saved >= 0; m++ {
			if kept[m] || m == p.whole() {
				if more[m] = p.work(m, kept, element); more[m] > mostJoined {
					saved = -1
				}
				saved -= more[m] - each[m]
			}
		}
		if kept[n] = saved < 0; !kept[n] {
			for m, w := range more {
				each[m] = w
			}
		}
	}
	for n := range p.list {
		if kept[n] {
			total += each[n] + 1
		}
	}
	return kept, total + each[p.whole()]
}

// last is the last part whose pass loads one that is kept.
func (p *windowSum) last(of int, kept []bool) (last int) {
	for n := of + 1; n < len(p.list); n++ {
		if !kept[n] && n != p.whole() {
			continue
		}
		if _, loaded := p.needs(n, kept); slices.ContainsFunc(loaded, func(x partAt) bool { return x.part == of }) {
			last = n
		}
	}
	return last
}

// reach is how far behind the last slot the passes of parts go.
func (p *windowSum) reach(kept []bool) []int64 {
	far := make([]int64, len(p.list))
	for of := p.whole(); of >= 0; of-- {
		if of == 0 || !kept[of] && of != p.whole() {
			continue
		}
		_, loaded := p.needs(of, kept)
		for _, x := range loaded {
			far[x.part] = max(far[x.part], far[of]+x.at)
		}
	}
	return far
}

// inParts writes a pass for each part that is kept; what it gives is the result for a slot, counted from the grain's first.
func (k *kern) inParts(r *rolled, i kernel.Value, places size.Poly, slots kernel.Value) func(slot kernel.Value) []kernel.Value {
	reach := r.parts.reach(r.kept)
	regions := map[int]int{}
	value := func(of int, t kernel.Value) kernel.Value {
		_, loaded := r.parts.needs(of, r.kept)
		known := map[partAt]kernel.Value{}
		for _, x := range loaded {
			at := t
			if x.at > 0 {
				at = k.b.Wrap(num.Add, t, k.b.Int(x.at))
			}
			if region, ok := regions[x.part]; ok {
				known[x] = k.b.Load(region, at)
			} else {
				known[x] = k.single(r, i, at)
			}
		}
		return k.joinedParts(r, partAt{of, 0}, known)
	}
	var free []int
	for n, kept := range r.kept {
		if !kept {
			continue
		}
		if len(free) == 0 {
			free = append(free, k.scratchOf(r.acc.Kind, places))
		}
		region := free[0]
		k.b.Each(k.b.Int(0), k.b.Wrap(num.Add, slots, k.b.Int(reach[n])), func(t kernel.Value) {
			if n == 0 {
				k.b.Store(region, t, k.single(r, i, t))
			} else {
				k.b.Store(region, t, value(n, t))
			}
		})
		regions[n], free = region, free[1:]
		for m, at := range regions {
			if m != n && r.parts.last(m, r.kept) <= n {
				delete(regions, m)
				free = append(free, at)
			}
		}
		slices.Sort(free) // a kernel is the same whenever it is made
	}
	return func(slot kernel.Value) []kernel.Value { return []kernel.Value{value(r.parts.whole(), slot)} }
}

// joinedParts is the part that begins at a place, of what is known.
func (k *kern) joinedParts(r *rolled, x partAt, known map[partAt]kernel.Value) kernel.Value {
	if v, ok := known[x]; ok {
		return v
	}
	in := r.parts.list[x.part]
	first := k.joinedParts(r, partAt{in.first, x.at}, known)
	known[x] = k.b.Wrap(r.acc.Op.Scalar(), first, k.joinedParts(r, partAt{in.second, x.at + in.gap}, known))
	return known[x]
}
