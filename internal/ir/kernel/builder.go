package kernel

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Builder makes a kernel's body instruction by instruction. Values get
// provisional numbers that Finish replaces by the canonical ones. A pure
// instruction that an enclosing block already holds is not emitted again.
type Builder struct {
	K     *Kernel
	kinds []num.Kind
	depth []int // of the block that each value is defined in
	stack []*Block
	known []map[string]Value // per open block: pure instructions by text
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
	b.known = []map[string]Value{{}}
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
	b.depth = append(b.depth, len(b.stack)-1)
	return Value(len(b.kinds) - 1)
}

// param makes a parameter of a block that is about to be opened.
func (b *Builder) param(k num.Kind) Value {
	v := b.value(k)
	b.depth[v] = len(b.stack)
	return v
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

// pure emits an instruction with one result unless it is known already.
func (b *Builder) pure(in Instr, out num.Kind) Value {
	key := pureKey(&in)
	for _, m := range b.known {
		if v, ok := m[key]; ok {
			return v
		}
	}
	var v Value
	b.Outside(b.hoist(&in), func() {
		v = b.emit(in, out)[0]
		b.known[len(b.known)-1][key] = v
	})
	return v
}

// hoist finds the outermost open block in which a pure instruction can
// stand: loop-invariant code leaves the loop as it is made. A load stays,
// unless it is from a region of constant length, because the proof of its
// index may lean on the loop around it.
func (b *Builder) hoist(in *Instr) int {
	here := len(b.stack) - 1
	if in.Site != NoSite || in.Code == Bound || in.Code == Load && !b.constLen(in.Region) {
		return here
	}
	outer := 0
	for _, a := range in.Args {
		outer = max(outer, min(b.depth[a], here))
	}
	return outer
}

func (b *Builder) constLen(region int) bool {
	_, ok := b.K.Regions[region].Len.Const()
	return ok
}

// pureKey tells apart all instructions that could differ in value or faults.
func pureKey(in *Instr) string {
	k := make([]byte, 0, 48)
	k = append(k, byte(in.Code), byte(in.Kind), byte(in.From), byte(in.Op))
	for _, n := range []int64{int64(in.Bits), int64(in.Index), int64(in.Region), int64(in.Site), int64(in.At)} {
		k = binary.AppendVarint(k, n)
	}
	for _, a := range in.Args {
		k = binary.AppendVarint(k, int64(a))
	}
	if in.Code == SizeOf || in.Code == Bound || in.Code == Positive {
		k = append(k, in.Poly.String()...)
	}
	return string(k)
}

// Outside emits what f emits into the open block at the given depth, before
// the instruction that is being built there.
func (b *Builder) Outside(depth int, f func()) {
	stack, known := b.stack, b.known
	b.stack, b.known = stack[:depth+1:depth+1], known[:depth+1:depth+1]
	f()
	b.stack, b.known = stack, known
}

func (b *Builder) Const(k num.Kind, bits uint64) Value {
	return b.pure(Instr{Code: Const, Kind: k, Bits: bits, Site: NoSite, At: None}, k)
}

// Int is an I64 constant.
func (b *Builder) Int(n int64) Value { return b.Const(num.I64, uint64(n)) }

func (b *Builder) SizeOf(p size.Poly) Value {
	if n, ok := p.Const(); ok {
		return b.Int(n)
	}
	return b.pure(Instr{Code: SizeOf, Kind: num.I64, Poly: p, Site: NoSite, At: None}, num.I64)
}

func (b *Builder) ScalarArg(i int) Value {
	k := b.K.Scalars[i].Kind
	return b.pure(Instr{Code: ScalarArg, Kind: k, Index: i, Site: NoSite, At: None}, k)
}

// Checked applies an operation whose faults are reported at b.Site.
func (b *Builder) Checked(op num.Op, args ...Value) Value { return b.arith(op, b.Site, args) }

// Wrap applies an operation and ignores its faults.
func (b *Builder) Wrap(op num.Op, args ...Value) Value { return b.arith(op, NoSite, args) }

func (b *Builder) arith(op num.Op, site int, args []Value) Value {
	k := b.kinds[args[0]]
	if !op.Takes(k) || len(args) != op.Arity() || slices.ContainsFunc(args, func(v Value) bool { return b.kinds[v] != k }) {
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
	return b.pure(Instr{Code: Arith, Kind: k, Op: op, Args: args, Site: site, At: at}, out)
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
	return b.pure(Instr{Code: Convert, Kind: k, From: from, Args: []Value{v}, Site: site, At: at}, k)
}

func (b *Builder) Bitcast(v Value, k num.Kind) Value {
	if b.kinds[v] == k {
		return v
	}
	return b.pure(Instr{Code: Bitcast, Kind: k, From: b.kinds[v], Args: []Value{v}, Site: NoSite, At: None}, k)
}

func (b *Builder) Select(cond, yes, no Value) Value {
	k := b.kinds[yes]
	if yes == no {
		return yes
	}
	return b.pure(Instr{Code: Select, Kind: k, Args: []Value{cond, yes, no}, Site: NoSite, At: None}, k)
}

func (b *Builder) Load(region int, i Value) Value {
	r := b.K.Regions[region]
	in := Instr{Code: Load, Kind: r.Elem, Region: region, Args: []Value{i}, Site: NoSite, At: None}
	if r.Access == Read {
		return b.pure(in, r.Elem)
	}
	return b.emit(in, r.Elem)[0]
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
	return b.pure(Instr{Code: Bound, Kind: num.I64, Poly: p, Args: []Value{v}, Site: b.Site, At: at}, num.I64)
}

func (b *Builder) Positive(p size.Poly) Value {
	return b.pure(Instr{Code: Positive, Kind: num.Bool, Poly: p, Site: NoSite, At: None}, num.Bool)
}

// Fault reports a fault at b.Site if cond.
func (b *Builder) Fault(cond Value) {
	at := b.At
	if b.Site == NoSite {
		at = None
	}
	b.emit(Instr{Code: Fault, Kind: num.Bool, Args: []Value{cond}, Site: b.Site, At: at})
}

// If builds both blocks by calling them; they must give values of the same
// kinds.
func (b *Builder) If(cond Value, then, els func() []Value) []Value {
	in := Instr{Code: If, Args: []Value{cond}, Site: NoSite, At: None, Blocks: make([]Block, 2)}
	b.block(&in.Blocks[0], then)
	b.block(&in.Blocks[1], els)
	if b.selectable(&in) {
		return b.flatten(&in)
	}
	return b.emit(in, b.kindsOf(in.Blocks[0].Results)...)
}

// Guard is If on Positive(p); it always stays a branch, because proofs in
// its first block lean on it.
func (b *Builder) Guard(p size.Poly, then, els func() []Value) []Value {
	in := Instr{Code: If, Args: []Value{b.Positive(p)}, Site: NoSite, At: None, Blocks: make([]Block, 2)}
	b.block(&in.Blocks[0], then)
	b.block(&in.Blocks[1], els)
	return b.emit(in, b.kindsOf(in.Blocks[0].Results)...)
}

// maxSelect is the most instructions that are worth executing in vain so
// that a branch becomes selects, which engines can vectorise.
const maxSelect = 24

// selectable reports that both sides may be executed whatever the condition.
func (b *Builder) selectable(in *Instr) bool {
	if len(in.Blocks[0].Results) == 0 {
		return false
	}
	n := 0
	for _, blk := range in.Blocks {
		for i := range blk.Instrs {
			if !speculative(&blk.Instrs[i]) {
				return false
			}
			n++
		}
	}
	return n <= maxSelect
}

// speculative reports that executing an instruction in vain does nothing but
// take a little time. A load may be: its bounds are proved for all paths,
// except where the proof leans on a Positive branch, whose guarded Bound is
// not speculative.
func speculative(in *Instr) bool {
	switch in.Code {
	case Const, SizeOf, ScalarArg, Bitcast, Select, Positive:
		return true
	case Load:
		return true
	case Arith:
		return in.Site == NoSite && in.Op != num.Div && in.Op != num.Rem || in.Kind.IsFloat()
	case Convert:
		return in.Site == NoSite
	}
	return false
}

// flatten moves both sides of a branch into the open block.
func (b *Builder) flatten(in *Instr) []Value {
	cur := b.stack[len(b.stack)-1]
	for _, blk := range in.Blocks {
		cur.Instrs = append(cur.Instrs, blk.Instrs...)
	}
	yes, no := in.Blocks[0].Results, in.Blocks[1].Results
	out := make([]Value, len(yes))
	for i := range yes {
		out[i] = b.Select(in.Args[0], yes[i], no[i])
	}
	return out
}

// For builds a loop; see Instr. stop may be None in the results of body.
func (b *Builder) For(lo, hi Value, carry []Carry, init []Value, body func(i Value, carried []Value) (next []Value, stop Value)) []Value {
	in := Instr{Code: For, Args: append([]Value{lo, hi}, init...), Carry: carry, Site: NoSite, At: None, Blocks: make([]Block, 1)}
	blk := &in.Blocks[0]
	blk.Params = []Value{b.param(num.I64)}
	kinds := make([]num.Kind, len(carry))
	for j, c := range carry {
		kinds[j] = c.Kind
		blk.Params = append(blk.Params, b.param(c.Kind))
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

// Each builds a loop that carries nothing.
func (b *Builder) Each(lo, hi Value, body func(i Value)) {
	b.For(lo, hi, nil, nil, func(i Value, _ []Value) ([]Value, Value) {
		body(i)
		return nil, None
	})
}

// Fold builds a fold; the results are those of each accumulator in turn.
func (b *Builder) Fold(lo, hi Value, tree bool, accs []Acc, body func(i Value) []Value) []Value {
	in := Instr{Code: Fold, Args: []Value{lo, hi}, Accs: accs, Tree: tree, Site: NoSite, At: None, Blocks: make([]Block, 1)}
	blk := &in.Blocks[0]
	blk.Params = []Value{b.param(num.I64)}
	b.block(blk, func() []Value { return body(blk.Params[0]) })
	var outs []num.Kind
	for _, a := range accs {
		outs = append(outs, a.Outs()...)
	}
	return b.emit(in, outs...)
}

func (b *Builder) block(blk *Block, fill func() []Value) {
	b.stack = append(b.stack, blk)
	b.known = append(b.known, map[string]Value{})
	blk.Results = fill()
	b.stack = b.stack[:len(b.stack)-1]
	b.known = b.known[:len(b.known)-1]
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
	Prune(b.K)
	Renumber(b.K)
	return b.K
}
