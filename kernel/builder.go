package kernel

import (
	"fmt"

	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
)

// Builder makes a kernel's body instruction by instruction. Values get
// provisional numbers that Finish replaces by the canonical ones.
type Builder struct {
	K     *Kernel
	kinds []num.Kind
	stack []*Block
	// Site and At are given to every instruction that can fault.
	Site int
	At   Value
}

// NewBuilder starts a kernel with its header fields already filled in (they
// may still change before Finish) and gives the body's parameters.
func NewBuilder(k *Kernel) (b *Builder, o, lo, hi Value) {
	b = &Builder{K: k, Site: NoSite, At: None}
	k.Body = Block{}
	b.stack = []*Block{&k.Body}
	o, lo, hi = b.value(num.I64), b.value(num.I64), b.value(num.I64)
	k.Body.Params = []Value{o, lo, hi}
	return b, o, lo, hi
}

// StateParam adds a carried value to a sequential kernel.
func (b *Builder) StateParam(kind num.Kind, region int) Value {
	v := b.value(kind)
	b.K.State = append(b.K.State, State{kind, region})
	b.K.Body.Params = append(b.K.Body.Params, v)
	return v
}

func (b *Builder) value(k num.Kind) Value {
	b.kinds = append(b.kinds, k)
	return Value(len(b.kinds) - 1)
}

// Kind is the kind of a value.
func (b *Builder) Kind(v Value) num.Kind { return b.kinds[v] }

func (b *Builder) emit(in Instr, outs ...num.Kind) []Value {
	for _, k := range outs {
		in.Out = append(in.Out, b.value(k))
	}
	cur := b.stack[len(b.stack)-1]
	cur.Instrs = append(cur.Instrs, in)
	return in.Out
}

func (b *Builder) Const(k num.Kind, bits uint64) Value {
	return b.emit(Instr{Code: Const, Kind: k, Bits: bits, Site: NoSite, At: None}, k)[0]
}

// Int is an I64 constant.
func (b *Builder) Int(n int64) Value { return b.Const(num.I64, uint64(n)) }

func (b *Builder) SizeOf(p size.Poly) Value {
	if n, ok := p.Const(); ok {
		return b.Int(n)
	}
	return b.emit(Instr{Code: SizeOf, Kind: num.I64, Poly: p, Site: NoSite, At: None}, num.I64)[0]
}

func (b *Builder) ScalarArg(i int) Value {
	k := b.K.Scalars[i].Kind
	return b.emit(Instr{Code: ScalarArg, Kind: k, Index: i, Site: NoSite, At: None}, k)[0]
}

// Checked applies an operation whose faults are reported at b.Site.
func (b *Builder) Checked(op num.Op, args ...Value) Value { return b.arith(op, b.Site, args) }

// Wrap applies an operation and ignores its faults.
func (b *Builder) Wrap(op num.Op, args ...Value) Value { return b.arith(op, NoSite, args) }

func (b *Builder) arith(op num.Op, site int, args []Value) Value {
	k := b.kinds[args[0]]
	if !op.Takes(k) || len(args) != op.Arity() || (len(args) == 2 && b.kinds[args[1]] != k) {
		panic(fmt.Sprintf("kernel: %s on %s", op, k))
	}
	at := b.At
	if !op.CanFault(k) || site == NoSite {
		site, at = NoSite, None
	}
	out := k
	if op.IsCompare() {
		out = num.Bool
	}
	return b.emit(Instr{Code: Arith, Kind: k, Op: op, Args: args, Site: site, At: at}, out)[0]
}

// Convert gives v as kind k; a value that does not fit is a fault at b.Site
// if checked.
func (b *Builder) Convert(v Value, k num.Kind, checked bool) Value {
	from := b.kinds[v]
	if from == k {
		return v
	}
	site, at := NoSite, None
	if checked && num.ConvertCanFault(from, k) {
		site, at = b.Site, b.At
	}
	return b.emit(Instr{Code: Convert, Kind: k, From: from, Args: []Value{v}, Site: site, At: at}, k)[0]
}

func (b *Builder) Bitcast(v Value, k num.Kind) Value {
	return b.emit(Instr{Code: Bitcast, Kind: k, From: b.kinds[v], Args: []Value{v}, Site: NoSite, At: None}, k)[0]
}

