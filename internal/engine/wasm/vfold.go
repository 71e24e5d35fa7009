package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// accMode is how an accumulator is kept in vectors.
type accMode uint8

const (
	// accRow: the lanes of the canonical order, 128 bytes; see leaf.go.
	accRow accMode = iota
	// accLanes: any lanes do, they are combined after each strip.
	accLanes
	// accCount: a sum of ones and zeros, that is of masks.
	accCount
	// accWiden: a sum of integers narrower than the accumulator, kept in
	// lanes that a strip cannot overflow.
	accWiden
	// accHalves: an exact sum of 64-bit values, the sums of the low and high
	// halves apart.
	accHalves
	// accExtremes: least or greatest of F32; see vbest.go.
	accExtremes
	// accBest: least or greatest with its index; see vbest.go.
	accBest
)

// vecAcc is an accumulator in vector code.
type vecAcc struct {
	*accumulator
	mode accMode
	src  kernel.Value // what is accumulated: the body's value or what it was converted from
	mask kernel.Value // accWiden: what to leave out, or None
	// regs are the vectors between two strips' ends: for a row its eight, or
	// none if it stays in memory; for others sets of one for each vector.
	regs []local
	n    int // vectors in a set
	sets int
}

// planAccs finds a mode for each accumulator.
func (p *vectorBody) planAccs(accs []*accumulator) bool {
	for _, a := range accs {
		v := &vecAcc{accumulator: a, src: a.value, mask: kernel.None}
		switch {
		case a.Op.IsOrdered(a.Kind):
			v.mode = accRow
			if a.factors != nil {
				v.src = a.factors[0]
			}
		case a.Op == kernel.FoldArgMin || a.Op == kernel.FoldArgMax:
			v.mode = accBest
		case a.Kind == num.F32 && (a.Op == kernel.FoldMin || a.Op == kernel.FoldMax):
			v.mode = accExtremes
		case p.planSum(v):
		case a.Op == kernel.FoldAddWide:
			v.mode = accHalves
		case a.Op == kernel.FoldMul && a.Kind.Size() == 1:
			return false
		default:
			v.mode = accLanes
		}
		p.accs = append(p.accs, v)
	}
	return true
}

// planSum recognises sums of widened integers and counts.
func (p *vectorBody) planSum(v *vecAcc) bool {
	if v.Kind != num.I64 && v.Kind != num.U64 || v.Op != kernel.FoldAdd && v.Op != kernel.FoldAddWide {
		return false
	}
	d, ok := p.definition(v.value)
	if !ok {
		return false
	}
	mask := kernel.None
	if d.Code == kernel.Select {
		one, ok1 := p.Of.Const(d.Args[1])
		zero, ok2 := p.Of.Const(d.Args[2])
		if !ok2 || zero != 0 || p.shape(d.Args[0]) != varying {
			return false
		}
		if ok1 && one == 1 {
			v.mode, v.src = accCount, d.Args[0]
			return true
		}
		mask = d.Args[0]
		if d, ok = p.definition(d.Args[1]); !ok {
			return false
		}
	}
	switch d.Code {
	case kernel.Convert:
		switch {
		case d.From == num.Bool && mask == kernel.None:
			v.mode = accCount
		case !d.From.IsInt() || d.From.Size() == 8 || d.From.IsSigned() && v.Kind == num.U64:
			return false
		default:
			v.mode = accWiden
		}
	default:
		return false
	}
	if p.shape(d.Args[0]) != varying {
		return false
	}
	v.src, v.mask = d.Args[0], mask
	return true
}

// definition is the instruction of the body that makes a varying value
// without faults.
func (p *vectorBody) definition(v kernel.Value) (*kernel.Instr, bool) {
	d := p.Of.Def[v]
	return d, d != nil && p.shape(v) == varying && d.Site == kernel.NoSite
}

// minWidth is the width that the accumulator's operand needs.
func (a *vecAcc) minWidth(p *vectorBody) int {
	if a.mode == accBest {
		return p.keyWidth(a)
	}
	return p.widthOf(a.src)
}

// srcWidth is the width in which the operand is taken: masks to be counted
// must fill whole vectors.
func (a *vecAcc) srcWidth(p *vectorBody) int {
	if a.mode == accCount {
		return max(p.widthOf(a.src), 16/p.chunk)
	}
	return p.widthOf(a.src)
}

// prepare makes the vectors for a loop of unroll chunks a turn.
func (v *vectorCode) prepareAccs(rowsInRegs bool, unroll int) {
	for _, a := range v.accs {
		a.regs = nil
		if a.mode == accRow {
			if rowsInRegs {
				a.regs = v.vectorsFor(num.RowBytes / 16)
			}
			continue
		}
		a.sets = min(unroll, 2)
		if a.Kind.IsFloat() {
			a.sets = min(unroll, 4) // a minimum takes long
		}
		switch a.mode {
		case accLanes:
			a.n = v.regs(v.widthOf(a.src))
		case accCount:
			a.n = v.regs(a.srcWidth(v.vectorBody))
		case accWiden:
			a.n = v.regs(v.sumWidth(a))
		case accHalves:
			a.n = 2 * v.regs(8)
		case accExtremes:
			a.n = 3 * v.regs(4)
		case accBest:
			a.sets = unroll // a set knows where in its block it is
			a.n = 2 * v.regs(v.keyWidth(a))
		}
		a.regs = v.vectorsFor(a.n * a.sets)
	}
}

func (v *vectorCode) vectorsFor(n int) []local {
	regs := make([]local, n)
	for i := range regs {
		regs[i] = v.keep(tV128)
	}
	return regs
}

