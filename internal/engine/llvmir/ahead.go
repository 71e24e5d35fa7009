package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// ahead is how many turns before it is needed an element is asked for whose
// index is itself loaded, where the processor cannot know it by itself.
const ahead = 64

// smallTable is the number of elements up to which a region lies in a cache
// anyway.
const smallTable = 1 << 12

// prefetch asks for the elements that a gather will load some groups later.
// Their indices are loaded from where the loop goes in any case: at its end,
// from the last group once more.
func (p *plan) prefetch(i, end string, n int) {
	for j := range p.Body.Instrs {
		in := &p.Body.Instrs[j]
		if in.Code != kernel.Load || p.Shapes[in.Args[0]] != loops.Varying || p.Single[in] || !p.large(in.Region) {
			continue
		}
		source, widen := p.loadedIndex(in.Args[0])
		if source == nil || source.Args[0] != p.Body.Params[0] {
			continue
		}
		at := p.pure("llvm.smin", typ{num.I64, 1}, p.set("add i64 %s, %d", i, max(ahead, n)), p.set("sub i64 %s, %d", end, n))
		t := typ{p.k.Regions[source.Region].Elem, 1}
		for lane := range n {
			index := p.emitter.load(source.Region, p.set("add i64 %s, %s", at, strconv.Itoa(lane)), t)
			if widen {
				index = p.resize(index, t.kind, num.I64, 1)
			}
			p.line("%s", p.called("void", "llvm.prefetch.p0", nil, []string{"ptr " + p.address(in.Region, index), "i32 0", "i32 3", "i32 1"}))
		}
	}
}

// loadedIndex finds the load that an index comes from, straight or widened.
func (p *plan) loadedIndex(v kernel.Value) (in *kernel.Instr, widen bool) {
	d := p.Def[v]
	if d != nil && d.Code == kernel.Convert && d.From.IsInt() && d.Site == kernel.NoSite {
		d, widen = p.Def[d.Args[0]], true
	}
	if d == nil || d.Code != kernel.Load || p.Shapes[d.Args[0]] != loops.Unit || p.k.Regions[d.Region].Access != kernel.Read {
		return nil, false
	}
	return d, widen
}

func (p *plan) large(region int) bool {
	n, known := p.k.Regions[region].Len.Const()
	return !known || n > smallTable
}
