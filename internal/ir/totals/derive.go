package totals

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// In: a kernel with its classes, and the operations that join its states. Out: the kernel of totals. A loop that carries nothing but
// states becomes a fold of what its turns add, which engines do in vectors. Invariant: from Identity on, it leaves the same
// states as the kernel.

// derive makes the kernel of totals, if verify takes it.
func (l *Law) derive(k *kernel.Kernel, c *classes) error {
	n, ok := neededOf(k, l.Ops)
	if !ok {
		return refuse("what is carried goes too many ways")
	}
	d := &deriving{k: k, c: c, n: n, to: map[kernel.Value]kernel.Value{}, bits: map[kernel.Value]uint64{}, def: k.Defs()}
	made := d.kernel()
	l.Regions = kernel.Trim(made)
	safe, err := verify.Check(made)
	l.Totals = safe
	return err
}

// deriving emits the needed parts of a kernel.
type deriving struct {
	k    *kernel.Kernel
	c    *classes
	n    *needed
	b    *kernel.Builder
	to   map[kernel.Value]kernel.Value
	bits map[kernel.Value]uint64 // of emitted constants
	def  []*kernel.Instr
}

func (d *deriving) kernel() *kernel.Kernel {
	k := d.k
	made := &kernel.Kernel{Sizes: k.Sizes, Scalars: k.Scalars, Regions: slices.Clone(k.Regions), Outer: k.Outer, Grain: k.Grain, Count: k.Count}
	b, o, lo, hi := kernel.NewBuilder(made)
	d.b = b
	for i, v := range []kernel.Value{o, lo, hi} {
		d.to[k.Body.Params[i]] = v
	}
	for i, s := range k.State {
		d.to[k.Body.Params[3+i]] = b.StateParam(s.Kind, s.Region)
	}
	d.block(&k.Body)
	next := make([]kernel.Value, len(k.State))
	for i, v := range k.Body.Results {
		if next[i] = d.to[k.Body.Params[3+i]]; d.n.value[v] {
			next[i] = d.to[v]
		}
	}
	return b.Finish(next...)
}

func (d *deriving) block(b *kernel.Block) {
	for i := range b.Instrs {
		if in := &b.Instrs[i]; d.n.instr[in] {
			d.instr(in)
		}
	}
}

func (d *deriving) instr(in *kernel.Instr) {
	switch in.Code {
	case kernel.Store:
		d.b.Store(in.Region, d.to[in.Args[0]], d.to[in.Args[1]])
	case kernel.Load:
		d.to[in.Out[0]] = d.b.Load(in.Region, d.to[in.Args[0]])
	case kernel.If:
		d.branch(in)
	case kernel.For:
		d.loop(in)
	case kernel.Fold:
		d.fold(in)
	default:
		d.to[in.Out[0]] = d.scalar(in)
	}
}

func (d *deriving) scalar(in *kernel.Instr) kernel.Value {
	args := kernel.Replaced(in.Args, d.to)
	switch in.Code {
	case kernel.Const:
		return d.constant(in.Kind, in.Bits)
	case kernel.SizeOf:
		return d.b.SizeOf(in.Poly)
	case kernel.ScalarArg:
		return d.b.ScalarArg(in.Index)
	case kernel.Convert:
		return d.b.Convert(args[0], in.Kind, false)
	case kernel.Bitcast:
		return d.b.Bitcast(args[0], in.Kind)
	case kernel.Select:
		return d.b.Select(args[0], args[1], args[2])
	case kernel.Bound:
		return d.b.Bound(args[0], in.Poly)
	case kernel.Positive:
		return d.b.Positive(in.Poly)
	}
	return d.arith(in.Op, in.Kind, args)
}

func (d *deriving) constant(k num.Kind, bits uint64) kernel.Value {
	v := d.b.Const(k, bits)
	d.bits[v] = bits
	return v
}

// arith leaves out what joins an identity.
func (d *deriving) arith(op num.Op, k num.Kind, args []kernel.Value) kernel.Value {
	fold := num.FoldOf(op)
	if fold == num.BadFold || !fold.Takes(k) || fold.IsOrdered(k) {
		return d.b.Wrap(op, args...)
	}
	for i, a := range args {
		if bits, ok := d.bits[a]; ok && bits == fold.Identity(k, 0)[0] {
			return args[1-i]
		}
	}
	return d.b.Wrap(op, args...)
}

