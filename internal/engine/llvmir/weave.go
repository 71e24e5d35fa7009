package llvmir

import (
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop whose iterations follow references (see loops.Weave). Out: the same with several iterations under way. A state has
// asked for the element that its next turn loads, then all the others have a turn, and when it comes round the element is there.
// States rest in columns on the stack. Invariant: what is behind the walks runs in the order of the iterations, on the same values.

// MostWeave is the greatest number of states in flight.
const MostWeave = 64

// mostBatch is how many uneven walks are begun before the first ends; less if their columns would not stay in the first cache.
const (
	mostBatch   = 1024
	leastBatch  = 4 * MostWeave
	columnBytes = 24 << 10
)

// mode is whether iterations that can be interleaved are.
type mode uint8

const (
	asked  mode = iota // the block says
	always             // the block has said so
	never              // the block has said not
)

// weaves is the plan by which a loop's iterations are interleaved; nil for none.
func (e *emitter) weaves(in *kernel.Instr) *loops.Weave {
	if e.lanes > 1 || e.plain || e.mode == never || e.weaving != nil {
		return nil
	}
	w, _ := e.Weave(in)
	return w
}

func (e *emitter) weavingIs(m mode, f func()) {
	before := e.mode
	e.mode = m
	f()
	e.mode = before
}

// isWoven is the condition that several states are wanted.
func (e *emitter) isWoven() string { return e.set("icmp sgt i64 %s, 0", e.inFlight) }

// isWritten reports an instruction of an iteration that ran before its walk, or is the walk.
func (e *emitter) isWritten(in *kernel.Instr) bool {
	return e.weaving != nil && e.weaving.behind && e.weaving.Early(in) && !loops.Everywhere(in)
}

// weaving is such a loop.
type weaving struct {
	*emitter
	*loops.Weave
	base    string // the iteration of row 0
	carried []cells
	kept    []cells // values made before the walks
	behind  bool    // what is behind the walks is being written
	// Of uneven walks.
	turn, end []cells // of each row: the turn that it is at, and the end of its turns; nil where all have the same
	ready     string  // rows with walks that have turns; "" where all have
	live      string  // rows whose walks are under way
}

// cells is a column with a cell for each row.
type cells struct {
	v    kernel.Value
	t    typ
	addr string
}

// woven runs the turns of a loop as inOrder does.
func (e *emitter) woven(w *loops.Weave, from, to string, init []state, body func(i string, c []string) (next []string, stop string)) []string {
	x := &weaving{emitter: e, Weave: w}
	e.weaving = x
	rows := x.columns()
	each := e.inFlight
	if !w.Even {
		each = strconv.Itoa(rows)
	}
	count := e.turnCount(from, to)
	batches := e.set("udiv i64 %s, %s", e.set("add i64 %s, %s", count, e.set("sub i64 %s, 1", each)), each)
	out := e.loop("0", batches, 1, init, func(batch string, c []string) ([]string, string) {
		e.lookAtStop()
		x.base = e.set("add i64 %s, %s", from, e.set("mul i64 %s, %s", batch, each))
		n := e.pure("llvm.smin", typ{num.I64, 1}, e.set("sub i64 %s, %s", to, x.base), each)
		ready := x.begin(n)
		if w.Even {
			x.inStep(n)
		} else {
			x.queue(ready)
		}
		return x.finish(n, with(init, c), body), ""
	})
	e.weaving = nil
	return out
}

// columns reserves memory, and gives the number of rows.
func (x *weaving) columns() int {
	values := append(slices.Clone(x.Kept), x.Later...)
	slices.Sort(values)
	values = slices.Compact(values)
	rows := MostWeave
	if !x.Even {
		bytes := 8 * (len(values) + len(x.Walk.Carry) + 2)
		for rows = mostBatch; rows > leastBatch && rows*bytes > columnBytes; {
			rows /= 2
		}
	}
	column := func(v kernel.Value, k num.Kind) cells {
		t := typ{k, 1}
		return cells{v, t, x.alloca(rows, t)}
	}
	for j, c := range x.Walk.Carry {
		x.carried = append(x.carried, column(x.Walk.Out[j], c.Kind))
	}
	for _, v := range values {
		x.kept = append(x.kept, column(v, x.Kind(v)))
	}
	if !x.Even {
		x.turn = []cells{column(kernel.None, num.I64)}
		x.live = x.alloca(MostWeave, typ{num.I64, 1})
		if !x.Ends {
			x.end = []cells{column(kernel.None, num.I64)}
			x.ready = x.alloca(rows, typ{num.I64, 1})
		}
	}
	return rows
}

// put and get are the store and the load of a cell. A Bool takes a byte.
func (x *weaving) put(c cells, row, v string) {
	m := c.t.inMemory()
	if c.t.kind == num.Bool {
		v = x.set("zext i1 %s to %s", v, m)
	}
	x.keep(m, v, x.set("getelementptr %s, ptr %s, i64 %s", m, c.addr, row))
}

func (x *weaving) get(c cells, row string) string {
	m := c.t.inMemory()
	v := x.recall(m, x.set("getelementptr %s, ptr %s, i64 %s", m, c.addr, row))
	if c.t.kind == num.Bool {
		return x.set("trunc %s %s to i1", m, v)
	}
	return v
}

func (x *weaving) getAll(list []cells, row string) (texts []string) {
	for _, c := range list {
		texts = append(texts, x.get(c, row))
	}
	return texts
}

// begin runs what is before the walks of n iterations, and asks for what walks in step load first. It gives the number of
// uneven walks that have turns.
func (x *weaving) begin(n string) (ready string) {
	walk := x.Walk
	if len(x.First) > 0 {
		x.loop("0", n, 1, nil, func(row string, _ []string) ([]string, string) {
			x.bind(x.In.Blocks[0].Params[0], x.set("add i64 %s, %s", x.base, row))
			x.askFor(x.First)
			return nil, ""
		})
	}
	out := x.loop("0", n, 1, []state{counter}, func(row string, c []string) ([]string, string) {
		x.bind(x.In.Blocks[0].Params[0], x.set("add i64 %s, %s", x.base, row))
		x.noting(func() {
			for _, in := range x.Before {
				x.instr(in)
			}
		})
		for j, col := range x.carried {
			x.put(col, row, x.scalar(walk.Args[2+j]))
		}
		for _, col := range x.kept {
			x.put(col, row, x.scalar(col.v))
		}
		from, to := x.scalar(walk.Args[0]), x.scalar(walk.Args[1])
		if x.Even {
			x.ask(from, x.initial())
			return c, ""
		}
		x.put(x.turn[0], row, from)
		if x.Ends {
			return c, ""
		}
		x.put(x.end[0], row, to)
		x.keep(typ{num.I64, 1}, row, x.place(x.ready, c[0]))
		return []string{x.set("add i64 %s, %s", c[0], x.set("zext i1 %s to i64", x.set("icmp slt i64 %s, %s", from, to)))}, ""
	})
	if x.Ends && !x.Even {
		return x.set("select i1 %s, i64 %s, i64 0", x.set("icmp slt i64 %s, %s", x.scalar(walk.Args[0]), x.scalar(walk.Args[1])), n)
	}
	return out[0]
}

func (x *weaving) initial() (values []string) {
	for _, v := range x.Walk.Args[2:] {
		values = append(values, x.scalar(v))
	}
	return values
}

func (x *weaving) place(column, row string) string {
	return x.set("getelementptr i64, ptr %s, i64 %s", column, row)
}

// noting writes f and the faults that it notes.
func (e *emitter) noting(f func()) {
	outside := e.pending
	e.pending = nil
	f()
	e.flush()
	e.pending = outside
}

// inStep runs walks of one length, a turn of all and then the next, until none of them changes any more.
func (x *weaving) inStep(n string) {
	walk := x.Walk
	var all []state // that have settled
	_, ends := x.going(walk)
	if ends {
		all = append(all, state{typ{num.Bool, 1}, "true"})
	}
	x.strips(x.scalar(walk.Args[0]), x.scalar(walk.Args[1]), outerStrip, x.Short(walk, outerStrip), all, func(from, to string, s []state) ([]string, string) {
		done := x.loop(from, to, 1, s, func(i string, _ []string) ([]string, string) {
			done := x.loop("0", n, 1, all, func(row string, c []string) ([]string, string) {
				next, settled := x.advance(row, i)
				if ends {
					c = []string{x.set("and i1 %s, %s", c[0], settled)}
				}
				x.ask(x.set("add i64 %s, 1", i), next)
				return c, ""
			})
			return done, strings.Join(done, "")
		})
		return done, strings.Join(done, "")
	})
}

// advance runs turn i of a walk, and gives what is carried into the next, and the condition that no other need follow, if there
// is one.
func (x *weaving) advance(row, i string) (next []string, stop string) {
	b := &x.Walk.Blocks[0]
	x.bindRow(row)
	x.bind(b.Params[0], i)
	for j, v := range x.getAll(x.carried, row) {
		x.bind(b.Params[1+j], v)
	}
	x.body(b)
	for j, col := range x.carried {
		next = append(next, x.scalar(b.Results[j]))
		x.put(col, row, next[j])
	}
	if x.Walk.Stop {
		return next, x.scalar(b.Results[len(x.carried)])
	}
	return next, x.settled(x.Walk)
}

// bindRow gives the values of an iteration their meaning that a walk uses.
func (x *weaving) bindRow(row string) {
	x.bind(x.In.Blocks[0].Params[0], x.set("add i64 %s, %s", x.base, row))
	for _, col := range x.kept {
		if slices.Contains(x.Kept, col.v) {
			x.bind(col.v, x.get(col, row))
		}
	}
}

// ask has the memory look for what turn i loads if these values are carried into it. It may be that it never comes.
func (x *weaving) ask(i string, carried []string) {
	b := &x.Walk.Blocks[0]
	x.bind(b.Params[0], i)
	for j, v := range carried {
		x.bind(b.Params[1+j], v)
	}
	x.askFor(x.Far)
}

// askFor computes places and has the memory look for them. Faults on the way are not noted: they are where the loads are.
func (x *weaving) askFor(list []loops.Far) {
	outside := x.pending
	for _, f := range list {
		var inner []*kernel.Instr
		if f.Inner != nil {
			inner = append(inner, f.Inner)
		}
		x.askPlace(f.Load.Region, f.Load.Args[0], f.Chain, inner, false)
	}
	x.pending = outside
}

// finish runs what is behind the walks of n iterations, in order.
func (x *weaving) finish(n string, init []state, body func(i string, c []string) (next []string, stop string)) []string {
	x.behind = true
	out := x.loop("0", n, 1, init, func(row string, c []string) ([]string, string) {
		for _, col := range x.kept {
			if slices.Contains(x.Later, col.v) {
				x.bind(col.v, x.get(col, row))
			}
		}
		for j, v := range x.getAll(x.carried, row) {
			x.bind(x.Walk.Out[j], v)
		}
		next, _ := body(x.set("add i64 %s, %s", x.base, row), c)
		return next, ""
	})
	x.behind = false
	return out
}
