package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// chasing follows r0[i] for s1 steps from slot o.
func chasing() *kernel.Kernel {
	s0, s1 := kernel.SizeVar(0), kernel.SizeVar(1)
	k := &kernel.Kernel{Sizes: []kernel.Size{{Lo: 1, Hi: 1 << 30}, {Hi: 1 << 40}, {Hi: 1 << 30}}, Outer: kernel.SizeVar(2), Grain: size.Const(1), Count: kernel.SizeVar(2),
		Regions: []kernel.Region{{Elem: num.I32, Len: s0, Bounded: true, Bound: s0}, {Elem: num.I32, Len: kernel.SizeVar(2), Access: kernel.Write}}}
	b, o, _, _ := kernel.NewBuilder(k)
	zero := b.Const(num.I32, 0)
	last := b.For(b.Int(0), b.SizeOf(s1), []kernel.Carry{{Kind: num.I32, Bounded: true, Bound: s0}}, []kernel.Value{zero},
		func(_ kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
			return []kernel.Value{b.Load(0, b.Convert(c[0], num.I64, false))}, kernel.None
		})
	b.Store(1, o, last[0])
	return b.Finish()
}

func chaseCase(n, steps, outer int64) *kerneltest.Case {
	c := &kerneltest.Case{Kernel: chasing(), Sizes: []int64{n, steps, outer}, Outer: outer}
	next := make([]byte, 4*n)
	for i := range n {
		putElement(next, num.I32, i, uint64((i*7919+12345)%n))
	}
	c.Regions = [][]byte{next, make([]byte, 4*outer)}
	return c
}

// spinning is a kernel with every kind of loop, s0 turns each, that would
// run for very long.
func spinning() map[string]*kernel.Kernel {
	list := map[string]*kernel.Kernel{}
	build := func(name string, body func(b *kernel.Builder, lo, n kernel.Value)) {
		k := &kernel.Kernel{Sizes: []kernel.Size{{Hi: 1 << 60}}, Outer: kernel.SizeVar(0), Grain: size.Const(1), Count: kernel.SizeVar(0),
			Regions: []kernel.Region{{Elem: num.F64, Len: size.Const(1), Access: kernel.ReadWrite}}}
		b, _, _, _ := kernel.NewBuilder(k)
		body(b, b.Int(0), b.SizeOf(kernel.SizeVar(0)))
		list[name] = b.Finish()
	}
	toFloat := func(b *kernel.Builder, i kernel.Value) []kernel.Value {
		return []kernel.Value{b.Convert(i, num.F64, false)}
	}
	sum := []kernel.Acc{{Op: num.FoldAdd, Kind: num.F64}}
	build("outer", func(b *kernel.Builder, lo, n kernel.Value) {})
	build("fold", func(b *kernel.Builder, lo, n kernel.Value) {
		r := b.Fold(lo, n, false, sum, func(i kernel.Value) []kernel.Value { return toFloat(b, i) })
		b.Store(0, lo, r[0])
	})
	build("tree", func(b *kernel.Builder, lo, n kernel.Value) {
		r := b.Fold(lo, n, true, sum, func(i kernel.Value) []kernel.Value { return toFloat(b, i) })
		b.Store(0, lo, r[0])
	})
	build("for", func(b *kernel.Builder, lo, n kernel.Value) {
		r := b.For(lo, n, []kernel.Carry{{Kind: num.I64}}, []kernel.Value{lo}, func(i kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
			return []kernel.Value{b.Wrap(num.Xor, b.Wrap(num.Mul, c[0], n), i)}, kernel.None
		})
		b.Store(0, lo, b.Convert(r[0], num.F64, false))
	})
	build("small loops", func(b *kernel.Builder, lo, n kernel.Value) {
		b.For(lo, n, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			three := b.Wrap(num.Add, b.Wrap(num.And, i, b.Int(3)), b.Int(1))
			r := b.Fold(lo, three, false, sum, func(j kernel.Value) []kernel.Value { return toFloat(b, b.Wrap(num.Xor, i, j)) })
			b.Store(0, lo, r[0])
			return nil, kernel.None
		})
	})
	build("divisions", func(b *kernel.Builder, lo, n kernel.Value) {
		b.For(lo, n, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			r := b.Fold(lo, b.Int(500), false, []kernel.Acc{{Op: num.FoldXor, Kind: num.I64}}, func(j kernel.Value) []kernel.Value {
				return []kernel.Value{b.Wrap(num.Rem, b.Wrap(num.Mul, i, n), b.Wrap(num.Add, j, i))}
			})
			b.Store(0, lo, b.Convert(r[0], num.F64, false))
			return nil, kernel.None
		})
	})
	return list
}

