package llvmir

import (
	"maps"
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop whose indices tell where later turns load or store (see loops.Ahead). Out: the same loop, which has the memory look
// for these places as many turns before as the block says. Indices are in order, so those of the turns of the loop around follow
// behind its own: one looks past the end of a short row. Invariant: no index is read behind the end that the block has for its
// region; from there on the last ones are read once more. What is asked for need not exist.

// told are the places of a loop that are asked for beforehand.
func (e *emitter) told(in *kernel.Instr) []loops.Ahead {
	if e.lanes > 1 || e.mode == never {
		return nil
	}
	return e.Ahead(in)
}

// asks reports that the block is known to say that places are asked for.
func (e *emitter) asks() bool { return e.mode == always || e.weaving != nil }

// inOrderAsking is inOrder, once with places asked for and once without, as the block says.
func (e *emitter) inOrderAsking(in *kernel.Instr, from, to string, init []state, body func(i string, c []string) (next []string, stop string)) []string {
	list := e.told(in)
	if len(list) == 0 {
		return e.inOrder(in, from, to, init, body)
	}
	asking := func() []string {
		return e.inOrder(in, from, to, init, func(i string, c []string) ([]string, string) {
			e.askAhead(list, i, 1)
			return body(i, c)
		})
	}
	if e.asks() || e.plain { // few turns, which are not worth being written twice
		return asking()
	}
	as := func(m mode, f func() []string) func() []string {
		return func() (out []string) {
			e.weavingIs(m, func() { out = f() })
			return out
		}
	}
	return e.oneOf(e.isWoven(), init, as(always, asking), as(never, func() []string { return e.inOrder(in, from, to, init, body) }))
}

// askAhead asks for the places of n turns of which the first comes some turns after turn i, if the block says so. All n turns from i on
// are turns of the loop.
func (e *emitter) askAhead(list []loops.Ahead, i string, n int) {
	if len(list) == 0 {
		return
	}
	if !e.asks() {
		e.when(e.isWoven(), nil, func() []string {
			e.askFrom(list, i, n)
			return nil
		})
		return
	}
	e.askFrom(list, i, n)
}

func (e *emitter) askFrom(list []loops.Ahead, i string, n int) {
	lanes, shapes, outside := e.lanes, e.shapes, e.pending
	e.lanes, e.shapes = 1, nil
	turns := e.inFlight
	if n > 1 {
		turns = e.pure("llvm.smax", typ{num.I64, 1}, turns, strconv.Itoa(n))
	}
	var last *kernel.Instr
	first := ""
	for j := range list {
		x := &list[j]
		if x.Index != last {
			last, first = x.Index, e.indexAhead(x, i, turns, n)
		}
		for lane := range int64(n) {
			index := e.set("add i64 %s, %d", first, lane*x.From.Step)
			e.bind(x.Index.Out[0], e.load(x.Index.Region, index, typ{e.k.Regions[x.Index.Region].Elem, 1}))
			e.askPlace(x.Region, x.At, x.Chain, x.Inner, x.Stores)
		}
	}
	e.lanes, e.shapes, e.pending = lanes, shapes, outside
}

// indexAhead is where the index of the first of n turns lies that come so many turns after turn i.
func (e *emitter) indexAhead(x *loops.Ahead, i, turns string, n int) string {
	index := e.set("mul i64 %s, %d", e.set("add i64 %s, %s", i, turns), x.From.Step)
	for _, v := range slices.Sorted(maps.Keys(x.From.Terms)) {
		index = e.set("add i64 %s, %s", index, e.set("mul i64 %s, %d", e.scalar(v), x.From.Terms[v]))
	}
	index = e.set("add i64 %s, %d", index, x.From.C)
	end := e.ends[slices.Index(e.lay.Indices, x.Index.Region)]
	return e.pure("llvm.smin", typ{num.I64, 1}, index, e.set("sub i64 %s, %d", end, 1+int64(n-1)*x.From.Step))
}

// mostLines is how many lines are asked for from a place on, where the loop goes on from it.
const mostLines = 4

// askPlace asks for a place that these instructions compute, to load from or to store to, and for what the loops inside come to from
// there. What is bound on the way has another meaning for the turn itself, which is written afterwards.
func (e *emitter) askPlace(region int, place kernel.Value, chain, inner []*kernel.Instr, stores bool) {
	for _, in := range chain {
		if !loops.IsLoop(in) {
			e.instr(in)
			continue
		}
		for j, v := range in.Blocks[0].Params { // what is not needed may have no meaning here
			from := in.Args[0]
			if j > 0 {
				from = in.Args[1+j]
			}
			e.bind(v, e.scalar(from))
		}
	}
	// What is read is asked for into the second cache, since the first has few requests under way, with which loads come, too.
	how, near := "i32 0", "i32 2"
	if stores {
		how, near = "i32 1", "i32 3"
	}
	at := e.address(region, e.scalar(place))
	for off := int64(0); off < min(e.goesOn(region, place, inner), mostLines*lineBytes); off += lineBytes {
		e.line("%s", e.called("void", "llvm.prefetch.p0", nil, []string{"ptr " + e.set("getelementptr i8, ptr %s, i64 %d", at, off), how, near, "i32 1"}))
	}
}

// goesOn is how many bytes a turn goes through from the place on.
func (e *emitter) goesOn(region int, place kernel.Value, inner []*kernel.Instr) int64 {
	size := int64(e.k.Regions[region].Elem.Size())
	if len(inner) == 0 {
		return size
	}
	in := inner[len(inner)-1]
	from, ok := e.ConstInt(in.Args[0])
	to, ok2 := e.ConstInt(in.Args[1])
	if s, sum := e.Sum(place, &in.Blocks[0]); !sum || s.Step != 1 || !ok || !ok2 {
		return size
	}
	return max(1, to-from) * size
}
