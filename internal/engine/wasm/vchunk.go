package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// vectorCode emits a planned loop's vector part.
type vectorCode struct {
	*plan
	splats map[splatKey]local
	// pointers are the addresses of a block's first elements.
	pointers map[pointerKey]local
	first    map[kernel.Value]local // linear values of a block's first element, broadcast
	notes
	block map[int]local // for accBest: the block's distance from the start, by width
	// consts are vector constants that the loop uses; they are defined at
	// the place in the code where mark points, once all are known.
	consts map[[2]uint64]local
	order  [][2]uint64
	mark   int
}

type splatKey struct {
	v     kernel.Value
	width int
}

type pointerKey struct {
	region int
	v      kernel.Value
}

// chunkCode emits the body for one chunk.
type chunkCode struct {
	*vectorCode
	at   int // number of the chunk's first element in its block
	vals map[kernel.Value][]local
}

func newVectorCode(p *plan) *vectorCode {
	return &vectorCode{plan: p, splats: map[splatKey]local{}, consts: map[[2]uint64]local{}}
}

// konst pushes a vector constant; wazero would load it from memory each time.
func (v *vectorCode) konst(lo, hi uint64) {
	key := [2]uint64{lo, hi}
	l, ok := v.consts[key]
	if !ok {
		l = v.keep(tV128)
		v.consts[key] = l
		v.order = append(v.order, key)
	}
	v.get(l)
}

// defineConsts puts the definitions of all constants in front of the loop.
func (v *vectorCode) defineConsts() {
	tail := append([]byte(nil), v.buf[v.mark:]...)
	v.buf = v.buf[:v.mark]
	for _, key := range v.order {
		v.v128(key[0], key[1])
		v.set(v.consts[key])
	}
	v.buf = append(v.buf, tail...)
}

// broadcast makes the vectors of all uniform operands, before the loop.
func (v *vectorCode) broadcast() {
	for _, n := range v.instrs {
		if !v.vectors(n) {
			continue
		}
		for _, a := range v.vectorArgs(n) {
			if v.shape(a) == uniform {
				v.splat(a, v.operandWidth(n, a))
			}
		}
	}
	for _, a := range v.accs {
		for _, x := range append(a.factors[:len(a.factors):len(a.factors)], a.src) {
			if v.shape(x) == uniform {
				v.splat(x, a.srcWidth(v.vectorBody))
			}
		}
	}
	v.mark = len(v.buf)
}

func isShift(n *kernel.Instr) bool {
	return n.Code == kernel.Arith && (n.Op == num.Shl || n.Op == num.Shr)
}

// operandWidth is the width in which a node takes an operand: its own,
// except for masks, which are made to match.
func (p *vectorBody) operandWidth(n *kernel.Instr, a kernel.Value) int {
	if p.Of.Kind(a) != num.Bool {
		return p.Of.Kind(a).Size()
	}
	switch n.Code {
	case kernel.Arith, kernel.Select:
		return int(p.width[n.Out[0]])
	case kernel.Convert:
		return n.Kind.Size()
	case kernel.Store:
		return 1
	}
	return p.widthOf(a) // Fault: any will do
}

func (v *vectorCode) splat(a kernel.Value, width int) local {
	key := splatKey{a, width}
	if l, ok := v.splats[key]; ok {
		return l
	}
	k := v.kind(a)
	if c, ok := v.constValue(a); ok {
		if k == num.Bool {
			c = -c
		}
		w := wordOf(width, uint64(c))
		v.v128(w, w)
	} else {
		v.splatValue(a, k, width)
	}
	l := v.fresh(tV128)
	v.splats[key] = l
	return l
}

