package suspend

import (
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// state writes what a state that runs does: what comes before the loop, anew,
// then the loop.
func (m *maker) state() {
	m.to[m.id] = m.keep(m.read(idColumn), true, m.ids)
	m.grain()
	for _, in := range m.inputs {
		r := m.k.Regions[in.load.Region]
		m.to[in.load.Out[0]] = m.keep(m.read(in.column), r.Bounded, r.Bound)
	}
	m.phase = phase{resume: kernel.None, note: func() {}, abort: func() []kernel.Value { return nil }}
	if m.siteColumn > 0 {
		m.phase.resume = m.read(m.siteColumn)
	}
	m.seq(m.pre, func(kernel.Value) []kernel.Value {
		if m.shape.loop == nil {
			return m.done()
		}
		return m.turns()
	})
}

// grain gives the slots lo..hi of an outer index.
func (m *maker) grain() {
	params := m.k.Body.Params
	if m.slots || m.uses[params[1]]+m.uses[params[2]] == 0 {
		return
	}
	lo := m.op(num.Mul, m.to[m.id], m.sizeOf(m.k.Grain))
	m.to[params[1]] = lo
	m.to[params[2]] = m.op(num.Min, m.op(num.Add, lo, m.sizeOf(m.k.Grain)), m.sizeOf(m.k.Count))
}

// done writes the results of a state.
func (m *maker) done() []kernel.Value {
	for i, r := range m.results {
		m.write(r.Column, m.to[m.stored[i].Args[1]])
	}
	m.write(wantColumn, m.int(-1))
	return nil
}

// turns writes the loop, from the turn at which the state rests. Its end is
// hidden from proofs behind a Bound: all that counts is that it is at most T.
func (m *maker) turns() []kernel.Value {
	loop := m.shape.loop
	lo, hi, turn := m.to[loop.Args[0]], m.to[loop.Args[1]], m.read(m.turnColumn)
	taken := m.emitter.bound(turn, size.Const(maxTurns+1))
	left := m.op(num.Sub, m.op(num.Sub, hi, lo), taken)
	most := kernel.SizeVar(len(m.k.Sizes) + 2)
	end := m.emitter.bound(m.op(num.Min, left, m.sizeOf(most)), most.AddConst(1))
	carry, init := m.starting(m.op(num.Eq, turn, m.int(notBegun)))
	outs := m.repeat(m.int(0), end, carry, init, func(i kernel.Value, carried []kernel.Value) []kernel.Value {
		return m.oneTurn(lo, m.op(num.Add, taken, i), carried)
	})
	n := len(loop.Carry)
	m.branch(outs[len(outs)-1], func() []kernel.Value { return nil }, func() []kernel.Value {
		for j, v := range outs[:n] {
			m.to[loop.Out[j]] = v
			m.write(m.carries[j], v)
		}
		isOver := m.op(num.Ge, end, left)
		if loop.Stop {
			isOver = m.op(num.Or, isOver, outs[len(outs)-2])
		}
		return m.branch(isOver, m.after, func() []kernel.Value {
			m.write(wantColumn, m.first)
			m.write(m.turnColumn, m.op(num.Add, taken, end))
			m.remember(m.inTurn)
			return nil
		})
	})
	return nil
}

// starting gives what the batch's loop carries: what the original's does, the
// site to resume at, whether the loop ended itself, and whether the state
// stopped at a far load.
func (m *maker) starting(begins kernel.Value) (carry []kernel.Carry, init []kernel.Value) {
	loop := m.shape.loop
	for j, c := range loop.Carry {
		v := m.read(m.carries[j])
		if m.fresh[j] {
			v = m.choose(begins, m.to[loop.Args[2+j]], v)
		}
		c.Bounded = c.Bounded && m.keeps(c.Bound)
		if !c.Bounded {
			c.Bound = size.Poly{}
		}
		carry, init = append(carry, c), append(init, m.keep(v, c.Bounded, c.Bound))
	}
	if m.resumes() {
		carry, init = append(carry, kernel.Carry{Kind: num.I64}), append(init, m.phase.resume)
	}
	if loop.Stop {
		carry, init = append(carry, kernel.Carry{Kind: num.Bool}), append(init, m.truth(false))
	}
	return append(carry, kernel.Carry{Kind: num.Bool}), append(init, m.truth(false))
}

// resumes reports that a turn may find something remembered.
func (m *maker) resumes() bool {
	return len(m.remembered(m.shape.turn())) > 0
}

// oneTurn writes a turn, number taken of the loop from lo. Only the first one of
// a run may find that something is remembered.
func (m *maker) oneTurn(lo, taken kernel.Value, carried []kernel.Value) []kernel.Value {
	loop, n := m.shape.loop, len(m.shape.loop.Carry)
	b := &loop.Blocks[0]
	m.to[b.Params[0]] = m.variable(lo, taken)
	for j, v := range carried[:n] {
		m.to[b.Params[1+j]] = v
	}
	ending := func(next []kernel.Value, broken, stopped kernel.Value) []kernel.Value {
		next = slices.Clone(next)
		if m.resumes() {
			next = append(next, m.int(0))
		}
		if !loop.Stop {
			return append(next, stopped, stopped)
		}
		return append(next, broken, stopped, m.op(num.Or, broken, stopped))
	}
	outer := m.phase
	defer func() { m.phase = outer }()
	if m.resumes() {
		m.phase.resume = carried[n]
	}
	m.phase.quiet = true
	m.phase.note = func() {
		m.write(m.turnColumn, taken)
		for j, v := range carried[:n] {
			m.write(m.carries[j], v)
		}
	}
	m.phase.abort = func() []kernel.Value { return ending(carried[:n], m.truth(false), m.truth(true)) }
	return m.scoped(func() []kernel.Value {
		return m.seq(m.shape.turn(), func(stopped kernel.Value) []kernel.Value {
			next := m.all(b.Results)
			if !loop.Stop {
				return ending(next, kernel.None, stopped)
			}
			return ending(next[:n], next[n], stopped)
		})
	})
}

// variable gives the loop's own variable in a turn. It is in its range
// already; where the range begins at 0, proofs may need to see that.
func (m *maker) variable(lo, taken kernel.Value) kernel.Value {
	loop := m.shape.loop
	v := m.op(num.Add, lo, taken)
	if n := m.linear(loop.Args[0]); n.base != kernel.None || n.offset != 0 || m.uses[loop.Blocks[0].Params[0]] == 0 {
		return v
	}
	return m.keep(v, true, m.shape.turns[0])
}

// after writes what follows the loop. A state that stops there does not
// enter the loop again.
func (m *maker) after() []kernel.Value {
	outer := m.phase
	defer func() { m.phase = outer }()
	m.phase.note = func() { m.write(m.turnColumn, m.int(over)) }
	return m.scoped(func() []kernel.Value {
		return m.seq(m.post, func(kernel.Value) []kernel.Value { return m.done() })
	})
}

// scoped forgets at the end of a block what is known only inside.
func (m *maker) scoped(f func() []kernel.Value) []kernel.Value {
	memory := m.memory
	m.memory = maps.Clone(memory)
	defer func() { m.memory = memory }()
	return f()
}

func (m *maker) all(vs []kernel.Value) []kernel.Value {
	out := make([]kernel.Value, len(vs))
	for i, v := range vs {
		out[i] = m.to[v]
	}
	return out
}
