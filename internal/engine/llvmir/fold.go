package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// fold picks the form of a Fold.
func (e *emitter) fold(in *kernel.Instr) {
	if e.lanes > 1 && loops.SameInAll(in, e.shapes) { // once for all lanes
		lanes := e.lanes
		e.lanes = 1
		e.fold(in)
		e.lanes = lanes
		return
	}
	outer := e.comparing
	defer func() { e.comparing = outer }()
	if e.comparing = nil; e.lanes == 1 && !e.plain && e.rows(in) {
		return
	}
	e.comparing = in
	if e.IsWrittenOut(in) && !e.plain {
		e.writtenOut(in)
		return
	}
	ordered, others := e.accumulators(in)
	from, to := e.scalar(in.Args[0]), e.scalar(in.Args[1])
	switch {
	case len(ordered) == 0:
		e.finish(in, e.lanes, nil, e.foldSlots(in, from, to, e.start(others, e.lanes), others, nil))
	case in.Tree:
		e.foldTree(in, from, to, ordered, others)
	default:
		e.foldLeaves(in, from, to, ordered, others)
	}
}

// foldSlots runs the body for the slots from..to, in lanes, and combines the
// accumulators others; each, if not nil, is called after the body.
func (e *emitter) foldSlots(in *kernel.Instr, from, to string, init []state, others []accumulator, each func(i string)) []string {
	b := &in.Blocks[0]
	return e.turns(in, from, to, init, func(i string, c []string) ([]string, string) {
		e.bind(b.Params[0], i)
		e.body(b)
		if each != nil {
			each(i)
		}
		return e.take(others, e.lanes, c, b.Params[0]), ""
	})
}

// foldTree makes each slot a leaf.
func (e *emitter) foldTree(in *kernel.Instr, from, to string, ordered, others []accumulator) {
	t := e.newTree(ordered, e.lanes)
	init := append(e.start(others, e.lanes), counter)
	last := len(init) - 1
	b := &in.Blocks[0]
	end := e.turns(in, from, to, init, func(i string, c []string) ([]string, string) {
		e.bind(b.Params[0], i)
		e.body(b)
		count := t.push(c[last], e.rounded(ordered, e.values(ordered)))
		return append(e.take(others, e.lanes, c[:last], b.Params[0]), count), ""
	})
	e.finish(in, e.lanes, t.close(end[last]), end[:last])
}

// folded is what the body has given to an accumulator: a value, or under
// FoldMulAdd two factors.
type folded struct{ x, y string }

// values are what the body has just given to accumulators.
func (e *emitter) values(accs []accumulator) []folded {
	var r []folded
	for _, a := range accs {
		if a.factors != nil {
			r = append(r, folded{e.vector(a.factors[0], e.lanes), e.vector(a.factors[1], e.lanes)})
			continue
		}
		r = append(r, folded{x: e.vector(a.value, e.lanes)})
	}
	return r
}

// into combines n lanes with what the body has given.
func (e *emitter) into(a accumulator, n int, lanes string, v folded) string {
	if a.factors != nil {
		return e.fused(typ{a.Kind, n}, v.x, v.y, lanes)
	}
	return e.combine(a, n, []string{lanes}, []string{v.x})[0]
}

// alone is what lanes that nothing was given to before are after v.
func (e *emitter) alone(a accumulator, n int, v folded) string {
	if a.factors != nil {
		return e.two("fmul", typ{a.Kind, n}, v.x, v.y)
	}
	return v.x
}

func (e *emitter) rounded(accs []accumulator, vs []folded) []string {
	var r []string
	for i, a := range accs {
		r = append(r, e.alone(a, e.lanes, vs[i]))
	}
	return r
}

// foldLeaves keeps the lanes of a leaf in memory, each as wide as there are
// turns side by side.
func (e *emitter) foldLeaves(in *kernel.Instr, from, to string, ordered, others []accumulator) {
	m := e.newLaneMemory(ordered, e.lanes, e.Short(in, loops.ShortEnough(in)))
	one := e.Short(in, num.Leaf)
	t := &tree{}
	if !one {
		t = e.newTree(ordered, e.lanes)
	}
	init := append(e.start(others, e.lanes), counter)
	last := len(init) - 1
	var leaf []string
	end := e.strips(from, to, num.Leaf, one, init, func(from, to string, s []state) ([]string, string) {
		count := e.turnCount(from, to)
		m.clear(count)
		next := e.foldSlots(in, from, to, s[:last], others, func(i string) {
			m.add(e.set("sub i64 %s, %s", i, from), e.values(ordered))
		})
		leaf = m.fold(count)
		if one {
			return append(next, "0"), ""
		}
		return append(next, t.push(s[last].text, leaf)), ""
	})
	if !one {
		leaf = t.close(end[last])
	}
	e.finish(in, e.lanes, leaf, end[:last])
}