func (v *vectorCode) splatValue(a kernel.Value, k num.Kind, width int) {
	switch {
	case k == num.Bool:
		v.i32(0)
		v.value(a)
		v.op(opI32Sub)
		if width == 8 {
			v.op(opI64ExtendI32S)
		}
		v.op(vec(vSplat[widthIndex(width)]))
	case k.IsFloat():
		v.value(a)
		v.op(vec(0x13 + byte(k.Size()/8)))
	default:
		v.value(a)
		v.op(vec(vSplat[index(k)]))
	}
}

// wordOf repeats an element of a width through 64 bits.
func wordOf(width int, bits uint64) uint64 {
	switch width {
	case 1:
		return splat(num.U8, bits)
	case 2:
		return splat(num.U16, bits)
	case 4:
		return splat(num.U32, bits)
	}
	return bits
}

// startBlock computes the linear values and the addresses of a block's first
// element, whose index is in the loop's counter.
func (v *vectorCode) startBlock() {
	v.pointers, v.first = map[pointerKey]local{}, map[kernel.Value]local{}
	for _, n := range v.instrs {
		if len(n.Out) == 1 && v.shape(n.Out[0]) == linear {
			v.node(&node{Instr: n})
		}
	}
	for _, n := range v.instrs {
		if (n.Code == kernel.Load && v.need[n.Out[0]] && !v.gathers(n)) || n.Code == kernel.Store {
			key := pointerKey{n.Region, n.Args[0]}
			if _, ok := v.pointers[key]; !ok {
				v.address(n.Region, n.Args[0])
				v.pointers[key] = v.fresh(tI32)
			}
		}
	}
	for x, need := range v.need {
		if need && v.shape(kernel.Value(x)) == linear {
			v.value(kernel.Value(x))
			v.op(opI64x2Splat)
			v.first[kernel.Value(x)] = v.fresh(tV128)
		}
	}
}

// body emits the body for the chunk that starts at element at of the block.
func (v *vectorCode) body(at int) *chunkCode {
	c := &chunkCode{vectorCode: v, at: at, vals: map[kernel.Value][]local{}}
	v.recycle()
	for _, n := range v.instrs {
		if v.vectors(n) {
			c.emitNode(n)
		}
	}
	return c
}

func (c *chunkCode) emitNode(n *kernel.Instr) {
	switch n.Code {
	case kernel.Load:
		if c.gathers(n) {
			c.vals[n.Out[0]] = c.gather(n)
		} else {
			c.vals[n.Out[0]] = c.load(n)
		}
	case kernel.Bound:
		c.vals[n.Out[0]] = c.boundVec(n)
	case kernel.Store:
		c.store(n)
	case kernel.Fault:
		width := c.operandWidth(n, n.Args[0])
		for _, r := range c.operand(n.Args[0], width) {
			c.noteBits(width, r)
		}
	case kernel.Select:
		c.vals[n.Out[0]] = c.selectVec(n)
	case kernel.Arith:
		c.vals[n.Out[0]] = c.arithAll(n)
	case kernel.Convert:
		c.vals[n.Out[0]] = c.convertVec(n)
	case kernel.Bitcast:
		c.vals[n.Out[0]] = c.bitcastVec(n)
	}
}

// operand gives the vectors of a value, a mask in the given width.
func (c *chunkCode) operand(a kernel.Value, width int) []local {
	switch c.shape(a) {
	case uniform:
		regs := make([]local, c.regs(width))
		for i := range regs {
			regs[i] = c.splat(a, width)
		}
		return regs
	case linear:
		return c.counting(a)
	}
	regs := c.vals[a]
	if c.kind(a) == num.Bool {
		regs = c.maskWidth(regs, int(c.width[a]), width)
	}
	return regs
}

// counting makes the vectors of a linear value.
func (c *chunkCode) counting(a kernel.Value) []local {
	regs := make([]local, c.regs(8))
	for i := range regs {
		n := uint64(c.at + 2*i)
		c.get(c.first[a])
		c.konst(n, n+1)
		c.op(vec(vAdd[3]))
		regs[i] = c.fresh(tV128)
	}
	return regs
}

