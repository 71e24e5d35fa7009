package wasm

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/loops"
)

// In: a loop whose iterations follow references (see loops.Weave). Out: code that takes several iterations at a time: what is before
// their walks, then a turn of each walk after the other until all are done, then what is behind, in order. WebAssembly has no prefetch,
// so states are locals, and the processor looks for as many elements as there are walks in the text. Invariant: bits and faults are those of
// iterations one by one. A walk that has ended stays where it was before its last turn and makes that again, as long as others go
// on: what it loads there exists, a fault notes the same place, and nothing is stored.

// inStep is such a loop.
type inStep struct {
	*emitter
	*loops.Weave
	n     *node // the loop
	walk  *node
	t     *turns
	lanes []*walker
}

// walker is one of the iterations.
type walker struct {
	at    []local // of each value
	state []local // what is carried into the next turn
	next  []local // what comes out of a turn; of walks that may stop
	turn  local   // I64, of walks that may stop and use it
}

// stepped is how a loop goes in step; nil if it does not.
func (e *emitter) stepped(n *node, t *turns) *inStep {
	w, _ := e.t.Weave(n.Instr)
	if w == nil {
		return nil
	}
	s := &inStep{emitter: e, Weave: w, n: n, t: t}
	for _, c := range n.blocks[0].code {
		if c.Instr == w.Walk {
			s.walk = c
		}
	}
	count := min(w.Abreast(), stripSize(e.loopSize(n).turn))
	if s.walk == nil || count < 2 {
		return nil
	}
	for range count {
		s.lanes = append(s.lanes, &walker{})
	}
	return s
}

// rows emits the turns of a loop from t.i to t.end, of which there is at least one: several at a time, as long as so many are left and
// the block of arguments says so, and then one by one. turn is what ends an iteration whose body has run.
func (e *emitter) rows(n *node, t *turns, turn func()) {
	one := func() {
		again := e.loop()
		e.scope(func() {
			e.nodes(n.blocks[0].code)
			turn()
		})
		e.next(t, again)
		e.end()
	}
	s := e.stepped(n, t)
	if s == nil {
		one()
		return
	}
	again := e.loop()
	e.get(t.end)
	e.get(t.i)
	e.op(opI64Sub)
	e.i64(int64(len(s.lanes)))
	e.i64(math.MaxInt64)
	e.get(argsLocal)
	e.mem(opI32Load, e.lay.inStep)
	e.op(opSelect)
	e.op(opI64GeS)
	e.ifThen()
	s.together(turn)
	e.br(again)
	e.end()
	e.end()
	e.get(t.i)
	e.get(t.end)
	e.op(opI64Ne)
	e.ifThen()
	one()
	e.end()
}

// together emits one iteration of each lane.
func (s *inStep) together(turn func()) {
	outside := s.at
	for i, l := range s.lanes {
		s.get(s.t.i)
		s.i64(int64(i))
		s.op(opI64Add)
		at := s.fresh(tI64)
		l.at = slices.Clone(outside)
		l.at[s.In.Blocks[0].Params[0]] = at
		s.in(l, func() { s.before(l) })
	}
	s.in(s.lanes[0], s.walks)
	for _, l := range s.lanes {
		s.in(l, func() {
			for _, c := range s.n.blocks[0].code {
				if !s.Early(c.Instr) {
					s.node(c)
				}
			}
			turn()
		})
		s.get(s.t.i)
		s.i64(1)
		s.op(opI64Add)
		s.set(s.t.i)
	}
	s.at = outside
}

// in emits f with the values of a lane.
func (s *inStep) in(l *walker, f func()) {
	s.at = l.at
	s.isolated(f)
}

// before emits what a lane's walk begins with.
func (s *inStep) before(l *walker) {
	for _, c := range s.n.blocks[0].code {
		if c != s.walk && s.Early(c.Instr) {
			s.node(c)
		}
	}
	walk := s.walk.Instr
	l.state, l.next = nil, nil
	for j, p := range walk.Blocks[0].Params[1:] {
		v := walk.Args[2+j]
		s.value(v)
		l.state = append(l.state, s.fresh(typeOf(s.kind(p))))
		l.at[p], l.at[walk.Out[j]] = l.state[j], l.state[j]
		if walk.Stop {
			s.value(v)
			l.next = append(l.next, s.fresh(typeOf(s.kind(p))))
			l.at[walk.Out[j]] = l.next[j]
		}
	}
}

// walks emits the turns of all lanes. Their first and last are the same for all of them.
func (s *inStep) walks() {
	walk := s.walk
	out := s.block()
	t := s.start(&node{Instr: walk.Instr})
	counts := walk.Stop && loops.Uses(walk.Instr, walk.Blocks[0].Params[0])
	for _, l := range s.lanes {
		l.at[walk.Blocks[0].Params[0]] = t.i
		if counts {
			s.get(t.i)
			l.turn = s.fresh(tI64)
			l.at[walk.Blocks[0].Params[0]] = l.turn
		}
		s.in(l, func() { s.nodes(walk.pre) })
	}
	done := noLocal
	if walk.Stop {
		done = s.newLocal(tI32)
	}
	inner := func() {
		again := s.loop()
		if walk.Stop {
			s.i32(1)
			s.set(done)
		}
		for _, l := range s.lanes {
			s.in(l, func() { s.turn(l, done, counts) })
		}
		if walk.Stop {
			s.get(done)
			s.brIf(out)
		}
		s.next(t, again)
		s.end()
	}
	length := s.loopSize(walk)
	if cost := length.turn * len(s.lanes); length.short {
		s.value(walk.Args[1])
		s.set(t.end)
		inner()
	} else {
		s.strips(t, stripSize(cost), cost, inner, func() {})
	}
	s.end()
	s.end()
}

// turn emits a turn of one lane.
func (s *inStep) turn(l *walker, done local, counts bool) {
	b := &s.walk.blocks[0]
	s.nodes(b.code)
	s.values(b.results...)
	if !s.walk.Stop {
		s.setAll(l.state)
		return
	}
	stop := s.fresh(tI32)
	s.setAll(l.next)
	for j, v := range l.state {
		s.get(v)
		s.get(l.next[j])
		s.get(stop)
		s.op(opSelect)
		s.set(v)
	}
	s.get(done)
	s.get(stop)
	s.op(opI32And)
	s.set(done)
	if counts {
		s.get(l.turn)
		s.get(l.turn)
		s.i64(1)
		s.op(opI64Add)
		s.get(stop)
		s.op(opSelect)
		s.set(l.turn)
	}
}

// setAll pops values into locals, the last first.
func (s *inStep) setAll(list []local) {
	for _, l := range slices.Backward(list) {
		s.set(l)
	}
}
