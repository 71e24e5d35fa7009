package cost

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: what a loop carries. Out: whether data moves it by at most one each turn, like a merge's places to read or a filter's place to
// write. What lies there passes by in order, at a pace that nobody knows.

// goesOn reports that next, which comes after p in a turn, is p, or one more or less.
func goesOn(k *kernel.Kernel, b *kernel.Block, p, next kernel.Value) bool {
	g := going{p: p, def: map[kernel.Value]*kernel.Instr{}}
	for _, in := range [][]kernel.Instr{k.Body.Instrs, b.Instrs} { // numbers are defined where the kernel begins
		for i := range in {
			for _, v := range in[i].Out {
				g.def[v] = &in[i]
			}
		}
	}
	return p != next && g.near(next, mostSteps)
}

// mostSteps is how many operations may lie between.
const mostSteps = 6

type going struct {
	p   kernel.Value
	def map[kernel.Value]*kernel.Instr
	// around says that p may also begin anew, at a constant, as at the end of a table that is searched in a circle.
	around bool
}

// searches reports that a loop goes on from a place by at most one each turn, and perhaps around: what lies behind the first is mostly beside it.
func searches(k *kernel.Kernel, loop *kernel.Instr, place kernel.Value) bool {
	if loop.Code != kernel.For {
		return false
	}
	b := &loop.Blocks[0]
	g := going{def: map[kernel.Value]*kernel.Instr{}, around: true}
	define := func(in *kernel.Instr) {
		for _, v := range in.Out {
			g.def[v] = in
		}
	}
	for i := range k.Body.Instrs {
		define(&k.Body.Instrs[i])
	}
	b.Each(define)
	for i, p := range b.Params[1:] {
		g.p = p
		if g.near(place, mostSteps) && p != b.Results[i] && g.near(b.Results[i], mostSteps) {
			return true
		}
	}
	return false
}

// near reports p with small numbers added, clamped or chosen between.
func (g *going) near(v kernel.Value, steps int) bool {
	in := g.def[v]
	switch {
	case v == g.p:
		return true
	case in == nil || steps == 0:
		return false
	case g.around && in.Code == kernel.Const:
		return true
	case g.around && in.Code == kernel.If:
		j := slices.Index(in.Out, v)
		return g.near(in.Blocks[0].Results[j], steps-1) && g.near(in.Blocks[1].Results[j], steps-1)
	case in.Code == kernel.Select:
		return g.near(in.Args[1], steps-1) && g.near(in.Args[2], steps-1)
	case in.Code == kernel.Bound:
		return g.near(in.Args[0], steps-1)
	case in.Code != kernel.Arith:
		return false
	}
	switch in.Op {
	case num.Add, num.Sub:
		return g.near(in.Args[0], steps-1) && g.small(in.Args[1])
	case num.Min, num.Max:
		return g.near(in.Args[0], steps-1)
	}
	return false
}

// small reports 0, 1 or -1.
func (g *going) small(v kernel.Value) bool {
	in := g.def[v]
	switch {
	case in == nil:
		return false
	case in.Code == kernel.Convert:
		return in.From == num.Bool
	}
	return in.Code == kernel.Const && in.Kind.IsInt() && int64(in.Bits)+1 >= 0 && int64(in.Bits) <= 1
}
