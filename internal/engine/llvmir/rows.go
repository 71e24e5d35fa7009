package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// rowFold is a Fold over consecutive slots in vectors. Those in canonical
// order are taken a row at a time, so that lane j of the vector is lane j of
// the leaf.
type rowFold struct {
	*plan
	ordered, others []accumulator
	wide            []accumulator // of the others: with lanes of their own kind
	wideAt          []int         // their first words among those of the others
	sums            []narrowSum   // of the others: with narrow lanes
	n               int
	one             bool // there is one leaf at most
	tree            *tree
	memory          *laneMemory
}

// rowsAtOnce is how many rows of up to fewValues values stand one behind the other in the text. A processor looks ahead some hundred
// instructions; the fewer there are for a row, the more loads of memory it has under way.
const (
	rowsAtOnce = 4
	fewValues  = 12
)

// rows writes a Fold in lanes, if it has a plan.
func (e *emitter) rows(in *kernel.Instr) bool {
	p, _ := e.Plan(in)
	if p == nil {
		return false
	}
	f := &rowFold{plan: e.of(p), n: p.Lanes, one: e.Short(in, num.Leaf)}
	f.ordinary()
	f.ordered, f.others = e.accumulators(in)
	f.narrow()
	f.memory = e.newLaneMemory(f.ordered, 1, false)
	if !f.one {
		f.tree = e.newTree(f.ordered, 1)
	}
	f.write()
	return true
}

// write gives the results. A fold inside of a loop runs often, and mostly over one leaf. So there are two texts: one for a single leaf, which
// needs no tree, and one for more. A push into the tree costs as much as some dozens of slots.
func (f *rowFold) write() {
	if f.one || f.ofKernel() || len(f.ordered) == 0 {
		sums, rest := f.leaves()
		f.finish(f.In, 1, sums, rest)
		return
	}
	results := slices.Concat(f.start(f.ordered, 1), f.start(f.others, 1))
	leaves := func(one bool) func() []string {
		return func() []string {
			f.one = one
			return slices.Concat(f.leaves())
		}
	}
	count := f.set("sub i64 %s, %s", f.scalar(f.In.Args[1]), f.scalar(f.In.Args[0]))
	got := f.oneOf(f.set("icmp sle i64 %s, %d", count, num.Leaf), results, leaves(true), leaves(false))
	f.finish(f.In, 1, got[:len(f.ordered)], got[len(f.ordered):])
}

// leaves goes leaf by leaf. The others' vectors and scalars and the number of
// leaves are carried from one to the next.
func (f *rowFold) leaves() (sums, rest []string) {
	wide, scalars := f.start(f.wide, f.n), f.start(f.others, 1)
	init := append(append(wide, scalars...), counter)
	var leaf []string
	end := f.strips(f.scalar(f.In.Args[0]), f.scalar(f.In.Args[1]), num.Leaf, f.one, init, func(from, to string, s []state) ([]string, string) {
		next, sums := f.leaf(from, to, s[:len(wide)], s[len(wide):len(init)-1])
		if f.one {
			leaf = sums
			return append(next, "0"), ""
		}
		return append(next, f.tree.push(s[len(init)-1].text, sums)), ""
	})
	if !f.one {
		leaf = f.tree.close(end[len(init)-1])
	}
	return leaf, f.close(end[:len(wide)], end[len(wide):len(init)-1])
}

// ofKernel reports a fold that stands in no loop: its slots are all that an outer index has to do.
func (f *rowFold) ofKernel() bool {
	list := f.k.Body.Instrs
	for i := range list {
		if &list[i] == f.In {
			return true
		}
	}
	return false
}

// close adds the others' vectors to their scalars.
func (f *rowFold) close(vectors, scalars []string) []string {
	for j, a := range f.wide {
		words := len(a.words(1))
		scalars = f.added(scalars, f.wideAt[j], a, f.halves(a, f.n, vectors[:words]))
		vectors = vectors[words:]
	}
	return scalars
}

// added combines a partial with that of an accumulator, which starts at a
// word of the scalars.
func (f *rowFold) added(scalars []string, at int, a accumulator, x []string) []string {
	scalars = slices.Clone(scalars)
	copy(scalars[at:], f.combine(a, 1, x, scalars[at:at+len(x)]))
	return scalars
}

