package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// gathers reports whether a node loads from indices that are data.
func (p *vectorBody) gathers(n *kernel.Instr) bool {
	return n.Code == kernel.Load && p.shape(n.Args[0]) == varying
}

// strides reports a load of elements as far apart as each other, whose places cost next to nothing one by one: to bring them together
// in a vector costs more than the vector saves.
func (p *vectorBody) strides(n *kernel.Instr) bool {
	return n.Code == kernel.Load && p.Shapes[n.Args[0]] == loops.Strided && !p.falls(n)
}

// falls reports an index that is one less in each turn: its elements lie side by side.
func (p *vectorBody) falls(n *kernel.Instr) bool {
	s, ok := p.Of.Sum(n.Args[0], p.Body)
	return ok && s.Step == -1
}

// gatherIndex is the value to take a gather's indices from: what they were
// widened from, if so, which makes shorter vectors.
func (p *vectorBody) gatherIndex(n *kernel.Instr) kernel.Value {
	if d, ok := p.definition(n.Args[0]); ok && d.Code == kernel.Convert && d.From.IsInt() && d.From.Size() <= 4 && p.shape(d.Args[0]) == varying {
		return d.Args[0]
	}
	return n.Args[0]
}

// gather loads element by element into the lanes.
func (c *chunkCode) gather(n *kernel.Instr) []local {
	src := c.gatherIndex(n)
	from, k := c.kind(src), c.k.Regions[n.Region].Elem
	indices := c.operand(src, from.Size())
	out := make([]local, c.regs(k.Size()))
	per := 16 / k.Size()
	if c.falls(n) && c.chunk >= per {
		for r := range out {
			last := r*per + per - 1
			c.get(c.base[n.Region])
			c.extractIndex(indices[last*from.Size()/16], from, last%(16/from.Size()))
			c.shiftLeft(sizeShift(k))
			c.op(opI32Add)
			c.mem(opVLoad, 0)
			out[r] = c.backwards(c.fresh(tV128), k.Size())
		}
		return c.masked(out, k)
	}
	for e := range c.chunk {
		r, lane := &out[e/per], e%per
		c.get(c.base[n.Region])
		c.extractIndex(indices[e*from.Size()/16], from, e%(16/from.Size()))
		c.shiftLeft(sizeShift(k))
		c.op(opI32Add)
		if lane == 0 {
			c.mem(opVLoadFirst[index(k)], 0)
			*r = c.fresh(tV128)
			continue
		}
		c.get(*r)
		c.memLane(opVLoadLane[index(k)], 0, byte(lane))
		c.set(*r)
	}
	return c.masked(out, k)
}

// backwards is a vector of elements of a size with the last one first.
func (c *chunkCode) backwards(v local, size int) local {
	var lanes [16]byte
	for i := range lanes {
		lanes[i] = byte(16 - size*(i/size+1) + i%size)
	}
	c.get(v)
	c.get(v)
	c.shuffle(lanes)
	return c.fresh(tV128)
}

// masked are elements as vectors have them: a Bool in all bits of its lane.
func (c *chunkCode) masked(v []local, k num.Kind) []local {
	if k == num.Bool {
		for i := range v {
			c.get(v[i])
			c.byteMask()
			v[i] = c.fresh(tV128)
		}
	}
	return v
}

// By width: loads into the first lane, and into any.
var (
	opVLoadFirst = [4]opcode{0xfd07, opVLoad16, opVLoad32, opVLoad64}
	opVLoadLane  = [4]opcode{0xfd54, 0xfd55, 0xfd56, 0xfd57}
)

// extractIndex pushes a lane modulo 2^32.
func (c *chunkCode) extractIndex(x local, k num.Kind, lane int) {
	c.get(x)
	o := vExtract[index(k)]
	if k.Size() < 4 && !k.IsSigned() {
		o++
	}
	c.lane(vec(o), lane)
	if k.Size() == 8 {
		c.op(opI32WrapI64)
	}
}

// boundVec makes indices outside of 0..Poly zero. Poly is at least 1 where
// this runs, so signed comparisons do.
func (c *chunkCode) boundVec(n *kernel.Instr) []local {
	x := c.operand(n.Args[0], 8)
	out := make([]local, len(x))
	for i, r := range x {
		c.get(argsLocal)
		c.mem(0xfd0a, c.lay.poly(n.Poly)) // load64_splat
		c.get(r)
		c.op(vec(vGtS[3]))
		c.get(r)
		c.konst(0, 0)
		c.op(vec(vEq[3] + compareVec[num.Ge][1]))
		c.op(opVAnd)
		inside := c.fresh(tV128)
		c.get(r)
		c.get(inside)
		c.op(opVAnd)
		out[i] = c.fresh(tV128)
		if n.Site != kernel.NoSite {
			c.noteBits(8, c.unary(inside, opVNot))
		}
	}
	return out
}