func spinCase(k *kernel.Kernel) *kerneltest.Case {
	n := int64(1) << 55
	return &kerneltest.Case{Kernel: k, Sizes: []int64{n}, Regions: [][]byte{make([]byte, 8)}, Outer: n}
}

// start compiles a case and loads it.
func (b *bench) start(tb testing.TB, c *kerneltest.Case) (*Instance, *loaded) {
	tb.Helper()
	f, err := b.rt.Compile(context.Background(), c.Kernel)
	if err != nil {
		tb.Fatal(err)
	}
	in, err := f.Instance(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	l, err := b.load(c)
	if err != nil {
		tb.Fatal(err)
	}
	return in, l
}

func TestCancel(t *testing.T) {
	b := newBench(t)
	for name, k := range spinning() {
		t.Run(name, func(t *testing.T) {
			in, l := b.start(t, spinCase(k))
			ctx, cancel := context.WithCancel(context.Background())
			var when time.Time
			time.AfterFunc(20*time.Millisecond, func() {
				when = time.Now()
				cancel()
			})
			if err := in.Run(ctx, l.args, 0, l.c.Outer); !errors.Is(err, context.Canceled) {
				t.Fatalf("run of a cancelled context gave %v", err)
			}
			if late := time.Since(when); late > 10*time.Second {
				t.Errorf("run ended %v after it was cancelled", late)
			}
		})
	}
}

// TestCollectorWaits measures how long a garbage collection takes while
// kernels run; without visits to the host it would wait for their end.
func TestCollectorWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it measures time")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	b := newBench(t)
	kernels := spinning()
	kernels["chase"] = nil
	for name, k := range kernels {
		t.Run(name, func(t *testing.T) {
			c := chaseCase(1<<24, 1<<50, 1)
			if k != nil {
				c = spinCase(k)
			}
			in, l := b.start(t, c)
			ctx, cancel := context.WithCancel(context.Background())
			var done sync.WaitGroup
			done.Go(func() { _ = in.Run(ctx, l.args, 0, l.c.Outer) })
			before := stopping()
			for range 40 {
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
			after := stopping()
			cancel()
			done.Wait()
			median, slowest := quantile(before, after, 0.5), quantile(before, after, 1)
			t.Logf("stopping takes %v, at most %v", median, slowest)
			if median > 20*time.Millisecond {
				t.Errorf("it takes %v to stop a kernel for a collection", median)
			}
		})
	}
}

// stopping is the distribution of the time from asking all threads to stop
// for a collection until they have.
func stopping() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(sample)
	h := sample[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: slices.Clone(h.Counts), Buckets: h.Buckets}
}

// quantile finds the end of the bucket that holds a quantile of what was
// added between two readings.
func quantile(before, after *metrics.Float64Histogram, q float64) time.Duration {
	total := uint64(0)
	for i, n := range after.Counts {
		total += n - before.Counts[i]
	}
	seen := uint64(0)
	for i, n := range after.Counts {
		seen += n - before.Counts[i]
		if seen > 0 && float64(seen) >= q*float64(total) {
			return time.Duration(after.Buckets[i+1] * 1e9)
		}
	}
	return 0
}

