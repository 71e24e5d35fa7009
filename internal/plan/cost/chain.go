package cost

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// chain is how many cycles lie between what a loop carries and what it carries next, on the longest
// way. What memory takes beyond the first cache is no part of it.
func chain(k *kernel.Kernel, b *kernel.Block, from, to []kernel.Value) float64 {
	c := chaining{k, map[kernel.Value]float64{}}
	for _, v := range from {
		c.at[v] = 0
	}
	c.block(b)
	most := 0.0
	for _, v := range to {
		most = math.Max(most, c.at[v])
	}
	return most
}

// chaining has the cycles after which each value is there that depends on what is carried.
type chaining struct {
	k  *kernel.Kernel
	at map[kernel.Value]float64
}

func (c *chaining) block(b *kernel.Block) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		begin := math.Inf(-1)
		after := func(list []kernel.Value) {
			for _, v := range list {
				if t, ok := c.at[v]; ok {
					begin = math.Max(begin, t)
				}
			}
		}
		after(in.Args)
		for j := range in.Blocks {
			c.block(&in.Blocks[j])
			after(in.Blocks[j].Results)
		}
		if math.IsInf(begin, -1) {
			continue
		}
		for _, v := range in.Out {
			c.at[v] = begin + latency(in)
		}
	}
}

// latency is the number of cycles of an operation, about the same on processors of the last ten years
// (Agner Fog, Instruction tables).
func latency(in *kernel.Instr) float64 {
	switch in.Code {
	case kernel.Load:
		return 5
	case kernel.Convert:
		return 4
	case kernel.Bitcast, kernel.Bound, kernel.Fault, kernel.Store:
		return 0
	case kernel.Arith:
		float := in.Kind.IsFloat()
		switch {
		case in.Op == num.Div || in.Op == num.Sqrt || in.Op == num.Rem:
			return 13
		case float && !in.Op.IsCompare():
			return 4
		case in.Op == num.Mul:
			return 3
		}
	}
	return 1
}
