package verify_test

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// patience is the processor time that a check may take, far more than the
// tenth of a second at which proofs are aimed: a slow machine must not fail
// the test, a proof without end must.
const patience = time.Second

// processor is the time that this thread has worked. The goroutine must stay
// on it.
func processor(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestHostile gives verify kernels that are made to take long. They may be
// accepted or refused, but soon.
func TestHostile(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s0, s1 := kernel.SizeVar(0), kernel.SizeVar(1)
	wide := size.Const(1)
	for i := range 8 {
		wide = wide.Add(kernel.SizeVar(i).Mul(kernel.SizeVar(7 - i)).MulConst(int64(i) - 4)).Add(kernel.SizeVar(i))
	}
	for name, fill := range map[string]func(b *kernel.Builder, o, lo, hi kernel.Value){
		"sums of data": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			x := b.Load(0, b.Int(0))
			for range 9000 {
				x = b.Wrap(num.Add, x, x)
			}
		},
		"products": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			x := b.SizeOf(wide)
			for range 4000 {
				x = b.Wrap(num.Mul, b.Wrap(num.Add, x, o), x)
			}
		},
		"clamps of clamps": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			x, y := b.Load(0, b.Int(0)), b.Load(1, b.Int(0))
			for i := range 2500 {
				x, y = b.Wrap(num.Min, x, y), b.Wrap(num.Max, b.Wrap(num.Sub, x, b.Int(int64(i))), y)
			}
			b.Load(0, x)
		},
		"guards": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			x := b.Load(1, b.Int(0))
			var nest func(depth int)
			nest = func(depth int) {
				if depth == 20 {
					for range 2000 {
						b.Load(0, b.Wrap(num.Rem, b.Wrap(num.Max, x, o), b.SizeOf(s0)))
					}
					return
				}
				c := b.Wrap(num.Lt, b.Wrap(num.Mul, x, b.Int(int64(depth))), b.SizeOf(wide))
				b.If(c, func() []kernel.Value { nest(depth + 1); return nil }, func() []kernel.Value { return nil })
			}
			nest(0)
		},
		"deep loops": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			var nest func(depth int, at kernel.Value)
			nest = func(depth int, at kernel.Value) {
				if depth == 20 {
					b.Load(0, at)
					return
				}
				b.For(b.Wrap(num.Min, at, lo), b.Wrap(num.Max, b.SizeOf(s1), hi), nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
					nest(depth+1, b.Wrap(num.Add, b.Wrap(num.Mul, at, b.SizeOf(s0)), i))
					return nil, kernel.None
				})
			}
			nest(0, o)
		},
		"many stores": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
				for range 10000 {
					b.Store(2, i, o)
				}
				return nil, kernel.None
			})
		},
		"many branches": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			x, y := b.Load(1, b.Int(0)), b.Load(1, b.Int(0))
			for range 3000 {
				c := b.Wrap(num.Lt, x, y)
				r := b.If(c, func() []kernel.Value { return []kernel.Value{x, y} }, func() []kernel.Value { return []kernel.Value{y, o} })
				x, y = r[0], r[1]
			}
			b.Load(0, x)
		},
		"many results": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			x := b.Load(1, b.Int(0))
			vs := make([]kernel.Value, 256)
			for i := range vs {
				vs[i] = x
			}
			for range 40 {
				vs = b.If(b.Wrap(num.Lt, x, o), func() []kernel.Value { return vs }, func() []kernel.Value {
					back := make([]kernel.Value, len(vs))
					for i := range vs {
						back[len(vs)-1-i] = vs[i]
					}
					back[0] = o
					return back
				})
			}
		},
		"many sizes": func(b *kernel.Builder, o, lo, hi kernel.Value) {
			for i := range 1000 {
				b.For(o, b.SizeOf(wide.AddConst(int64(i))), nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
					b.SizeOf(wide)
					return nil, kernel.None
				})
			}
		},
	} {
		k := &kernel.Kernel{Outer: s0, Grain: size.Const(3), Count: s1, Regions: []kernel.Region{
			{Elem: num.I64, Len: s0.Add(s1)}, {Elem: num.I64, Len: s0.AddConst(1), Bounded: true, Bound: wide}, {Elem: num.I64, Len: s1, Access: kernel.Write},
		}}
		for range 8 {
			k.Sizes = append(k.Sizes, kernel.Size{Lo: 1, Hi: 1 << 48})
		}
		for i := range 40 {
			k.Regions = append(k.Regions, kernel.Region{Elem: num.I64, Len: wide.AddConst(int64(i))})
		}
		b, o, lo, hi := kernel.NewBuilder(k)
		fill(b, o, lo, hi)
		kernel.Renumber(k) // and nothing dropped, as Finish would
		bytes, err := kernel.Encode(k)
		if err != nil {
			t.Errorf("%s never comes to a proof: %v", name, err)
			continue
		}
		start := processor(t)
		_, err = verify.Check(k)
		if d := processor(t) - start; d > patience {
			t.Errorf("%s: %v", name, d)
		} else {
			t.Logf("%s: %v, %d bytes, %v", name, d, len(bytes), err)
		}
	}
}

// FuzzCheck: strangers' bytes never crash or hang verify, and what it
// accepts runs safely.
func FuzzCheck(f *testing.F) {
	for i := range 60 {
		if b, err := kernel.Encode(kerneltest.Gen().Example(i).Kernel); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		start := processor(t)
		s, err := verify.CheckBytes(b)
		if d := processor(t) - start; d > patience {
			t.Fatalf("check took %v", d)
		}
		if err == nil {
			runZeros(t, s)
		}
	})
}

// runZeros runs an accepted kernel on the least sizes and on zeros.
func runZeros(t *testing.T, s *verify.Safe) {
	k := s.Kernel
	c := &kerneltest.Case{Name: "fuzzed", Kernel: k}
	for _, z := range k.Sizes {
		c.Sizes = append(c.Sizes, min(z.Hi, z.Lo+3))
	}
	for _, a := range k.Scalars {
		c.Scalars = append(c.Scalars, uint64(a.Lo))
	}
	c.Outer, _ = kernel.EvalPoly(k.Outer, c.Sizes)
	lens := c.Lens()
	if s.Admit(c.Sizes, c.Scalars, lens, verify.Limits{Steps: 20000, RegionBytes: 1 << 16, ScratchBytes: 1 << 16}) != nil {
		return
	}
	for i, n := range lens {
		r := k.Regions[i]
		if bound, ok := kernel.EvalPoly(r.Bound, c.Sizes); r.Bounded && (!ok || bound < 1) && n > 0 {
			return // nobody could vouch for such a region
		}
		if r.Access == kernel.Scratch {
			n = 0
		}
		c.Regions = append(c.Regions, make([]byte, n*int64(r.Elem.Size())))
	}
	hold(t, s, c)
}
