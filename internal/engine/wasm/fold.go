package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// folding is a Fold being emitted: its loop and its accumulators.
type folding struct {
	*emitter
	n    *node
	t    *turns
	accs []*accumulator
	ord  []*accumulator // those in canonical order
	slot local          // I32, turns so far; only its low bits count
	*counter
}

// accumulator is one of a Fold's. In canonical order it is a row of lanes in
// scratch memory and a result; otherwise one or two locals.
type accumulator struct {
	kernel.Acc
	value kernel.Value // what the body folds
	// factors are those of the value under FoldMulAdd.
	factors []kernel.Value
	out     []local // of the results
	key     local   // ArgMin, ArgMax of floats: out[0] as an ordered integer
	row     uint32  // offset of the row of lanes
}

// fold emits a Fold.
func (e *emitter) fold(n *node) {
	f := e.newFolding(n)
	for _, a := range f.accs {
		f.identity(a)
	}
	e.scope(func() {
		f.t = e.start(n)
		f.begin()
		v := e.vectorise(n, f.t, f.accs, f.slot)
		e.metered(n, f.t, v, f.stripOpens, func() {
			e.rows(n, f.t, func() {
				for _, a := range f.accs {
					f.accumulate(a)
				}
				f.treeStep()
				f.nextSlot()
			})
		}, f.stripDone)
		e.end()
	})
	for _, a := range f.accs {
		f.result(a)
	}
}

func (e *emitter) newFolding(n *node) *folding {
	f := &folding{emitter: e, n: n}
	out := 0
	f.accs = accumulators(e.t.Analysis, n.Instr)
	for _, a := range f.accs {
		for range a.Outs() {
			a.out = append(a.out, e.declare(n.Out[out]))
			out++
		}
		if a.Op.IsOrdered(a.Kind) {
			f.ord = append(f.ord, a)
		}
	}
	if len(f.ord) > 0 {
		f.counter = e.newCounter(f.ord)
		f.single = e.t.Short(n.Instr, num.Leaf)
	}
	return f
}

// accumulators are those of a fold, without locals.
func accumulators(of *loops.Analysis, in *kernel.Instr) (list []*accumulator) {
	for i, acc := range in.Accs {
		a := &accumulator{Acc: acc, value: in.Blocks[0].Results[i]}
		if acc.Op == kernel.FoldMulAdd {
			a.factors = of.Def[a.value].Args
		}
		list = append(list, a)
	}
	return list
}

// identity sets an accumulator's locals to what a fold of nothing gives.
func (f *folding) identity(a *accumulator) {
	id := a.Op.Identity(a.Kind, 0)
	f.constant(a.Kind, id[0])
	f.set(a.out[0])
	switch a.Op {
	case kernel.FoldArgMin, kernel.FoldArgMax:
		f.value(f.n.Args[0])
		f.set(a.out[1])
		if a.Kind.IsFloat() {
			a.key = f.orderedKey(a, func() { f.constant(a.Kind, id[0]) })
		}
	case kernel.FoldAddWide:
		f.i64(0)
		f.set(a.out[1])
	}
}

// accumulate combines the body's value into an accumulator.
func (f *folding) accumulate(a *accumulator) {
	switch {
	case a.Op.IsOrdered(a.Kind):
		if !f.n.Tree {
			f.addToLane(a)
		}
	case a.Op == kernel.FoldArgMin || a.Op == kernel.FoldArgMax:
		f.argBest(a)
	case a.Op == kernel.FoldAddWide:
		f.addWide(a)
	default:
		f.get(a.out[0])
		f.value(a.value)
		f.combine(a)
		f.set(a.out[0])
	}
}

