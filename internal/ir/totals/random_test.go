package totals

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestRandom draws kernels of which some have a law and some have not, and holds each law that is found against runs.
func TestRandom(t *testing.T) {
	const kernels = 2500
	laws, folds := 0, 0
	for seed := range uint64(kernels) {
		r := rand.New(rand.NewPCG(seed, 7))
		k := random(r)
		s, err := verify.Check(k)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, kernel.Text(k))
		}
		l, err := Of(s)
		if err != nil {
			continue
		}
		laws++
		l.Totals.Kernel.Body.Each(func(in *kernel.Instr) {
			if in.Code == kernel.Fold && len(in.Blocks[0].Instrs) > 0 {
				folds++
			}
		})
		for range 3 {
			holds(t, r, l, arguments(r, k))
		}
	}
	t.Logf("%d of %d kernels have a law, with %d folds", laws, kernels, folds)
	if laws < kernels/10 || laws > kernels*9/10 {
		t.Errorf("%d of %d kernels have a law, which tries too little", laws, kernels)
	}
}

// TestOthersKernels holds laws of kernels that were not drawn for them.
func TestOthersKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := kerneltest.Gen().Draw(t, "case")
		s, err := verify.Check(c.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Of(s)
		if err != nil {
			return
		}
		holds(t, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "cuts"), 1)), l, c)
	})
}

// TestCarrying holds laws of kernels that count rows and fault.
func TestCarrying(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range kerneltest.Carrying() {
		s, err := verify.Check(k)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Of(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, kernel.Text(k))
		}
		for range 100 {
			holds(t, r, l, arguments(r, k))
		}
	}
}

type randomBody struct {
	r      *rand.Rand
	b      *kernel.Builder
	kind   num.Kind
	pool   []kernel.Value // of kind
	lo, hi kernel.Value
}

// random makes a kernel with the regions of the table.
func random(r *rand.Rand) *kernel.Kernel {
	kind := kerneltest.Kinds()[r.IntN(11)]
	s0, one := kernel.SizeVar(0), size.Const(1)
	k := &kernel.Kernel{
		Sizes: []kernel.Size{{Hi: 1e6}, {Hi: 1e6}}, Sites: 2, Outer: kernel.SizeVar(1), Grain: size.Const(3), Count: s0,
		Regions: []kernel.Region{{Elem: kind, Len: one, Access: kernel.ReadWrite}, {Elem: num.I64, Len: one, Access: kernel.ReadWrite},
			{Elem: kind, Len: s0, Access: kernel.Write}, {Elem: kind, Len: s0}, {Elem: num.I64, Len: s0}, {Elem: kind, Len: s0, Access: kernel.ReadWrite}, {Elem: kind, Len: size.Const(4), Access: kernel.Scratch}},
	}
	b, _, lo, hi := kernel.NewBuilder(k)
	g := &randomBody{r: r, b: b, kind: kind, lo: lo, hi: hi}
	s, c := b.StateParam(kind, 0), b.StateParam(num.I64, 1)
	g.pool = []kernel.Value{b.Const(kind, kerneltest.Edges(kind)[0])}
	out := b.For(lo, hi, []kernel.Carry{{Kind: kind}, {Kind: num.I64}}, []kernel.Value{s, c}, func(i kernel.Value, at []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Site, b.At = r.IntN(2), i
		g.pool = append(g.pool, b.Load(3, i))
		next := g.steps(at[0], i, 1+r.IntN(4), 2)
		if r.IntN(3) > 0 {
			b.Store(2, i, next)
		}
		return []kernel.Value{next, g.count(at[1], i)}, kernel.None
	})
	return b.Finish(out...)
}

// pick is a value of the kind; state is one that comes of the state.
func (g *randomBody) pick(state kernel.Value) kernel.Value {
	if g.r.IntN(12) == 0 {
		return state
	}
	return g.pool[g.r.IntN(len(g.pool))]
}

