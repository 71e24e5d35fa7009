package kerneltest

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func (m *mutation) instr(in *kernel.Instr) {
	switch m.choose(11, "of instruction") {
	case 0, 1:
		m.operand(in)
	case 2:
		in.Poly = m.poly(in.Poly)
	case 3:
		m.constant(in)
	case 4, 5:
		m.operation(in)
	case 6:
		m.place(in)
	case 7:
		m.accumulators(in)
	case 8:
		for i := range in.Blocks {
			m.earlier(in.Blocks[i].Results)
		}
	case 9:
		m.unbound(in)
	default:
		m.turn(in)
	}
}

// operand takes an earlier value instead.
func (m *mutation) operand(in *kernel.Instr) {
	if len(in.Args) == 0 {
		return
	}
	at := m.choose(len(in.Args), "operand")
	back := 1 + m.choose(10, "back")
	if m.choose(3, "far back") == 0 {
		back = 1 + m.choose(int(max(0, in.Args[at]))+1, "back")
	}
	in.Args[at] = max(0, in.Args[at]-kernel.Value(back))
}

func (m *mutation) earlier(vs []kernel.Value) {
	for i, v := range vs {
		if m.choose(2, "result") == 0 {
			vs[i] = max(0, v-kernel.Value(m.choose(6, "back")))
		}
	}
}

func (m *mutation) constant(in *kernel.Instr) {
	if in.Code != kernel.Const {
		return
	}
	if edges := Edges(in.Kind); m.choose(2, "edge") == 0 {
		in.Bits = edges[m.choose(len(edges), "edge")]
		return
	}
	in.Bits = num.Canon(in.Kind, in.Bits+uint64(m.choose(5, "constant"))-2)
}

func (m *mutation) operation(in *kernel.Instr) {
	switch in.Code {
	case kernel.Arith:
		in.Op = num.Op(1 + m.choose(int(num.SatAdd), "op"))
		if m.choose(2, "unchecked") == 0 {
			in.Site, in.At = kernel.NoSite, kernel.None
		}
	case kernel.Convert, kernel.Bitcast:
		in.Kind = m.kind()
		if m.choose(3, "other") == 0 {
			in.Code = kernel.Convert + kernel.Bitcast - in.Code
		}
	}
}

// place is another region, or another promise about what a loop carries.
func (m *mutation) place(in *kernel.Instr) {
	if in.Code == kernel.Load || in.Code == kernel.Store {
		in.Region = m.choose(len(m.k.Regions), "region")
	}
	for i := range in.Carry {
		if m.choose(2, "bounded") == 0 {
			in.Carry[i].Bounded = !in.Carry[i].Bounded
		}
		in.Carry[i].Bound = m.poly(in.Carry[i].Bound)
	}
}

func (m *mutation) accumulators(in *kernel.Instr) {
	for i := range in.Accs {
		in.Accs[i].Op = kernel.FoldOp(1 + m.choose(int(num.FoldMulAdd), "fold"))
	}
	if in.Code == kernel.Fold && m.choose(4, "tree") == 0 {
		in.Tree = !in.Tree
	}
}

// unbound makes a bound arithmetic that a prover may take for one.
func (m *mutation) unbound(in *kernel.Instr) {
	if in.Code != kernel.Bound {
		return
	}
	ops := []num.Op{num.And, num.Rem, num.Shr, num.Div, num.Min, num.Abs, num.Sub}
	in.Code, in.Op, in.Kind = kernel.Arith, ops[m.choose(len(ops), "op")], num.I64
	in.Site, in.At, in.Poly = kernel.NoSite, kernel.None, size.Poly{}
	if in.Op != num.Abs {
		in.Args = []kernel.Value{in.Args[0], kernel.Value(m.choose(int(in.Args[0])+1, "operand"))}
	}
}

// turn exchanges operands, or the results of two branches.
func (m *mutation) turn(in *kernel.Instr) {
	if len(in.Args) == 2 {
		in.Args[0], in.Args[1] = in.Args[1], in.Args[0]
	}
	if in.Code == kernel.If {
		in.Blocks[0].Results, in.Blocks[1].Results = in.Blocks[1].Results, in.Blocks[0].Results
	}
}
