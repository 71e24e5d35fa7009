package kerneltest

import (
	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
)

// Mutate changes a few things in a kernel at random: a constant, an operand,
// an operation, a region, a bound, a length. Most results are unsafe, and
// some are so in ways that look safe.
func Mutate(t *rapid.T, k *kernel.Kernel) {
	var all []*kernel.Instr
	gather(&k.Body, &all)
	for range 1 + even(t, 3, "changes") {
		if len(all) == 0 || even(t, 6, "header") == 0 {
			mutateHeader(t, k)
			continue
		}
		mutateInstr(t, k, all[even(t, len(all), "instruction")])
	}
}

func gather(b *kernel.Block, all *[]*kernel.Instr) {
	for i := range b.Instrs {
		*all = append(*all, &b.Instrs[i])
		for j := range b.Instrs[i].Blocks {
			gather(&b.Instrs[i].Blocks[j], all)
		}
	}
}

func mutatePoly(t *rapid.T, k *kernel.Kernel, p size.Poly) size.Poly {
	var other size.Poly
	if len(k.Sizes) > 0 {
		other = kernel.SizeVar(even(t, len(k.Sizes), "size"))
	}
	switch even(t, 6, "polynomial") {
	case 0:
		return p.AddConst(-1)
	case 1:
		return p.AddConst(1)
	case 2:
		return other
	case 3:
		return p.Sub(other)
	case 4:
		return p.MulConst(2)
	}
	return p.Mul(other)
}

func mutateHeader(t *rapid.T, k *kernel.Kernel) {
	switch even(t, 6, "part") {
	case 0:
		k.Count = mutatePoly(t, k, k.Count)
	case 1:
		k.Grain = mutatePoly(t, k, k.Grain)
	case 2:
		if len(k.Sizes) > 0 {
			i := even(t, len(k.Sizes), "size")
			k.Sizes[i].Lo = int64(even(t, 3, "least"))
			k.Sizes[i].Hi = oneOf(t, []int64{2, 100, 1 << 47, 1 << 48}, "greatest")
		}
	default:
		if len(k.Regions) == 0 {
			return
		}
		r := &k.Regions[even(t, len(k.Regions), "region")]
		switch even(t, 4, "of region") {
		case 0, 1:
			r.Len = mutatePoly(t, k, r.Len)
		case 2:
			if r.Bounded {
				r.Bound = mutatePoly(t, k, r.Bound)
			}
		default:
			r.Access = kernel.Access(even(t, 4, "access"))
		}
	}
}

func mutateInstr(t *rapid.T, k *kernel.Kernel, in *kernel.Instr) {
	switch even(t, 7, "of instruction") {
	case 0, 1:
		if len(in.Args) > 0 {
			at := even(t, len(in.Args), "operand")
			in.Args[at] = max(0, in.Args[at]-kernel.Value(even(t, 8, "back")))
		}
	case 2:
		in.Poly = mutatePoly(t, k, in.Poly)
	case 3:
		if in.Code == kernel.Const {
			in.Bits = num.Canon(in.Kind, in.Bits+uint64(even(t, 5, "constant"))-2)
		}
	case 4:
		if in.Code == kernel.Arith && in.Op.Arity() == 2 && !in.Op.IsCompare() {
			in.Op = num.Op(1 + even(t, int(num.SatAdd), "op"))
			in.Site, in.At = kernel.NoSite, kernel.None
		}
	case 5:
		if in.Code == kernel.Load || in.Code == kernel.Store {
			in.Region = even(t, len(k.Regions), "region")
		}
		for i := range in.Carry {
			if in.Carry[i].Bounded {
				in.Carry[i].Bound = mutatePoly(t, k, in.Carry[i].Bound)
			}
		}
	default:
		for i := range in.Blocks {
			for j, v := range in.Blocks[i].Results {
				in.Blocks[i].Results[j] = max(0, v-kernel.Value(even(t, 4, "back")))
			}
		}
	}
}
