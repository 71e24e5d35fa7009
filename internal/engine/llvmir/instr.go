package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// scan notes the kind and the definition of every value.
func (e *emitter) scan() {
	n := e.k.Values()
	e.kinds, e.def, e.vals, e.shapes = make([]num.Kind, n), make([]*kernel.Instr, n), make([]operand, n), make([]shape, n)
	for i, p := range e.k.Body.Params {
		e.kinds[p] = num.I64
		if i >= 3 {
			e.kinds[p] = e.k.State[i-3].Kind
		}
	}
	e.scanBlock(&e.k.Body)
}

func (e *emitter) scanBlock(b *kernel.Block) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		for j := range in.Blocks {
			for p, v := range in.Blocks[j].Params {
				e.kinds[v] = num.I64
				if p > 0 {
					e.kinds[v] = in.Carry[p-1].Kind
				}
			}
			e.scanBlock(&in.Blocks[j])
		}
		e.extremes = e.extremes || takesExtreme(in)
		for j, v := range in.Out {
			e.kinds[v], e.def[v] = e.outKind(in, j), in
		}
	}
}

// takesExtreme reports an operation or a fold that takes the lesser or greater of floats.
func takesExtreme(in *kernel.Instr) bool {
	if in.Code == kernel.Arith && (in.Op == num.Min || in.Op == num.Max) {
		return in.Kind.IsFloat()
	}
	return slices.ContainsFunc(in.Accs, func(a kernel.Acc) bool {
		return a.Kind.IsFloat() && (a.Op == kernel.FoldMin || a.Op == kernel.FoldMax)
	})
}

// outKind is the kind of an instruction's result j.
func (e *emitter) outKind(in *kernel.Instr, j int) num.Kind {
	switch in.Code {
	case kernel.Load:
		return e.k.Regions[in.Region].Elem
	case kernel.SizeOf, kernel.Bound:
		return num.I64
	case kernel.Positive:
		return num.Bool
	case kernel.Arith:
		if in.Op.IsCompare() {
			return num.Bool
		}
	case kernel.ScalarArg:
		return e.k.Scalars[in.Index].Kind
	case kernel.Select:
		return e.kinds[in.Args[1]]
	case kernel.If:
		return e.kinds[in.Blocks[0].Results[j]]
	case kernel.For:
		return in.Carry[j].Kind
	case kernel.Fold:
		var kinds []num.Kind
		for _, a := range in.Accs {
			kinds = append(kinds, a.Outs()...)
		}
		return kinds[j]
	}
	return in.Kind
}

// body writes the instructions of a block, with the faults they note.
func (e *emitter) body(b *kernel.Block) {
	outside := e.pending
	e.pending = nil
	for i := range b.Instrs {
		e.instr(&b.Instrs[i])
	}
	e.flush()
	e.pending = outside
}

func (e *emitter) instr(in *kernel.Instr) {
	switch in.Code {
	case kernel.Const: // written where it is used
	case kernel.SizeOf:
		e.bind(in.Out[0], e.poly(in.Poly))
	case kernel.ScalarArg:
		e.bind(in.Out[0], e.scalars[in.Index])
	case kernel.Arith:
		e.arith(in)
	case kernel.Convert:
		e.convert(in)
	case kernel.Bitcast:
		e.bitcast(in)
	case kernel.Select:
		e.choose(in)
	case kernel.Load:
		e.loadInstr(in)
	case kernel.Store:
		e.storeInstr(in)
	case kernel.Bound:
		e.bound(in)
	case kernel.Positive:
		e.bind(in.Out[0], e.positive(in))
	case kernel.Fault:
		n := e.width(in.Args[0])
		e.note(in, e.vector(in.Args[0], n), n)
	case kernel.If:
		e.branch(in)
	case kernel.For:
		e.forLoop(in)
	case kernel.Fold:
		e.fold(in)
	default:
		e.fail("instruction %s is not known", in.Code)
	}
}
