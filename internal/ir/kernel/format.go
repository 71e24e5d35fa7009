package kernel

import (
	"math"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The layout of a kernel's bytes, in the order in which they lie. Values get
// their numbers from their place, so their definitions take no bytes.

func (f *format) kernel() {
	f.magic()
	list(f, &f.k.Sizes, MaxSizes, "sizes", func(s *Size) {
		f.natural(&s.Lo, "least size")
		f.natural(&s.Hi, "greatest size")
	})
	list(f, &f.k.Scalars, MaxScalars, "scalars", f.scalar)
	list(f, &f.k.Regions, MaxRegions, "regions", f.region)
	f.index(&f.k.Sites, MaxSites+1, "number of sites")
	f.poly(&f.k.Outer)
	f.poly(&f.k.Grain)
	f.poly(&f.k.Count)
	list(f, &f.k.State, MaxStates, "states", func(s *State) {
		f.kind(&s.Kind)
		f.index(&s.Region, len(f.k.Regions), "region")
	})
	f.block(&f.k.Body, 3+len(f.k.State), len(f.k.State))
}

func (f *format) magic() {
	if !f.reading {
		f.buf = append(f.buf, magic...)
		return
	}
	b := string(f.take(len(magic)))
	f.check(b[:3] == magic[:3], "this is not a kernel")
	f.check(b[3] == magic[3], "format version %d, but version %d is known here", b[3], magic[3])
}

func (f *format) scalar(s *Scalar) {
	f.kind(&s.Kind)
	if s.Kind.IsInt() {
		f.signed(&s.Lo, "least value")
		f.signed(&s.Hi, "greatest value")
	}
	f.bounded(&s.Bounded, &s.Bound)
	f.check(s.Kind.IsInt() || (s.Lo == 0 && s.Hi == 0 && !s.Bounded), "a range for a scalar of %s", s.Kind)
}

func (f *format) region(r *Region) {
	f.kind(&r.Elem)
	u := uint64(r.Access)
	f.uint(&u, uint64(accesses)-1, "access")
	set(f, &r.Access, Access(u))
	f.poly(&r.Len)
	f.bounded(&r.Bounded, &r.Bound)
}

func (f *format) bounded(is *bool, bound *size.Poly) {
	f.flag(is, "bounded")
	if *is {
		f.poly(bound)
		return
	}
	f.check(bound.Equal(size.Const(0)), "a bound where none is declared")
}

// block has its parameters, its instructions and its results; the numbers of
// parameters and results follow from what holds the block.
func (f *format) block(b *Block, params, results int) {
	f.enter(b, params)
	exactly(f, &b.Results, results, "results", f.use)
	f.depth--
}

// freeBlock says itself how many results it has.
func (f *format) freeBlock(b *Block) {
	f.enter(b, 0)
	list(f, &b.Results, MaxResults, "results", f.use)
	f.depth--
}

func (f *format) enter(b *Block, params int) {
	f.depth++
	f.within(f.depth <= MaxDepth, "blocks are nested more than %d deep", MaxDepth)
	f.define(&b.Params, params)
	list(f, &b.Instrs, MaxBytes, "instructions", f.instr)
}

func (f *format) instr(in *Instr) {
	u := uint64(in.Code)
	f.uint(&u, uint64(codes)-1, "instruction code")
	f.check(u != 0, "instruction code 0")
	if f.reading {
		*in = Instr{Code: Code(u), Site: NoSite, At: None}
	}
	if f.err != nil {
		return
	}
	f.operands(in)
	if !f.reading && f.err == nil {
		f.check(onlyFields(in), "%s has a field set that it does not have", in.Code)
	}
	f.define(&in.Out, outs(in))
}

func (f *format) args(in *Instr, n int) { exactly(f, &in.Args, n, "arguments", f.use) }

func (f *format) operands(in *Instr) {
	switch in.Code {
	case Const:
		f.kind(&in.Kind)
		f.bits(&in.Bits, in.Kind)
	case SizeOf, Positive:
		f.poly(&in.Poly)
	case ScalarArg:
		f.index(&in.Index, len(f.k.Scalars), "scalar")
	case Arith:
		f.arith(in)
	case Convert, Bitcast:
		f.kind(&in.From)
		f.kind(&in.Kind)
		f.args(in, 1)
	case Select:
		f.kind(&in.Kind)
		f.args(in, 3)
	case Load:
		f.index(&in.Region, len(f.k.Regions), "region")
		f.args(in, 1)
	case Store:
		f.index(&in.Region, len(f.k.Regions), "region")
		f.args(in, 2)
	case Bound:
		f.poly(&in.Poly)
		f.args(in, 1)
	case Fault:
		f.args(in, 1)
	case If:
		f.choice(in)
	case For:
		f.loop(in)
	case Fold:
		f.fold(in)
	}
	f.derivedKind(in)
	if canFault(in) {
		f.site(in)
	} else {
		f.check(in.Site == NoSite && in.At == None, "%s cannot fault, but has a site", in.Code)
	}
}

func (f *format) arith(in *Instr) {
	u := uint64(in.Op)
	f.uint(&u, math.MaxUint8, "operation")
	set(f, &in.Op, num.Op(u))
	f.check(in.Op.Valid(), "there is no operation %d", u)
	f.kind(&in.Kind)
	f.args(in, in.Op.Arity())
}

// site is 0 for NoSite; only a real site has a place.
func (f *format) site(in *Instr) {
	n := in.Site + 1
	f.index(&n, f.k.Sites+1, "one more than the fault site")
	set(f, &in.Site, n-1)
	if in.Site != NoSite {
		f.reference(&in.At)
	} else {
		f.check(in.At == None, "a place for faults that are ignored")
	}
}

func (f *format) choice(in *Instr) {
	f.args(in, 1)
	exactly(f, &in.Blocks, 2, "blocks", f.freeBlock)
	if f.err == nil {
		f.check(len(in.Blocks[0].Results) == len(in.Blocks[1].Results), "two branches with different numbers of results")
	}
}

func (f *format) loop(in *Instr) {
	f.flag(&in.Stop, "stop")
	list(f, &in.Carry, MaxCarries, "carried values", func(c *Carry) {
		f.kind(&c.Kind)
		f.bounded(&c.Bounded, &c.Bound)
	})
	f.args(in, 2+len(in.Carry))
	results := len(in.Carry)
	if in.Stop {
		results++
	}
	exactly(f, &in.Blocks, 1, "blocks", func(b *Block) { f.block(b, 1+len(in.Carry), results) })
}

func (f *format) fold(in *Instr) {
	f.flag(&in.Tree, "tree")
	list(f, &in.Accs, MaxAccs, "accumulators", func(a *Acc) {
		u := uint64(a.Op)
		f.uint(&u, math.MaxUint8, "operator")
		set(f, &a.Op, FoldOp(u))
		f.check(a.Op.Valid(), "there is no fold operator %d", u)
		f.kind(&a.Kind)
	})
	f.args(in, 2)
	exactly(f, &in.Blocks, 1, "blocks", func(b *Block) { f.block(b, 1, len(in.Accs)) })
}