// combine replaces the two values on the stack by their combination.
func (f *folding) combine(a *accumulator) {
	op := a.Op.Scalar()
	if o := plainOp(op, a.Kind); o != 0 {
		f.op(o)
		return
	}
	y := f.fresh(typeOf(a.Kind))
	x := f.fresh(typeOf(a.Kind))
	in := &kernel.Instr{Op: op, Kind: a.Kind, Site: kernel.NoSite, At: kernel.None}
	ar := arithmetic{emitter: f.emitter, in: in, k: a.Kind, x: func() { f.get(x) }, y: func() { f.get(y) }}
	switch a.Op {
	case kernel.FoldAdd:
		ar.add()
	case kernel.FoldMul:
		ar.mul()
	case kernel.FoldMin:
		ar.pick(num.Lt)
	case kernel.FoldMax:
		ar.pick(num.Gt)
	default:
		f.fail("fold %s of %s is not known", a.Op, a.Kind)
	}
}

// addWide adds to 128 bits: the carry shows in the low word's wrap.
func (f *folding) addWide(a *accumulator) {
	f.get(a.out[0])
	f.value(a.value)
	f.op(opI64Add)
	f.tee(a.out[0])
	f.value(a.value)
	f.op(opI64LtU)
	f.op(opI64ExtendI32U)
	f.get(a.out[1])
	f.op(opI64Add)
	if a.Kind == num.I64 {
		f.value(a.value)
		f.i64(63)
		f.op(opI64ShrS)
		f.op(opI64Add)
	}
	f.set(a.out[1])
}

// argBest keeps the better of two values and the index it came from; the
// first of equals stays.
func (f *folding) argBest(a *accumulator) {
	k, best, op := a.Kind, a.out[0], num.Lt
	if a.Op == kernel.FoldArgMax {
		op = num.Gt
	}
	v := func() { f.value(a.value) }
	if k.IsFloat() {
		key := f.orderedKey(a, v)
		k, best = intKind(a.Kind), a.key
		v = func() { f.get(key) }
	}
	v()
	f.get(best)
	f.op(plainOp(op, k))
	better := f.fresh(tI32)
	v()
	f.get(best)
	f.get(better)
	f.op(opSelect)
	f.set(best)
	f.get(f.t.i)
	f.get(a.out[1])
	f.get(better)
	f.op(opSelect)
	f.set(a.out[1])
}

// intKind is the signed integer kind as wide as a float kind.
func intKind(k num.Kind) num.Kind {
	if k == num.F32 {
		return num.I32
	}
	return num.I64
}

// orderedKey maps a float to a signed integer of the same order, as
// num.FoldOp does: the bits of negative numbers are turned over, and NaN
// goes to the end that wins. The bit patterns at both ends are NaNs, so the
// map can be undone.
func (f *folding) orderedKey(a *accumulator, x func()) local {
	k := intKind(a.Kind)
	end := uint64(k.MinInt())
	if a.Op == kernel.FoldArgMax {
		end = k.MaxInt()
	}
	f.constant(k, end)
	x()
	f.floatBits(a.Kind)
	bits := f.fresh(typeOf(k))
	f.get(bits)
	f.flipNegative(k, bits)
	x()
	x()
	f.op(plainOp(num.Ne, a.Kind))
	f.op(opSelect)
	return f.fresh(typeOf(k))
}

func (f *folding) floatBits(k num.Kind) {
	if k == num.F32 {
		f.op(opI32FromF32)
	} else {
		f.op(opI64FromF64)
	}
}

// flipNegative xors the integer on the stack, a copy of bits, with all ones
// but the sign where it is negative. It is its own inverse.
func (f *folding) flipNegative(k num.Kind, bits local) {
	f.get(bits)
	f.constant(k, uint64(k.Bits()-1))
	f.op(intOp(k, opI32ShrS, opI64ShrS))
	f.constant(k, 1)
	f.op(intOp(k, opI32ShrU, opI64ShrU))
	f.op(intOp(k, opI32Xor, opI64Xor))
}

// result sets the locals of the results that are not kept up to date.
func (f *folding) result(a *accumulator) {
	if (a.Op == kernel.FoldArgMin || a.Op == kernel.FoldArgMax) && a.Kind.IsFloat() {
		k := intKind(a.Kind)
		f.get(a.key)
		f.flipNegative(k, a.key)
		if a.Kind == num.F32 {
			f.op(opF32FromI32)
		} else {
			f.op(opF64FromI64)
		}
		f.set(a.out[0])
	}
}
