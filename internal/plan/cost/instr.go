package cost

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// instr counts an instruction that is executed n times, inside of depth loops.
func (w *walker) instr(in *kernel.Instr, n float64, depth int) {
	arg := func(i int) known { return w.known[in.Args[i]] }
	r := known{mid: math.NaN()}
	switch in.Code {
	case kernel.Const:
		r = constant(in)
	case kernel.SizeOf:
		x, _ := kernel.EvalPoly(in.Poly, w.sizes)
		r = known{mid: float64(x), fixed: true}
	case kernel.ScalarArg:
		if r.fixed = true; w.Scalar != nil && in.Kind.IsInt() {
			if n, ok := w.Scalar(in.Index); ok {
				r.mid = float64(n)
			}
		}
	case kernel.Positive:
		r = known{mid: 1, fixed: true}
	case kernel.Arith:
		r = w.arith(in, n)
	case kernel.Convert:
		if r = arg(0); w.lanes > 0 && in.From == num.Bool && in.Kind.IsInt() { // a mask
			w.values(Simple, n, num.Bool)
		} else if w.loops.Data[in.Out[0]] || in.From.IsFloat() || in.Kind.IsFloat() {
			w.values(Convert, n, wider(in.From, in.Kind))
			w.checks(in, n, in.From)
		}
	case kernel.Bitcast:
		r = arg(0)
	case kernel.Select:
		w.values(Simple, n, w.loops.Kinds[in.Args[1]])
		r = chosen(arg(0), arg(1), arg(2))
	case kernel.Bound:
		if r = arg(0); w.loops.Data[in.Out[0]] || r.bent {
			w.values(Check, n, num.I64)
		}
		if most, ok := in.Poly.Const(); ok && math.IsNaN(r.mid) && most <= loops.Likely {
			r.mid, r.guessed = float64(most)/2, true
		}
	case kernel.Fault:
		w.values(Check, n, num.U8)
	case kernel.Load, kernel.Store:
		w.touch(in, n, depth)
		return
	case kernel.If:
		if x := w.appends(in); x != nil {
			w.append(in, n, x)
		} else {
			w.branch(in, n, depth)
		}
		return
	case kernel.For, kernel.Fold:
		w.loop(in, n, depth)
		return
	}
	for _, v := range in.Out {
		w.known[v] = r
	}
}

func wider(a, b num.Kind) num.Kind {
	if a.Size() > b.Size() {
		return a
	}
	return b
}

// checks counts what it takes to notice a fault.
func (w *walker) checks(in *kernel.Instr, n float64, k num.Kind) {
	if in.Site >= 0 {
		w.values(Check, n, k)
	}
}

func (w *walker) arith(in *kernel.Instr, n float64) known {
	a, b := w.known[in.Args[0]], known{fixed: true}
	if len(in.Args) > 1 {
		b = w.known[in.Args[1]]
	}
	r := computed(in, a, b)
	index := in.Kind.IsInt() && !w.loops.Data[in.Out[0]] && !r.bent && (in.Op == num.Add || in.Op == num.Sub || in.Op == num.Mul)
	if r.fixed || index { // computed before the loop, or part of an address
		return r
	}
	w.operation(in, n, b.fixed)
	if in.Kind.IsInt() {
		w.checks(in, n, in.Kind)
	}
	return r
}

// operation counts an operation on n values. fixed says that the second operand is the same in all turns.
func (w *walker) operation(in *kernel.Instr, n float64, fixed bool) {
	wide := in.Kind.IsInt() && in.Kind.Size() == 8
	switch c := classOf(in); {
	case c == Divide && fixed: // a product and shifts
		by, ok := w.loops.ConstInt(in.Args[1])
		switch {
		case ok && power(by):
		case wide:
			w.values(High, n, in.Kind)
		default:
			w.values(Multiply, n, num.I64)
		}
		w.values(Simple, 3*n, in.Kind)
	case c == Divide: // no processor has vectors of them
		w.values(c, n, num.I64)
	case c == Multiply && wide && in.Site >= 0 && w.lanes > 0 && w.loops.Engine.Nests: // the check looks at the factors
		w.values(c, n, in.Kind)
		w.values(Simple, factorChecks*n, in.Kind)
	case c == Multiply && wide && in.Site >= 0:
		w.values(High, n, in.Kind)
	case c == Fused && !w.loops.Engine.Nests && in.Kind == num.F32:
		w.values(c, alike*n, in.Kind)
	case !w.loops.Engine.Nests && w.lanes > 0 && in.Kind == num.I64 && (c == Multiply || in.Op == num.Shr):
		w.values(c, missing*n, in.Kind)
	case c == Root:
		if in.Kind == num.F32 {
			n *= short
		}
		if in.Op == num.Sqrt {
			n *= rooted
		}
		w.values(c, n, in.Kind)
	default:
		w.values(c, n, w.loops.Kinds[in.Args[0]])
	}
}

