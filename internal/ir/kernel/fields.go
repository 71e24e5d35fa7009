package kernel

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var codeNames = [codes]string{"badcode", "const", "size", "scalar", "arith", "convert", "bitcast", "select", "load", "store",
	"bound", "positive", "fault", "if", "for", "fold"}

func (c Code) String() string {
	if c >= codes {
		return "badcode"
	}
	return codeNames[c]
}

// canFault reports whether the instruction has a Site at all.
func canFault(in *Instr) bool {
	switch in.Code {
	case Arith:
		return in.Op.CanFault(in.Kind)
	case Convert:
		return num.ConvertCanFault(in.From, in.Kind)
	}
	return in.Code == Bound || in.Code == Fault
}

// outs is the number of values that an instruction defines.
func outs(in *Instr) int {
	switch in.Code {
	case Store, Fault:
		return 0
	case If:
		if len(in.Blocks) == 0 {
			return 0
		}
		return len(in.Blocks[0].Results)
	case For:
		return len(in.Carry)
	case Fold:
		n := 0
		for _, a := range in.Accs {
			n += a.Op.Words()
		}
		return n
	}
	return 1
}

// derivedKind sets the Kind that follows from the rest of the instruction
// when reading, and insists on it when writing.
func (f *format) derivedKind(in *Instr) {
	if f.err != nil {
		return
	}
	k, derived := kindOf(f.k, in)
	if derived && f.reading {
		in.Kind = k
	}
	f.check(!derived || in.Kind == k, "%s of kind %s where %s follows from its operands", in.Code, in.Kind, k)
}

func kindOf(k *Kernel, in *Instr) (kind num.Kind, derived bool) {
	switch in.Code {
	case SizeOf, Bound:
		return num.I64, true
	case ScalarArg:
		return k.Scalars[in.Index].Kind, true
	case Load, Store:
		return k.Regions[in.Region].Elem, true
	case Positive, Fault:
		return num.Bool, true
	case If, For, Fold:
		return num.Invalid, true
	}
	return num.Invalid, false
}

// onlyFields reports that no field is set that instructions of this code do
// not have; Kind, Site, At and Out are looked at elsewhere.
func onlyFields(in *Instr) bool {
	rest := *in
	clear := func(is bool, field func()) {
		if is {
			field()
		}
	}
	c := in.Code
	clear(c == Convert || c == Bitcast, func() { rest.From = 0 })
	clear(c == Arith, func() { rest.Op = 0 })
	clear(c == Const, func() { rest.Bits = 0 })
	clear(c == ScalarArg, func() { rest.Index = 0 })
	clear(c == Load || c == Store, func() { rest.Region = 0 })
	clear(c == For, func() { rest.Stop, rest.Carry = false, nil })
	clear(c == Fold, func() { rest.Tree, rest.Accs = false, nil })
	clear(c == SizeOf || c == Positive || c == Bound, func() { rest.Poly = size.Poly{} })
	clear(c != Const && c != SizeOf && c != ScalarArg && c != Positive, func() { rest.Args = nil })
	clear(c == If || c == For || c == Fold, func() { rest.Blocks = nil })
	return rest.From == 0 && rest.Op == 0 && rest.Bits == 0 && rest.Index == 0 && rest.Region == 0 && !rest.Stop && !rest.Tree &&
		rest.Poly.Equal(size.Const(0)) && len(rest.Args)+len(rest.Carry)+len(rest.Accs)+len(rest.Blocks) == 0
}
