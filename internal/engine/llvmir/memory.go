package llvmir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Regions do not overlap in a run, nor does the block with any of them. Each
// is an alias scope; -1 is the block's.

// aliasing is the metadata of an access to a region.
func (e *emitter) aliasing(region int) string {
	return fmt.Sprintf("!alias.scope !%d, !noalias !%d", 2+3*(region+1)+1, 2+3*(region+1)+2)
}

// scopes writes the domain and, for the block and each region, its scope, the
// list with just it, and the list of all others.
func (e *emitter) scopes(b *strings.Builder) {
	b.WriteString("!1 = distinct !{!1}\n")
	for r := -1; r < len(e.k.Regions); r++ {
		n := 2 + 3*(r+1)
		fmt.Fprintf(b, "!%d = distinct !{!%d, !1}\n!%d = !{!%d}\n!%d = !{", n, n, n+1, n, n+2)
		comma := ""
		for o := -1; o < len(e.k.Regions); o++ {
			if o != r {
				fmt.Fprintf(b, "%s!%d", comma, 2+3*(o+1))
				comma = ", "
			}
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(b, "!%d = !{i32 1}\n", e.onceNode())
	if e.guesses {
		fmt.Fprintf(b, "!%d = !{}\n", e.guessNode())
	}
}

// onceNode is the metadata of stores that go past the caches.
func (e *emitter) onceNode() int { return 2 + 3*(len(e.k.Regions)+1) }

// guessNode is that of choices that a branch would get wrong.
func (e *emitter) guessNode() int { return e.onceNode() + 1 }

// inBlock is the address at an offset in the block of arguments.
func (e *emitter) inBlock(off int64) string {
	return e.set("getelementptr i8, ptr %%block, i64 %d", off)
}

func (e *emitter) fromBlock(t string, off int64) string {
	return e.set("load %s, ptr %s, align 8, %s", t, e.inBlock(off), e.aliasing(-1))
}

// address is where an element lies. It may wrap around: the base of a window
// is virtual.
func (e *emitter) address(region int, index string) string {
	return e.set("getelementptr %s, ptr %s, i64 %s", typ{e.k.Regions[region].Elem, 1}.inMemory(), e.bases[region], index)
}

// load reads t.n elements from index on. Whoever holds the region may have put
// any byte where a Bool is; its lowest bit counts.
func (e *emitter) load(region int, index string, t typ) string {
	m := t.inMemory()
	v := e.set("%s %s, ptr %s, align %d, %s", loadLane(t.n == 1 && e.shortStores[region]), m, e.address(region, index), t.kind.Size(), e.aliasing(region))
	if t.kind == num.Bool {
		return e.set("trunc %s %s to %s", m, v, t)
	}
	return v
}

func (e *emitter) store(region int, index string, t typ, v string) {
	e.storeAligned(region, index, t, v, t.kind.Size(), "")
}

// storePast stores whole vectors past the caches.
func (e *emitter) storePast(region int, index string, t typ, v string) {
	e.storeAligned(region, index, t, v, e.t.VectorBytes, fmt.Sprintf(", !nontemporal !%d", e.onceNode()))
}

func (e *emitter) storeAligned(region int, index string, t typ, v string, align int, more string) {
	m := t.inMemory()
	if t.kind == num.Bool {
		v = e.set("zext %s %s to %s", t, v, m)
	}
	if t.n > 1 && t.n*t.kind.Size() < fed {
		e.shortStores[region] = true
	}
	e.line("store %s %s, ptr %s, align %d, %s%s", m, v, e.address(region, index), align, e.aliasing(region), more)
}

func (e *emitter) loadInstr(in *kernel.Instr) {
	t := typ{e.k.Regions[in.Region].Elem, e.lanes}
	if packed, ok := e.packed[in]; ok && t.n > 1 {
		e.give(in.Out[0], packed(), t.n)
		return
	}
	if value, ok := e.carried[in]; ok {
		e.bind(in.Out[0], value)
		return
	}
	switch at := e.at(in.Args[0]); {
	case at.shape() == loops.Uniform:
		e.bind(in.Out[0], e.loadIndex(in.Region, at.text, t.scalar()))
	case at.shape() == loops.Unit:
		e.give(in.Out[0], e.loadIndex(in.Region, at.text, t), t.n)
	case at.falls():
		e.give(in.Out[0], e.backwards(t, e.loadIndex(in.Region, e.lowest(at, t), t)), t.n)
	default:
		e.give(in.Out[0], e.gather(in, t), t.n)
	}
}

// falls reports an index that is one less from lane to lane: its elements lie side by side, the last lane's first.
func (o operand) falls() bool { return o.stride == "-1" }

// lowest is the last lane of such an index.
func (e *emitter) lowest(o operand, t typ) string { return e.lane(o, t, t.n-1) }

// backwards is a vector with its last lane first.
func (e *emitter) backwards(t typ, v string) string {
	lanes := make([]string, t.n)
	for i := range lanes {
		lanes[i] = fmt.Sprintf("i32 %d", t.n-1-i)
	}
	return e.set("shufflevector %s %s, %s poison, <%d x i32> <%s>", t, v, t, t.n, strings.Join(lanes, ", "))
}

// gather loads element by element: the processors' own instructions for it
// are no faster.
func (e *emitter) gather(in *kernel.Instr, t typ) string {
	v := "poison"
	for j, index := range e.lanesOf(in.Args[0]) {
		v = e.set("insertelement %s %s, %s %s, i64 %d", t, v, t.scalar(), e.loadIndex(in.Region, index, t.scalar()), j)
	}
	return v
}

// lanesOf gives the lanes of a value one by one. What comes straight from
// consecutive elements is loaded again, which is cheaper than taking a vector
// apart.
func (e *emitter) lanesOf(v kernel.Value) []string {
	out := make([]string, e.lanes)
	d := e.Def[v]
	if d != nil && d.Code == kernel.Convert && d.From.IsInt() && d.Kind.IsInt() && d.Site == kernel.NoSite && e.at(v).wide {
		for j, x := range e.lanesOf(d.Args[0]) {
			out[j] = e.resize(x, d.From, d.Kind, 1)
		}
		return out
	}
	again := d != nil && d.Code == kernel.Load && e.at(d.Args[0]).shape() == loops.Unit && e.k.Regions[d.Region].Access == kernel.Read
	for j := range out {
		if again {
			out[j] = e.loadIndex(d.Region, e.lane(e.at(d.Args[0]), typ{num.I64, 1}, j), typ{e.Kind(v), 1})
		} else {
			out[j] = e.lane(e.at(v), typ{e.Kind(v), e.lanes}, j)
		}
	}
	return out
}

func (e *emitter) storeInstr(in *kernel.Instr) {
	t := typ{e.k.Regions[in.Region].Elem, e.lanes}
	at := e.at(in.Args[0])
	switch {
	case at.shape() == loops.Unit:
		if slices.Contains(e.past, in) {
			e.storePast(in.Region, at.text, t, e.vector(in.Args[1], t.n))
			return
		}
		e.store(in.Region, at.text, t, e.vector(in.Args[1], t.n))
	case at.shape() == loops.Uniform:
		e.store(in.Region, at.text, t.scalar(), e.scalar(in.Args[1]))
		if e.appends[in] {
			e.askBehind(in.Region, at.text)
		}
	case at.falls():
		e.store(in.Region, e.lowest(at, t), t, e.backwards(t, e.vector(in.Args[1], t.n)))
	default:
		for j, index := range e.lanesOf(in.Args[0]) {
			e.store(in.Region, index, t.scalar(), e.lane(e.at(in.Args[1]), t, j))
		}
	}
}