const (
	factorChecks = 4   // operations by which native code asks whether a product in lanes fits, besides the check itself
	short        = 0.6 // what a quotient or root of f32 takes of one of f64, a vector of each (Agner Fog: 0.5 to 0.65)
	rooted       = 1.7 // what a root takes of a quotient (1.5 to 2)
	// What WebAssembly has no instruction for: a fused product of f32 is one of f64, and of f64 many; vectors of two 64-bit integers
	// are shifted and multiplied in pieces.
	alike   = 0.2
	missing = 4
)

func classOf(in *kernel.Instr) Class {
	if in.Kind.IsFloat() {
		switch in.Op {
		case num.Fma:
			return Fused
		case num.Div, num.Sqrt:
			return Root
		case num.Min, num.Max:
			return Extreme
		}
		return Float
	}
	switch in.Op {
	case num.Mul:
		return Multiply
	case num.Div, num.Rem:
		return Divide
	}
	return Simple
}

// seldom is how often a branch is taken that holds the only loop of the two: work that is
// left out is left out because it is rarely wanted.
const seldom = 1.0 / 32

// branch counts both sides of an If by how often each is likely to run.
func (w *walker) branch(in *kernel.Instr, n float64, depth int) {
	c, data := w.known[in.Args[0]], w.loops.Data[in.Args[0]]
	yes := 0.5
	turns, last := w.last[in.Args[0]]
	switch first, second := !loops.Innermost(&in.Blocks[0]), !loops.Innermost(&in.Blocks[1]); {
	case last: // what a loop does in its last turn alone
		yes = 1 / math.Max(turns, 1)
	case w.negates(in): // by which a quotient is checked
		yes = 0
	case (!data || c.fixed) && !math.IsNaN(c.mid):
		yes = math.Min(1, math.Max(0, c.mid))
	case first && !second:
		yes, w.m.Guessed = seldom, true
	case second && !first:
		yes, w.m.Guessed = 1-seldom, true
	default:
		w.m.Guessed = true
	}
	both := w.lanes == 0 && w.vector > 0 && w.loops.GuessedWrong(in)
	if data && !last && w.lanes == 0 && !both && yes > seldom && yes < 1-seldom {
		w.add(Branch, n, false)
	}
	if both {
		w.values(Simple, n*float64(len(in.Out)), num.I64)
	}
	if both || w.plan != nil && w.plan.Shapes[in.Args[0]] != loops.Uniform { // both sides are computed
		w.block(&in.Blocks[0], n, depth)
		w.block(&in.Blocks[1], n, depth)
	} else {
		w.block(&in.Blocks[0], n*yes, depth)
		w.block(&in.Blocks[1], n*(1-yes), depth)
	}
	for i, v := range in.Out {
		w.known[v] = chosen(c, w.known[in.Blocks[0].Results[i]], w.known[in.Blocks[1].Results[i]])
	}
}

// negates reports an If that asks whether a divisor is −1, for which it has a quotient of its own.
func (w *walker) negates(in *kernel.Instr) bool {
	asks := w.loops.Def[in.Args[0]]
	if asks == nil || asks.Code != kernel.Arith || asks.Op != num.Eq || !w.loops.Kinds[asks.Args[0]].IsInt() {
		return false
	}
	by, ok := w.loops.ConstInt(asks.Args[1])
	return ok && by == -1 && slices.ContainsFunc(in.Blocks[1].Instrs, func(d kernel.Instr) bool {
		return d.Code == kernel.Arith && d.Op == num.Div && d.Args[1] == asks.Args[0]
	})
}
