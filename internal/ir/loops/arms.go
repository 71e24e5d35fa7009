package loops

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: an If. Out: whether to compute both of its blocks and choose, rather than to branch. A wrong guess takes a
// processor as long as some twenty operations; in lanes all take the dearest way that one of them takes. Invariant: nothing in the blocks must
// not run, see pinned.

// cheapArms is how many operations both blocks may have together.
const cheapArms = 5

// GuessedWrong reports an If whose condition is of data, and whose blocks are cheap enough to compute both. A product keeps a chain of iterations
// waiting for longer than a guess that is mostly right.
func (a *Analysis) GuessedWrong(in *kernel.Instr) bool {
	if !a.Engine.Nests || !a.Data[in.Args[0]] || len(in.Out) == 0 {
		return false
	}
	n := 0
	for _, b := range in.Blocks {
		for i := range b.Instrs {
			if n++; !isCheap(&b.Instrs[i]) {
				return false
			}
		}
	}
	return n <= cheapArms
}

func isCheap(in *kernel.Instr) bool {
	switch in.Code {
	case kernel.Const:
		return true
	case kernel.Arith:
		return in.Kind.IsInt() && in.Op != num.Mul && in.Op != num.Div && in.Op != num.Rem
	case kernel.Convert:
		return in.From.IsInt() && in.Kind.IsInt()
	}
	return false
}

// dearArm is from how many operations on a block is left out where no lane takes it.
const dearArm = 12

// Dear reports a block that is worth the question whether any lane takes it.
func (a *Analysis) Dear(b *kernel.Block) bool { return a.weight(b) >= dearArm }

// weight is about how many operations a block is.
func (a *Analysis) weight(b *kernel.Block) (n int) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		n++
		for j := range in.Blocks {
			n += a.weight(&in.Blocks[j])
		}
		if in.Code != kernel.Arith {
			continue
		}
		switch _, constant := a.Const(in.Args[len(in.Args)-1]); {
		case in.Op == num.Sqrt, in.Op == num.Div && in.Kind.IsFloat():
			n += dearArm / 2
		case in.Op == num.Div || in.Op == num.Rem:
			if n += dearArm / 2; !constant {
				n += division
			}
		}
	}
	return n
}