// steps makes the next state of a state by a few steps, most of them by an operation that is drawn once.
func (g *randomBody) steps(state, i kernel.Value, n, depth int) kernel.Value {
	ops := []num.Op{num.Add, num.Mul, num.Min, num.Max, num.And, num.Or, num.Xor, num.Sub, num.SatAdd}
	op := ops[g.r.IntN(len(ops))]
	for !op.Takes(g.kind) {
		op = ops[g.r.IntN(len(ops))]
	}
	for range n {
		state = g.step(op, state, i, depth)
	}
	return state
}

func (g *randomBody) step(op num.Op, state, i kernel.Value, depth int) kernel.Value {
	b := g.b
	choice := g.r.IntN(7)
	if depth == 0 {
		choice = min(choice, 3)
	}
	switch choice {
	case 0: // something beside it
		for _, o := range []num.Op{num.Add, num.Min, num.Or, num.Eq} {
			if o.Takes(g.kind) && !o.IsCompare() {
				g.pool = append(g.pool, b.Wrap(o, g.pick(state), g.pick(state)))
				return state
			}
		}
		return state
	case 1:
		return b.Select(g.condition(state, i), b.Wrap(op, state, g.pick(state)), state)
	case 4:
		return g.inner(func() kernel.Value {
			return b.If(g.condition(state, i), func() []kernel.Value {
				g.store(i, state)
				return []kernel.Value{g.inner(func() kernel.Value { return g.step(op, state, i, depth-1) })}
			}, func() []kernel.Value { return []kernel.Value{state} })[0]
		})
	case 5:
		return b.For(g.lo, i, []kernel.Carry{{Kind: g.kind}}, []kernel.Value{state}, func(j kernel.Value, at []kernel.Value) ([]kernel.Value, kernel.Value) {
			return []kernel.Value{g.inner(func() kernel.Value {
				g.pool = append(g.pool, b.Load(3, j))
				return g.step(op, at[0], j, depth-1)
			})}, kernel.None
		})[0]
	case 6:
		at := b.Int(int64(g.r.IntN(4)))
		b.Store(6, at, g.pick(state))
		g.pool = append(g.pool, b.Load(6, at))
	}
	if g.r.IntN(2) == 0 && op != num.Sub {
		return b.Checked(op, g.pick(state), state)
	}
	return b.Checked(op, state, g.pick(state))
}

// inner forgets the values that f makes.
func (g *randomBody) inner(f func() kernel.Value) kernel.Value {
	pool := g.pool
	defer func() { g.pool = pool }()
	g.pool = pool[:len(pool):len(pool)]
	return f()
}

func (g *randomBody) condition(state, i kernel.Value) kernel.Value {
	if g.r.IntN(2) == 0 {
		return g.b.Wrap(num.Lt, g.b.Load(4, i), i)
	}
	return g.b.Wrap(num.Ne, g.pick(state), g.pool[0])
}

func (g *randomBody) store(i, state kernel.Value) {
	if g.r.IntN(4) == 0 {
		g.b.Store(5, i, state)
	}
}

// count counts some slots, and perhaps stores at what it has counted.
func (g *randomBody) count(c, i kernel.Value) kernel.Value {
	b, form := g.b, g.r.IntN(5)
	if form == 0 {
		return c
	}
	one := b.Int(1)
	return b.If(b.Wrap(num.Gt, b.Load(4, i), b.Int(2)), func() []kernel.Value {
		next := b.Wrap(num.Add, c, one)
		at := c
		if form == 1 {
			at = next
		}
		site := b.Site
		b.Site = kernel.NoSite
		if form < 4 {
			b.Store(2, b.Bound(at, kernel.SizeVar(0)), b.Load(3, i))
		}
		b.Site = site
		return []kernel.Value{next}
	}, func() []kernel.Value { return []kernel.Value{c} })[0]
}
