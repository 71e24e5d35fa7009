package wasm

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// refuel fills the tank.
func (e *emitter) refuel() {
	e.i32(fullTank)
	e.set(e.fuel)
}

// burn pops an i32, the cost of what comes next, and visits the host when
// the fuel has run out. The host answers 1 to end the run.
func (e *emitter) burn() {
	cost := e.fresh(tI32)
	e.get(e.fuel)
	e.get(cost)
	e.op(opI32Sub)
	e.tee(e.fuel)
	e.i32(0)
	e.op(opI32LtS)
	e.ifThen()
	e.call(yieldFunc)
	e.ifThen()
	e.op(opReturn)
	e.end()
	e.refuel()
	e.end()
}

// outer emits the loop over outer indices loLocal..hiLocal around the body.
func (e *emitter) outer() {
	p := e.k.Body.Params
	o, lo, hi := e.declare(p[0]), e.declare(p[1]), e.declare(p[2])
	grain, count := e.polyValue(e.k.Grain), e.polyValue(e.k.Count)
	e.loadState()
	e.get(loLocal)
	e.set(o)
	out := e.block()
	again := e.loop()
	e.get(o)
	e.get(hiLocal)
	e.op(opI64GeS)
	e.brIf(out)
	e.i32(int32(costOuter + e.cost(&e.t.body)))
	e.burn()
	e.slots(o, lo, hi, grain, count)
	e.scope(func() { e.nodes(e.t.body.code) })
	e.values(e.t.body.results...)
	for i := len(e.k.State) - 1; i >= 0; i-- {
		e.set(e.at[p[3+i]])
	}
	e.get(o)
	e.i64(1)
	e.op(opI64Add)
	e.set(o)
	e.br(again)
	e.end()
	e.end()
	e.storeState()
}

// slots computes lo = o·Grain and hi = min(lo+Grain, Count).
func (e *emitter) slots(o, lo, hi, grain, count local) {
	e.get(o)
	e.get(grain)
	e.op(opI64Mul)
	e.tee(lo)
	e.get(grain)
	e.op(opI64Add)
	e.tee(hi)
	e.get(count)
	e.get(hi)
	e.get(count)
	e.op(opI64LtS)
	e.op(opSelect)
	e.set(hi)
}

// polyValue loads a polynomial's value into a new local.
func (e *emitter) polyValue(p size.Poly) local {
	e.get(argsLocal)
	e.mem(opI64Load, e.lay.poly(p))
	return e.fresh(tI64)
}

func (e *emitter) stateAddress(i int) {
	e.get(e.base[e.k.State[i].Region])
}

func (e *emitter) loadState() {
	for i, s := range e.k.State {
		v := e.k.Body.Params[3+i]
		e.stateAddress(i)
		e.loadElement(s.Kind)
		e.set(e.declare(v))
	}
}

func (e *emitter) storeState() {
	for i, s := range e.k.State {
		e.stateAddress(i)
		e.get(e.at[e.k.Body.Params[3+i]])
		e.mem(storeOp(s.Kind), 0)
	}
}

// turns are the locals of a loop that is cut into strips, so that metering
// costs nothing in the inner one.
type turns struct {
	i    local // I64, the loop's counter
	rest local // I64, turns after this strip
	n    local // I64, turns of this strip
	end  local // I64, first counter after this strip
}

// strips emits a loop from lo on, over rest > 0 turns, in strips of at most
// size turns. inner must leave i at end; after runs behind each strip.
func (e *emitter) strips(t *turns, size, cost int, inner, after func()) {
	strip := e.loop()
	e.get(t.rest)
	e.i64(int64(size))
	e.get(t.rest)
	e.i64(int64(size))
	e.op(opI64LtU)
	e.op(opSelect)
	e.tee(t.n)
	e.get(t.i)
	e.op(opI64Add)
	e.set(t.end)
	e.get(t.rest)
	e.get(t.n)
	e.op(opI64Sub)
	e.set(t.rest)
	e.get(t.n)
	e.op(opI32WrapI64)
	e.i32(int32(cost))
	e.op(opI32Mul)
	e.burn()
	inner()
	after()
	e.get(t.rest)
	e.op(opI64Eqz)
	e.op(opI32Eqz)
	e.brIf(strip)
	e.end()
}

// stripSize is the number of turns between two looks at the fuel, a power of
// two so that strips end where leaves end.
func stripSize(cost int) int {
	n := num.Leaf
	for n > 1 && n*cost > fullTank/4 {
		n /= 2
	}
	return n
}

// start sets up the locals of a loop and opens its guard: what follows, up
// to e.end, runs if there is at least one turn.
func (e *emitter) start(n *node) *turns {
	t := &turns{i: e.declare(n.Blocks[0].Params[0]), rest: e.newLocal(tI64), n: e.newLocal(tI64), end: e.newLocal(tI64)}
	e.values(n.Args[0], n.Args[1])
	e.op(opI64LtS)
	e.ifThen()
	e.value(n.Args[0])
	e.set(t.i)
	e.values(n.Args[1], n.Args[0])
	e.op(opI64Sub)
	e.set(t.rest)
	e.nodes(n.pre)
	return t
}

// next advances the counter and goes round until the strip's end.
func (e *emitter) next(t *turns, again label) {
	e.get(t.i)
	e.i64(1)
	e.op(opI64Add)
	e.tee(t.i)
	e.get(t.end)
	e.op(opI64Ne)
	e.brIf(again)
}

// metered runs the loop's turns all at once if it is short and strip by strip
// otherwise: before, then the vector part, if there is one, then rest, which
// takes the turns from t.i to t.end, and after.
func (e *emitter) metered(n *node, t *turns, v *vectorLoop, before, rest, after func()) {
	inner := func() {
		before()
		rest()
	}
	length := e.loopSize(n)
	cost := length.turn
	if v != nil {
		cost = max(1, cost/4)
		inner = func() {
			before()
			v.strip()
			e.get(t.i)
			e.get(t.end)
			e.op(opI64Ne)
			e.ifThen()
			e.isolated(rest)
			e.end()
		}
	}
	if length.short {
		e.value(n.Args[1])
		e.set(t.end)
		e.i64(0)
		e.set(t.rest)
		inner()
		after()
		if v != nil {
			v.defineConsts()
		}
		return
	}
	turns := stripSize(cost)
	if v != nil {
		turns = max(turns, maxBlock)
	}
	e.strips(t, turns, cost, inner, after)
	if v != nil {
		v.defineConsts()
	}
}

// forLoop emits a For. A carried value has one local: parameter, next value
// and result in turn.
func (e *emitter) forLoop(n *node) {
	carried := n.Blocks[0].Params[1:]
	for i, p := range carried {
		e.value(n.Args[2+i])
		e.set(e.declare(p))
		e.at[n.Out[i]] = e.at[p]
	}
	out := e.block()
	e.scope(func() {
		t := e.start(n)
		v := e.vectorise(n, t, nil, 0)
		nothing := func() {}
		e.metered(n, t, v, nothing, func() {
			e.rows(n, t, func() { e.carry(n, carried, out) })
		}, nothing)
		e.end()
	})
	e.end()
}

// carry moves on to the next carried values of a For.
func (e *emitter) carry(n *node, carried []kernel.Value, out label) {
	e.values(n.blocks[0].results...)
	if n.Stop {
		stop := e.fresh(tI32)
		defer func() {
			e.get(stop)
			e.brIf(out)
		}()
	}
	for i := len(carried) - 1; i >= 0; i-- {
		e.set(e.at[carried[i]])
	}
}