// TestInstancesAtOnce runs one Func in several instances at the same time,
// each a part of the outer indices.
func TestInstancesAtOnce(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	for _, k := range benchKernels()[:6] {
		c := caseOf(k.k, 5*grain+777)
		f, err := b.rt.Compile(ctx, k.k)
		if err != nil {
			t.Fatal(err)
		}
		l, err := b.load(c)
		if err != nil {
			t.Fatal(err)
		}
		var next atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				in, err := f.Instance(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				defer in.Close(ctx)
				args := *l.args
				args.Faults = stepper.NewFaults(k.k.Sites)
				for o := next.Add(1) - 1; o < c.Outer; o = next.Add(1) - 1 {
					if err := in.Run(ctx, &args, o, o+1); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		want := c.Clone()
		ref := &stepper.Args{Sizes: c.Sizes, Regions: want.Regions, Faults: stepper.NewFaults(k.k.Sites)}
		if _, err := stepper.Run(k.k, ref, 0, c.Outer); err != nil {
			t.Fatal(err)
		}
		if err := l.compare(want.Regions, ref.Faults); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
		l.free()
	}
}

// TestWindow gives a region a base below zero: only indices inside the
// window are touched.
func TestWindow(t *testing.T) {
	b := newBench(t)
	k := benchKernels()[0].k // sum of F32, grain slots for each outer index
	n := int64(1) << 31      // far more than the window holds
	c := caseOf(k, 3*grain)
	in, l := b.start(t, c)
	if err := in.Run(context.Background(), l.args, 0, 3); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x", l.region(1))
	skip := (n/grain - 3)
	l.args.Sizes = []int64{n, n / grain}
	l.args.Bases[0] -= skip * grain * 4
	l.args.Bases[1] -= skip * 4
	if err := in.Run(context.Background(), l.args, skip, skip+3); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", l.region(1)); got != want {
		t.Errorf("sums over a window are %s, want %s", got, want)
	}
}

// TestDeepNest makes sure that the time to emit does not double with every
// loop inside another.
func TestDeepNest(t *testing.T) {
	k := &kernel.Kernel{Outer: size.Const(1), Grain: size.Const(1), Count: size.Const(1),
		Regions: []kernel.Region{{Elem: num.I64, Len: size.Const(1), Access: kernel.Write}}}
	b, o, _, _ := kernel.NewBuilder(k)
	var nest func(depth int, v kernel.Value) kernel.Value
	nest = func(depth int, v kernel.Value) kernel.Value {
		if depth == 0 {
			return v
		}
		return b.Fold(b.Int(0), b.Int(2), false, []kernel.Acc{{Op: num.FoldAdd, Kind: num.I64}}, func(i kernel.Value) []kernel.Value {
			return []kernel.Value{nest(depth-1, b.Wrap(num.Add, v, i))}
		})[0]
	}
	b.Store(0, o, nest(kernel.MaxDepth-4, o))
	c := &kerneltest.Case{Kernel: b.Finish(), Regions: [][]byte{make([]byte, 8)}, Outer: 1}
	in, l := newBench(t).start(t, c)
	if err := in.Run(context.Background(), l.args, 0, 1); err != nil {
		t.Fatal(err)
	}
	if got, want := binary.LittleEndian.Uint64(l.region(0)), uint64(10<<20); got != want {
		t.Errorf("the nest gives %d, want %d", got, want)
	}
}

func TestArgumentsOfWrongNumber(t *testing.T) {
	b := newBench(t)
	in, l := b.start(t, caseOf(benchKernels()[0].k, 10))
	l.args.Bases = l.args.Bases[:1]
	if err := in.Run(context.Background(), l.args, 0, 1); err == nil {
		t.Error("a run with too few bases was accepted")
	}
}

// An instance takes no more of Go's heap than Func.Memory says.
func TestMemoryOfInstances(t *testing.T) {
	b := newBench(t)
	f, err := b.rt.Compile(context.Background(), chasing())
	if err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	list := make([]*Instance, 50)
	before := heap()
	for i := range list {
		if list[i], err = f.Instance(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	each := (heap() - before) / int64(len(list))
	_, most := f.Memory()
	if most -= mem.Page; each > most {
		t.Errorf("an instance takes %d bytes of the heap, expected at most %d", each, most)
	}
	for _, in := range list {
		_ = in.Close(context.Background())
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		newBench(b)
	}
}

func BenchmarkInstance(b *testing.B) {
	bench := newBench(b)
	ctx := context.Background()
	f, err := bench.rt.Compile(ctx, benchKernels()[0].k)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		in, err := f.Instance(ctx)
		if err != nil {
			b.Fatal(err)
		}
		_ = in.Close(ctx)
	}
}

func BenchmarkCall(b *testing.B) {
	bench := newBench(b)
	in, l := bench.start(b, caseOf(benchKernels()[0].k, 10))
	for b.Loop() {
		if err := in.Run(context.Background(), l.args, 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkChase follows one chain; a step is one load after the other.
func BenchmarkChase(b *testing.B) {
	for _, kb := range []int64{16, 64 << 10} {
		b.Run(fmt.Sprintf("%dk", kb), func(b *testing.B) {
			bench := newBench(b)
			const steps = 1 << 16
			in, l := bench.start(b, chaseCase(kb<<8, steps, 1))
			for b.Loop() {
				if err := in.Run(context.Background(), l.args, 0, 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
		})
	}
}