// sumWidth is the width of the lanes that a strip of widened integers is
// summed in: 4096 numbers of 16 bits fit in 32.
func (v *vectorCode) sumWidth(a *vecAcc) int {
	if v.kind(a.src).Size() == 4 {
		return 8
	}
	return 4
}

// openAccs sets the vectors up at the start of a strip.
func (v *vectorCode) openAccs() {
	for _, a := range v.accs {
		for i := len(a.regs) - 1; i >= 0; i-- {
			r := a.regs[i]
			switch a.mode {
			case accRow:
				v.get(argsLocal)
				v.mem(opVLoad, a.row+uint32(16*i))
			case accLanes:
				v.identityVec(a)
			case accExtremes:
				v.extremesIdentity(i)
			case accBest:
				v.bestIdentity(a, i)
			default:
				v.v128(0, 0)
			}
			v.set(r)
		}
	}
}

func (v *vectorCode) identityVec(a *vecAcc) {
	id := a.Op.Identity(a.Kind, 0)[0]
	if a.Kind == num.Bool {
		id = -id
	}
	w := wordOf(v.widthOf(a.src), id)
	v.v128(w, w)
}

// accumulate combines a chunk's values; row is the address of the chunk's
// first lane for rows in memory, and static tells that it is the arguments'.
func (c *chunkCode) accumulate(a *vecAcc, row map[int]local) {
	x := c.operand(a.src, a.srcWidth(c.vectorBody))
	if a.mode == accRow {
		var by []local
		if a.factors != nil {
			by = c.operand(a.factors[1], a.srcWidth(c.vectorBody))
		}
		c.toRow(a, x, by, row)
		return
	}
	set := c.at / c.chunk % a.sets * a.n
	regs := a.regs[set : set+a.n]
	switch a.mode {
	case accLanes:
		for i := range x {
			c.get(regs[i])
			c.get(x[i])
			c.combineVec(a)
			c.set(regs[i])
		}
	case accCount:
		c.count(a, x, regs)
	case accWiden:
		k := c.kind(a.src)
		x = c.keepMasked(a, x)
		x = c.widenTo(x, k.Size(), c.sumWidth(a), k.IsSigned())
		for i := range x {
			c.into(regs[i], x[i], vAdd[widthIndex(c.sumWidth(a))])
		}
	case accHalves:
		c.halves64(a, x, regs)
	case accExtremes:
		c.extremes(x, regs)
	case accBest:
		c.best(a, x, regs)
	}
}

// keepMasked makes the elements zero that a sum leaves out.
func (c *chunkCode) keepMasked(a *vecAcc, x []local) []local {
	if a.mask == kernel.None {
		return x
	}
	mask := c.operand(a.mask, c.kind(a.src).Size())
	out := make([]local, len(x))
	for i := range x {
		c.get(x[i])
		c.get(mask[i])
		c.op(opVAnd)
		out[i] = c.fresh(tV128)
	}
	return out
}

// into emits r = r op x.
func (c *chunkCode) into(r, x local, o byte) {
	c.get(r)
	c.get(x)
	c.op(vec(o))
	c.set(r)
}

// toRow adds vectors to the row of lanes, by times each where by is given.
func (c *chunkCode) toRow(a *vecAcc, x, by []local, row map[int]local) {
	for i := range x {
		off := uint32(c.at*a.Kind.Size()+16*i) % num.RowBytes
		add := func(lane func()) {
			lane()
			if by != nil {
				c.get(c.fusedVec(a.Kind, x[i], by[i], c.fresh(tV128)))
				return
			}
			c.get(x[i])
			c.op(vectorCombine(a.accumulator))
		}
		if a.regs != nil {
			r := a.regs[off/16]
			add(func() { c.get(r) })
			c.set(r)
			continue
		}
		at := argsLocal
		if l, ok := row[a.Kind.Size()]; ok {
			at = l
		}
		c.get(at)
		add(func() {
			c.get(at)
			c.mem(opVLoad, a.row+off)
		})
		c.mem(opVStore, a.row+off)
	}
}

// count subtracts masks, whose ones are -1.
func (c *chunkCode) count(a *vecAcc, x, regs []local) {
	width := a.srcWidth(c.vectorBody)
	for i := range x {
		if width == 1 { // pairs, as 255 masks would overflow a byte
			c.get(regs[i])
			c.get(x[i])
			c.op(vec(0x7c))
			c.op(vec(vSub[1]))
			c.set(regs[i])
			continue
		}
		c.into(regs[i], x[i], vSub[widthIndex(width)])
	}
}

// halves64 adds the low and the high 32 bits apart. A signed value gets its
// sign turned over first, which adds 2^63; see closeHalves.
func (c *chunkCode) halves64(a *vecAcc, x, regs []local) {
	for i, r := range x {
		if a.Kind == num.I64 {
			r = c.flipSign(r)
		}
		c.get(r)
		c.konst(1<<32-1, 1<<32-1)
		c.op(opVAnd)
		c.into(regs[2*i], c.fresh(tV128), vAdd[3])
		c.get(r)
		c.i32(32)
		c.op(vec(vShrS[3] + 1))
		c.into(regs[2*i+1], c.fresh(tV128), vAdd[3])
	}
}

// combineVec combines the two vectors on the stack.
func (v *vectorCode) combineVec(a *vecAcc) {
	op := a.Op.Scalar()
	if o := vectorOp(op, a.Kind); o != 0 && !(a.Kind.IsInt() && a.Kind.Size() == 8 && (op == num.Min || op == num.Max)) {
		v.op(o)
		return
	}
	y := v.fresh(tV128)
	x := v.fresh(tV128)
	c := &chunkCode{vectorCode: v}
	v.get(c.pick64(op, a.Kind, x, y))
}
