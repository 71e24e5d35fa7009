package llvmir

import "github.com/godwit-run/godwit/internal/ir/kernel"

// pastCaches is how many bytes the slots of a region must take for its stores to
// go past the caches: of so many the first are gone from a usual last-level cache
// before anyone comes back for them. A store that does not keep its line saves
// reading it first, a third of the traffic of z = x + y.
const pastCaches = 32 << 20

// memoryBound is up to how many values per turn the memory, not the processor, decides how long a loop over many slots takes. For each
// byte that a vector has, three go to or from memory, one of them to read a line that is overwritten; a core moves about ten bytes in a
// cycle, in which it does some four operations on vectors.
func (p *plan) memoryBound() int { return p.t.VectorBytes }

// stores lists those of a loop over slots that may go past the caches: of whole
// vectors, one slot after the other, to what nobody reads here. Only amd64's are
// known to gain.
func (p *plan) stores(n int) (list []*kernel.Instr) {
	if p.t.Arch != "amd64" || !p.OverSlots(p.In) || p.Work.Loops || p.Work.Data > p.memoryBound() || len(p.Single) > 0 {
		return nil
	}
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		if in.Code != kernel.Store {
			continue
		}
		r := &p.k.Regions[in.Region]
		if in.Args[0] != p.Body.Params[0] || r.Access != kernel.Write || n*r.Elem.Size()%p.t.VectorBytes != 0 {
			return nil
		}
		list = append(list, in)
	}
	return list
}

// mostLanes runs whole groups of n turns, with stores that go past the caches if
// the regions are large, and begin where a vector does.
func (p *plan) mostLanes(from, to string, n int) string {
	stores := p.stores(n)
	if len(stores) == 0 {
		return p.inLanes(from, to, n)
	}
	end := p.groupsEnd(from, to, n)
	p.either(p.worthPast(stores, from), func() {
		p.past = stores
		p.inLanes(from, to, n)
		p.fencePast()
	}, func() { p.inLanes(from, to, n) })
	return end
}

// fencePast ends stores past the caches: other threads shall see them before any of what comes after.
func (p *plan) fencePast() {
	p.past = nil
	p.line("%s", p.called("void", "llvm.x86.sse.sfence", nil, nil))
}

func (p *plan) worthPast(stores []*kernel.Instr, from string) string {
	count := p.poly(p.k.Count)
	worth := ""
	for _, in := range stores {
		size := p.k.Regions[in.Region].Elem.Size()
		first := p.set("ptrtoint ptr %s to i64", p.address(in.Region, from))
		off := p.set("and i64 %s, %d", first, p.t.VectorBytes-1)
		c := p.set("and i1 %s, %s", p.set("icmp sge i64 %s, %d", count, p.pastFrom/int64(size)), p.set("icmp eq i64 %s, 0", off))
		if worth != "" {
			c = p.set("and i1 %s, %s", worth, c)
		}
		worth = c
	}
	return worth
}