// wanted gives the emitted values of those results that are needed.
func (d *deriving) wanted(out, results []kernel.Value) (vs []kernel.Value) {
	for i, v := range out {
		if d.n.value[v] {
			vs = append(vs, d.to[results[i]])
		}
	}
	return vs
}

// give gives the needed results of an instruction their emitted values.
func (d *deriving) give(out, vs []kernel.Value) {
	for _, v := range out {
		if d.n.value[v] {
			d.to[v], vs = vs[0], vs[1:]
		}
	}
}

func (d *deriving) branch(in *kernel.Instr) {
	side := func(j int) func() []kernel.Value {
		return func() []kernel.Value {
			d.block(&in.Blocks[j])
			return d.wanted(in.Out, in.Blocks[j].Results)
		}
	}
	if cond := d.def[in.Args[0]]; cond != nil && cond.Code == kernel.Positive {
		d.give(in.Out, d.b.Guard(cond.Poly, side(0), side(1)))
		return
	}
	d.give(in.Out, d.b.If(d.to[in.Args[0]], side(0), side(1)))
}

func (d *deriving) fold(in *kernel.Instr) {
	b := &in.Blocks[0]
	vs := d.b.Fold(d.to[in.Args[0]], d.to[in.Args[1]], in.Tree, in.Accs, func(i kernel.Value) []kernel.Value {
		d.to[b.Params[0]] = i
		d.block(b)
		return kernel.Replaced(b.Results, d.to)
	})
	for i, v := range in.Out {
		d.to[v] = vs[i]
	}
}

func (d *deriving) loop(in *kernel.Instr) {
	if accs, ok := d.adds(in); ok {
		d.sum(in, accs)
		return
	}
	b, lo, hi := &in.Blocks[0], d.to[in.Args[0]], d.to[in.Args[1]]
	var carry []kernel.Carry
	for i, v := range in.Out {
		if d.n.value[v] {
			carry = append(carry, in.Carry[i])
		}
	}
	d.give(in.Out, d.b.For(lo, hi, carry, d.wanted(in.Out, in.Args[2:]), func(i kernel.Value, carried []kernel.Value) ([]kernel.Value, kernel.Value) {
		d.to[b.Params[0]] = i
		for j, v := range in.Out {
			if d.n.value[v] {
				d.to[b.Params[1+j]], carried = carried[0], carried[1:]
			}
		}
		d.block(b)
		stop := kernel.None
		if in.Stop {
			stop = d.to[b.Results[len(b.Results)-1]]
		}
		return d.wanted(in.Out, b.Results), stop
	}))
}

// adds reports that all that is needed of a loop is what each of its turns adds to what the loop carries.
func (d *deriving) adds(in *kernel.Instr) (accs []kernel.Acc, ok bool) {
	b := &in.Blocks[0]
	if in.Stop || !d.n.any(in.Out) || slices.ContainsFunc(in.Out, func(v kernel.Value) bool { return d.n.value[v] && d.c.of[v].state < 0 }) {
		return nil, false
	}
	stores := false
	b.Each(func(in *kernel.Instr) { stores = stores || in.Code == kernel.Store && d.n.instr[in] })
	if stores {
		return nil, false
	}
	turn, ok := d.c.turn(b)
	for i, v := range in.Out {
		if !d.n.value[v] {
			continue
		}
		got := turn.of[b.Results[i]]
		if !ok || got.state != i || got.op == num.BadFold {
			return nil, false
		}
		accs = append(accs, kernel.Acc{Op: got.op, Kind: in.Carry[i].Kind})
	}
	return accs, true
}

// sum emits such a loop as a fold: a turn that begins with identities gives what it adds.
func (d *deriving) sum(in *kernel.Instr, accs []kernel.Acc) {
	b, first := &in.Blocks[0], d.wanted(in.Out, in.Args[2:])
	at := 0
	for i, v := range in.Out {
		if d.n.value[v] {
			d.to[b.Params[1+i]] = d.constant(accs[at].Kind, accs[at].Op.Identity(accs[at].Kind, 0)[0])
			at++
		}
	}
	vs := d.b.Fold(d.to[in.Args[0]], d.to[in.Args[1]], false, accs, func(i kernel.Value) []kernel.Value {
		d.to[b.Params[0]] = i
		d.block(b)
		return d.wanted(in.Out, b.Results)
	})
	out := make([]kernel.Value, len(accs)) // vs belongs to the fold
	for i, a := range accs {
		out[i] = d.arith(a.Op.Scalar(), a.Kind, []kernel.Value{first[i], vs[i]})
	}
	d.give(in.Out, out)
}
