package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// Where a kernel's loop over its slots j holds a loop or fold over i, and what that loads for i and
// j lies beside what it loads for i and j+1, but far from what it loads for i+1 and j, the two are
// interchanged: memory is walked as it lies. A fold does so in rows of accumulators (columns.go),
// a loop that stores in tiles (tiles.go).

// nest is a loop over the slots of a grain that holds a strided loop or fold.
type nest struct {
	outer  kernel.Instr // over j
	inner  kernel.Instr // over i
	at     int          // of inner in outer's block
	def    map[kernel.Value]*kernel.Instr
	length size.Poly // of inner, from 0 on
}

func (n *nest) j() kernel.Value { return n.outer.Blocks[0].Params[0] }
func (n *nest) i() kernel.Value { return n.inner.Blocks[0].Params[0] }

// interchange rewrites the kernel's last loop, if that is worth it.
func (k *kern) interchange() {
	n, ok := k.strided()
	if !ok {
		return
	}
	body := &k.k.Body
	end := body.Instrs
	body.Instrs = end[:len(end)-1]
	if n.inner.Code == kernel.Fold && k.columns(n) || n.inner.Code == kernel.For && k.tiles(n) {
		return
	}
	body.Instrs = end
}

// strided finds a nest at the end of the kernel's body.
func (k *kern) strided() (*nest, bool) {
	instrs := k.k.Body.Instrs
	if len(instrs) == 0 || len(k.state) > 0 {
		return nil, false
	}
	n := &nest{outer: instrs[len(instrs)-1], def: map[kernel.Value]*kernel.Instr{}}
	if n.outer.Code != kernel.For || len(n.outer.Carry) > 0 || n.outer.Stop || !slices.Equal(n.outer.Args, []kernel.Value{k.lo, k.hi}) {
		return nil, false
	}
	define(&n.outer.Blocks[0], n.def)
	for at, in := range n.outer.Blocks[0].Instrs {
		n.inner, n.at = in, at
		if k.interchangeable(n) && n.gains() {
			return n, true
		}
	}
	return nil, false
}

func define(b *kernel.Block, def map[kernel.Value]*kernel.Instr) {
	b.Each(func(in *kernel.Instr) {
		for _, v := range in.Out {
			def[v] = in
		}
	})
}

// interchangeable reports a loop without carried values, or a fold, over 0..length that does not
// depend on j. Nothing that it loads is stored in the nest.
func (k *kern) interchangeable(n *nest) bool {
	in := &n.inner
	if in.Code != kernel.For && in.Code != kernel.Fold || len(in.Carry) > 0 || in.Stop || in.Tree {
		return false
	}
	stored := map[int]bool{}
	n.outer.Blocks[0].Each(func(x *kernel.Instr) {
		if x.Code == kernel.Store {
			stored[x.Region] = true
		}
	})
	ok := true
	in.Blocks[0].Each(func(x *kernel.Instr) {
		ok = ok && !(x.Code == kernel.Load && stored[x.Region])
	})
	if !ok || n.def[in.Args[0]] != nil || n.def[in.Args[1]] != nil {
		return false
	}
	n.length, ok = k.lengthOf(in.Args[0], in.Args[1])
	return ok
}

// lengthOf is how far a loop from 0 on goes, in the function's sizes.
func (k *kern) lengthOf(from, to kernel.Value) (p size.Poly, ok bool) {
	if from != k.b.Int(0) {
		return p, false
	}
	for i := range k.k.Body.Instrs {
		in := &k.k.Body.Instrs[i]
		if len(in.Out) == 0 || in.Out[0] != to {
			continue
		}
		if in.Code == kernel.Const {
			return size.Const(int64(in.Bits)), true
		}
		return k.declared(in)
	}
	return p, false
}

// declared turns a size of the kernel into one of the function.
func (k *kern) declared(in *kernel.Instr) (p size.Poly, ok bool) {
	if in.Code != kernel.SizeOf {
		return p, false
	}
	ok = true
	p = in.Poly.Subst(func(name string) (size.Poly, bool) {
		i, _ := kernel.SizeIndex(name)
		arg := k.launch.Sizes[i]
		ok = ok && arg.Op == schedule.Plain
		return arg.Poly, true
	})
	return p, ok
}

// gains reports that a load goes far with i and one element on with j, and none the other way
// round.
func (n *nest) gains() bool {
	gain, loss := false, false
	n.inner.Blocks[0].Each(func(in *kernel.Instr) {
		if in.Code == kernel.Load {
			i, j := n.step(in.Args[0], n.i()), n.step(in.Args[0], n.j())
			gain = gain || i == far && j == one
			loss = loss || i == one && j == far
		}
	})
	return gain && (!loss || n.inner.Code == kernel.For)
}

// step is how an index moves with a loop's variable.
type step int

const (
	still step = iota
	one        // by one
	far        // by something else
)

func (n *nest) step(index, variable kernel.Value) step {
	if index == variable {
		return one
	}
	in := n.def[index]
	if in == nil {
		return still
	}
	moves := still
	for at, a := range in.Args {
		s := n.step(a, variable)
		if s == one && (in.Op != num.Add && (in.Op != num.Sub || at > 0) || in.Code != kernel.Arith) || s != still && moves != still {
			s = far
		}
		moves = max(moves, s)
	}
	return moves
}

// before gives the instructions that inner needs of those before it, in their order; ok says that
// all of them are pure.
func (k *kern) before(n *nest) (out []kernel.Instr, ok bool) {
	needed := map[kernel.Value]bool{}
	need := func(in *kernel.Instr) {
		needed[in.At] = true
		for _, a := range in.Args {
			needed[a] = true
		}
	}
	n.inner.Blocks[0].Each(need)
	n.inner.Blocks[0].Each(func(in *kernel.Instr) {
		for _, b := range in.Blocks {
			for _, v := range b.Results {
				needed[v] = true
			}
		}
	})
	for _, v := range n.inner.Blocks[0].Results {
		needed[v] = true
	}
	ok = true
	instrs := n.outer.Blocks[0].Instrs
	for at := n.at - 1; at >= 0; at-- {
		in := instrs[at]
		if !slices.ContainsFunc(in.Out, func(v kernel.Value) bool { return needed[v] }) {
			continue
		}
		ok = ok && kernel.IsPure(k.k, &in) && in.Site == kernel.NoSite
		need(&in)
		out = append(out, in)
	}
	slices.Reverse(out)
	return out, ok
}