func (b *Builder) Select(cond, yes, no Value) Value {
	k := b.kinds[yes]
	return b.emit(Instr{Code: Select, Kind: k, Args: []Value{cond, yes, no}, Site: NoSite, At: None}, k)[0]
}

func (b *Builder) Load(region int, i Value) Value {
	k := b.K.Regions[region].Elem
	return b.emit(Instr{Code: Load, Kind: k, Region: region, Args: []Value{i}, Site: NoSite, At: None}, k)[0]
}

func (b *Builder) Store(region int, i, v Value) {
	b.emit(Instr{Code: Store, Kind: b.kinds[v], Region: region, Args: []Value{i, v}, Site: NoSite, At: None})
}

// Bound limits v to 0..p; outside it is a fault at b.Site (if any) and 0.
func (b *Builder) Bound(v Value, p size.Poly) Value {
	at := b.At
	if b.Site == NoSite {
		at = None
	}
	return b.emit(Instr{Code: Bound, Kind: num.I64, Poly: p, Args: []Value{v}, Site: b.Site, At: at}, num.I64)[0]
}

func (b *Builder) Positive(p size.Poly) Value {
	return b.emit(Instr{Code: Positive, Kind: num.Bool, Poly: p, Site: NoSite, At: None}, num.Bool)[0]
}

// Fault reports a fault at b.Site if cond.
func (b *Builder) Fault(cond Value) {
	b.emit(Instr{Code: Fault, Kind: num.Bool, Args: []Value{cond}, Site: b.Site, At: b.At})
}

// If builds both blocks by calling them; they must give values of the same
// kinds.
func (b *Builder) If(cond Value, then, els func() []Value) []Value {
	in := Instr{Code: If, Args: []Value{cond}, Site: NoSite, At: None, Blocks: make([]Block, 2)}
	b.block(&in.Blocks[0], then)
	b.block(&in.Blocks[1], els)
	return b.emit(in, b.kindsOf(in.Blocks[0].Results)...)
}

// For builds a loop; see Instr. stop may be None in the results of body.
func (b *Builder) For(lo, hi Value, carry []Carry, init []Value, body func(i Value, carried []Value) (next []Value, stop Value)) []Value {
	in := Instr{Code: For, Args: append([]Value{lo, hi}, init...), Carry: carry, Site: NoSite, At: None, Blocks: make([]Block, 1)}
	blk := &in.Blocks[0]
	blk.Params = []Value{b.value(num.I64)}
	kinds := make([]num.Kind, len(carry))
	for j, c := range carry {
		kinds[j] = c.Kind
		blk.Params = append(blk.Params, b.value(c.Kind))
	}
	b.block(blk, func() []Value {
		next, stop := body(blk.Params[0], blk.Params[1:])
		if stop != None {
			in.Stop = true
			next = append(next[:len(next):len(next)], stop)
		}
		return next
	})
	return b.emit(in, kinds...)
}

// Fold builds a fold; the results are those of each accumulator in turn.
func (b *Builder) Fold(lo, hi Value, tree bool, accs []Acc, body func(i Value) []Value) []Value {
	in := Instr{Code: Fold, Args: []Value{lo, hi}, Accs: accs, Tree: tree, Site: NoSite, At: None, Blocks: make([]Block, 1)}
	blk := &in.Blocks[0]
	blk.Params = []Value{b.value(num.I64)}
	b.block(blk, func() []Value { return body(blk.Params[0]) })
	var outs []num.Kind
	for _, a := range accs {
		outs = append(outs, a.Outs()...)
	}
	return b.emit(in, outs...)
}

func (b *Builder) block(blk *Block, fill func() []Value) {
	b.stack = append(b.stack, blk)
	blk.Results = fill()
	b.stack = b.stack[:len(b.stack)-1]
}

func (b *Builder) kindsOf(vs []Value) []num.Kind {
	kinds := make([]num.Kind, len(vs))
	for i, v := range vs {
		kinds[i] = b.kinds[v]
	}
	return kinds
}

// Finish closes the body with the next state and renumbers all values.
func (b *Builder) Finish(state ...Value) *Kernel {
	b.K.Body.Results = state
	Renumber(b.K)
	return b.K
}
