package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// takesExtremes reports that somewhere in a block the lesser or greater of floats is taken.
func takesExtremes(b *kernel.Block) bool {
	found := false
	b.Each(func(in *kernel.Instr) { found = found || takesExtreme(in) })
	return found
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

// body writes the instructions of a block, with the faults they note.
func (e *emitter) body(b *kernel.Block) {
	outside := e.pending
	e.pending = nil
	for i := range b.Instrs {
		if in := &b.Instrs[i]; !e.isWritten(in) {
			e.instr(in)
		}
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