func (c *chunkCode) arithAll(n *kernel.Instr) []local {
	if n.Op == num.Fma {
		return c.fusedAll(n)
	}
	x := c.operand(n.Args[0], c.operandWidth(n, n.Args[0]))
	var y []local
	if n.Op.Arity() == 2 && !isShift(n) {
		y = c.operand(n.Args[1], c.operandWidth(n, n.Args[1]))
	}
	out := make([]local, len(x))
	for i := range x {
		second := noLocal
		if y != nil {
			second = y[i]
		}
		out[i] = c.arithVec(n, x[i], second)
		if n.Site != kernel.NoSite {
			c.check(n, x[i], second, out[i])
		}
	}
	return out
}

func (c *chunkCode) selectVec(n *kernel.Instr) []local {
	width := c.kind(n.Out[0]).Size()
	if c.kind(n.Out[0]) == num.Bool {
		width = int(c.width[n.Out[0]])
	}
	mask := c.operand(n.Args[0], width)
	yes, no := c.operand(n.Args[1], width), c.operand(n.Args[2], width)
	out := make([]local, len(yes))
	for i := range out {
		c.get(yes[i])
		c.get(no[i])
		c.get(mask[i])
		c.op(opVSelect)
		out[i] = c.fresh(tV128)
	}
	return out
}

// bitcastVec keeps the bits, except that there is one NaN only.
func (c *chunkCode) bitcastVec(n *kernel.Instr) []local {
	x := c.operand(n.Args[0], n.Kind.Size())
	if !n.From.IsFloat() {
		return x
	}
	out := make([]local, len(x))
	nan := splat(n.From, num.Canon(n.From, ^uint64(0)))
	for i := range x {
		c.konst(nan, nan)
		c.get(x[i])
		c.get(x[i])
		c.get(x[i])
		c.op(vectorOp(num.Ne, n.From))
		c.op(opVSelect)
		out[i] = c.fresh(tV128)
	}
	return out
}

func (c *chunkCode) load(n *kernel.Instr) []local {
	k := c.k.Regions[n.Region].Elem
	ptr := c.pointers[pointerKey{n.Region, n.Args[0]}]
	regs := make([]local, c.regs(k.Size()))
	for i := len(regs) - 1; i >= 0; i-- { // the last one's bounds check covers the others
		c.get(ptr)
		off := uint32(c.at*k.Size() + 16*i)
		switch bytes := c.chunk * k.Size(); {
		case bytes >= 16:
			c.mem(opVLoad, off)
		case bytes == 8:
			c.mem(opVLoad64, off)
		default: // 4, see widths
			c.mem(opVLoad32, off)
		}
		if k == num.Bool {
			c.byteMask()
		}
		regs[i] = c.fresh(tV128)
	}
	return regs
}

// byteMask makes masks of the bytes on the stack, as they lie in memory: the
// lowest bit of each counts.
func (c *chunkCode) byteMask() {
	ones := splat(num.Bool, 1)
	c.konst(ones, ones)
	c.op(opVAnd)
	c.op(vec(vNeg[0]))
}

func (c *chunkCode) store(n *kernel.Instr) {
	k := c.k.Regions[n.Region].Elem
	ptr := c.pointers[pointerKey{n.Region, n.Args[0]}]
	regs := c.operand(n.Args[1], k.Size())
	for i := len(regs) - 1; i >= 0; i-- {
		c.get(ptr)
		c.get(regs[i])
		if k == num.Bool {
			c.op(vec(vNeg[0])) // ones are -1
		}
		off := uint32(c.at*k.Size() + 16*i)
		switch bytes := c.chunk * k.Size(); {
		case bytes >= 16:
			c.mem(opVStore, off)
		case bytes == 8:
			c.memLane(opVStore64, off, 0)
		default: // 4, see widths
			c.memLane(opVStore32, off, 0)
		}
	}
}