// leaf folds the slots from..to, the last few of them one by one.
func (f *rowFold) leaf(from, to string, wide, rest []state) (next, sums []string) {
	end := func(n int) string {
		return f.set("add i64 %s, %s", from, f.set("and i64 %s, %d", f.turnCount(from, to), -n))
	}
	mid := end(f.n)
	var rows []state
	for _, a := range f.ordered {
		t := typ{a.Kind, num.Lanes(a.Kind)}
		rows = append(rows, state{t, f.identity(a, t.n)[0]})
	}
	lanes := append(append(rows[:len(rows):len(rows)], wide...), f.startSums()...)
	got := f.wholeRows(from, mid, end(rowsAtOnce*f.n), lanes)
	rows, vectors := with(rows, got[:len(rows)]), got[len(rows):len(rows)+len(wide)]
	rest = with(rest, f.addSums(got[len(rows)+len(wide):], texts(rest)))
	states := append(rows[:len(rows):len(rows)], rest...)
	got = f.when(f.set("icmp slt i64 %s, %s", mid, to), states, func() []string {
		if f.masks() {
			return f.masked(mid, to, rows)
		}
		return f.remainder(from, mid, to, rows, rest)
	})
	for j, a := range f.ordered {
		sums = append(sums, f.halves(a, num.Lanes(a.Kind), got[j:j+1])[0])
	}
	return append(vectors[:len(wide):len(wide)], got[len(rows):]...), sums
}

// wholeRows folds the slots from..mid, several chunks in one turn up to several, with stores past the caches if that is worth it.
func (f *rowFold) wholeRows(from, mid, several string, lanes []state) []string {
	if stores := f.stores(f.n); len(stores) > 0 {
		return f.oneOf(f.worthPast(stores, from), lanes, func() []string {
			f.past = stores
			got := f.chunks(from, mid, 1, lanes, f.wide)
			f.fencePast()
			return got
		}, func() []string { return f.chunks(from, mid, 1, lanes, f.wide) })
	}
	first, got := from, texts(lanes)
	if f.Work.Data <= fewValues && f.ofKernel() {
		first = several
		if f.quick() {
			got = f.quickly(from, first, lanes)
		} else {
			got = f.chunks(from, first, rowsAtOnce, lanes, f.wide)
		}
	}
	return f.chunks(first, mid, 1, with(lanes, got), f.wide)
}

// chunks folds the slots from..to, several chunks in one turn of a loop.
func (f *rowFold) chunks(from, to string, several int, lanes []state, wide []accumulator) []string {
	told := f.told(f.In)
	return f.loop(from, to, int64(several*f.n), lanes, func(i string, c []string) ([]string, string) {
		for j := range several {
			at := i
			if j > 0 {
				at = f.set("add i64 %s, %d", i, j*f.n)
			}
			f.askAhead(told, at, f.n)
			f.sharing(f.n, func() { c = f.chunk(at, c, wide) })
		}
		return c, ""
	})
}

// chunk folds n slots into the lanes: those of the ordered accumulators, those of the wide ones as they are given, and those of the sums.
func (f *rowFold) chunk(i string, c []string, wide []accumulator) []string {
	f.vals[f.Body.Params[0]] = operand{text: i, stride: "1"}
	if f.isTwice() {
		f.twice(f.n)
	} else {
		f.emitter.body(f.Body)
	}
	var next []string
	for j, v := range f.values(f.ordered) {
		next = append(next, f.takeRow(f.ordered[j], f.n, c[j], v))
	}
	sums := len(f.ordered)
	for _, a := range wide {
		sums += len(a.words(f.n))
	}
	next = append(next, f.take(wide, f.n, c[len(f.ordered):sums], f.Body.Params[0])...)
	return append(next, f.takeSums(c[sums:])...)
}

// remainder adds the slots mid..to of a leaf that starts at from.
func (f *rowFold) remainder(from, mid, to string, rows, rest []state) []string {
	for j, r := range rows {
		f.memory.storeRow(j, r.text)
	}
	told := f.told(f.In)
	next := f.loop(mid, to, 1, rest, func(i string, c []string) ([]string, string) {
		f.askAhead(told, i, 1)
		f.bind(f.Body.Params[0], i)
		f.emitter.body(f.Body)
		if len(rows) > 0 {
			f.memory.add(f.set("sub i64 %s, %s", i, from), f.values(f.ordered))
		}
		return f.take(f.others, 1, c, f.Body.Params[0]), ""
	})
	var got []string
	for j := range rows {
		got = append(got, f.memory.loadRow(j))
	}
	return append(got, next...)
}

// takeRow combines n lanes of a value, which are one or more rows, into a row.
func (e *emitter) takeRow(a accumulator, n int, row string, v folded) string {
	t := typ{a.Kind, num.Lanes(a.Kind)}
	for from := 0; from < n; from += t.n {
		part := v
		if n > t.n {
			part.x = e.part(typ{a.Kind, n}, v.x, from, t.n)
			if a.factors != nil {
				part.y = e.part(typ{a.Kind, n}, v.y, from, t.n)
			}
		}
		row = e.into(a, t.n, row, part)
	}
	return row
}
