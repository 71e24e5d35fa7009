package suspend

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// emitter appends instructions to the innermost open block. Unlike
// kernel.Builder it moves and merges nothing but constants: a load from a
// window is in bounds only inside the branch that looked.
type emitter struct {
	kinds  []num.Kind
	stack  []*kernel.Block
	consts []kernel.Instr // belong at the beginning of the body
	known  map[constant]kernel.Value
}

type constant struct {
	kind num.Kind
	bits uint64
}

func (e *emitter) value(k num.Kind) kernel.Value {
	e.kinds = append(e.kinds, k)
	return kernel.Value(len(e.kinds) - 1)
}

func (e *emitter) emit(in kernel.Instr, outs ...num.Kind) []kernel.Value {
	for _, k := range outs {
		in.Out = append(in.Out, e.value(k))
	}
	b := e.stack[len(e.stack)-1]
	b.Instrs = append(b.Instrs, in)
	return in.Out
}

// pure emits an instruction with one result whose faults do not count.
func (e *emitter) pure(in kernel.Instr, out num.Kind) kernel.Value {
	in.Site, in.At = kernel.NoSite, kernel.None
	return e.emit(in, out)[0]
}

func (e *emitter) constant(k num.Kind, bits uint64) kernel.Value {
	key := constant{k, bits}
	v, ok := e.known[key]
	if !ok {
		v = e.value(k)
		e.known[key] = v
		e.consts = append(e.consts, kernel.Instr{Code: kernel.Const, Kind: k, Bits: bits, Site: kernel.NoSite, At: kernel.None, Out: []kernel.Value{v}})
	}
	return v
}

func (e *emitter) int(n int64) kernel.Value { return e.constant(num.I64, uint64(n)) }
func (e *emitter) truth(is bool) kernel.Value {
	return e.constant(num.Bool, map[bool]uint64{true: 1}[is])
}
func (e *emitter) zero(k num.Kind) kernel.Value    { return e.constant(k, 0) }
func (e *emitter) sizeOf(p size.Poly) kernel.Value { return e.poly(kernel.SizeOf, p, num.I64) }

func (e *emitter) poly(c kernel.Code, p size.Poly, out num.Kind) kernel.Value {
	return e.pure(kernel.Instr{Code: c, Kind: out, Poly: p}, out)
}

func (e *emitter) scalar(i int, k num.Kind) kernel.Value {
	return e.pure(kernel.Instr{Code: kernel.ScalarArg, Kind: k, Index: i}, k)
}

func (e *emitter) op(op num.Op, args ...kernel.Value) kernel.Value {
	k := e.kinds[args[0]]
	out := k
	if op.IsCompare() {
		out = num.Bool
	}
	return e.pure(kernel.Instr{Code: kernel.Arith, Kind: k, Op: op, Args: args}, out)
}

func (e *emitter) convert(v kernel.Value, k num.Kind) kernel.Value {
	if e.kinds[v] == k {
		return v
	}
	return e.pure(kernel.Instr{Code: kernel.Convert, Kind: k, From: e.kinds[v], Args: []kernel.Value{v}}, k)
}

func (e *emitter) choose(cond, yes, no kernel.Value) kernel.Value {
	k := e.kinds[yes]
	return e.pure(kernel.Instr{Code: kernel.Select, Kind: k, Args: []kernel.Value{cond, yes, no}}, k)
}

func (e *emitter) load(region int, k num.Kind, at kernel.Value) kernel.Value {
	return e.pure(kernel.Instr{Code: kernel.Load, Kind: k, Region: region, Args: []kernel.Value{at}}, k)
}

func (e *emitter) store(region int, at, v kernel.Value) {
	e.emit(kernel.Instr{Code: kernel.Store, Kind: e.kinds[v], Region: region, Args: []kernel.Value{at, v}, Site: kernel.NoSite, At: kernel.None})
}

// bound makes an integer from memory that anyone may have written keep
// 0 ≤ v < p, where p ≥ 1.
func (e *emitter) bound(v kernel.Value, p size.Poly) kernel.Value {
	wide := e.pure(kernel.Instr{Code: kernel.Bound, Kind: num.I64, Poly: p, Args: []kernel.Value{e.convert(v, num.I64)}}, num.I64)
	return e.convert(wide, e.kinds[v])
}

func (e *emitter) block(b *kernel.Block, fill func() []kernel.Value) []num.Kind {
	e.stack = append(e.stack, b)
	b.Results = fill()
	e.stack = e.stack[:len(e.stack)-1]
	kinds := make([]num.Kind, len(b.Results))
	for i, v := range b.Results {
		kinds[i] = e.kinds[v]
	}
	return kinds
}

// branch builds both blocks, which give values of the same kinds.
func (e *emitter) branch(cond kernel.Value, then, els func() []kernel.Value) []kernel.Value {
	in := kernel.Instr{Code: kernel.If, Args: []kernel.Value{cond}, Site: kernel.NoSite, At: kernel.None, Blocks: make([]kernel.Block, 2)}
	kinds := e.block(&in.Blocks[0], then)
	e.block(&in.Blocks[1], els)
	return e.emit(in, kinds...)
}

// when is branch with nothing on the other side.
func (e *emitter) when(cond kernel.Value, then func()) {
	e.branch(cond, func() []kernel.Value { then(); return nil }, func() []kernel.Value { return nil })
}

// repeat builds a For that stops when the last result of body holds.
func (e *emitter) repeat(lo, hi kernel.Value, carry []kernel.Carry, init []kernel.Value, body func(i kernel.Value, carried []kernel.Value) []kernel.Value) []kernel.Value {
	in := kernel.Instr{Code: kernel.For, Args: append([]kernel.Value{lo, hi}, init...), Carry: carry, Stop: true, Site: kernel.NoSite, At: kernel.None, Blocks: make([]kernel.Block, 1)}
	b := &in.Blocks[0]
	b.Params = []kernel.Value{e.value(num.I64)}
	kinds := make([]num.Kind, len(carry))
	for j, c := range carry {
		kinds[j] = c.Kind
		b.Params = append(b.Params, e.value(c.Kind))
	}
	e.block(b, func() []kernel.Value { return body(b.Params[0], b.Params[1:]) })
	return e.emit(in, kinds...)
}

// finish closes the body of k.
func (e *emitter) finish(k *kernel.Kernel) {
	k.Body.Instrs = append(e.consts, k.Body.Instrs...)
	kernel.Prune(k)
	kernel.Renumber(k)
}
