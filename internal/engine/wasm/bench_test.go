package wasm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// grain of the benchmarks' kernels, in slots.
const grain = 1 << 18

// summing is a kernel that folds its inputs, of n elements each, into one
// value per outer index.
func summing(ins []num.Kind, acc kernel.Acc, body func(b *kernel.Builder, xs []kernel.Value) kernel.Value) *kernel.Kernel {
	s0, s1 := kernel.SizeVar(0), kernel.SizeVar(1)
	k := &kernel.Kernel{Sizes: []kernel.Size{{Hi: 1 << 32}, {Hi: 1 << 32}}, Outer: s1, Grain: size.Const(grain), Count: s0, Sites: 1}
	for _, in := range ins {
		k.Regions = append(k.Regions, kernel.Region{Elem: in, Len: s0})
	}
	for _, out := range acc.Outs() {
		k.Regions = append(k.Regions, kernel.Region{Elem: out, Len: s1, Access: kernel.Write})
	}
	b, o, lo, hi := kernel.NewBuilder(k)
	r := b.Fold(lo, hi, false, []kernel.Acc{acc}, func(i kernel.Value) []kernel.Value {
		b.Site, b.At = 0, i
		var xs []kernel.Value
		for j := range ins {
			xs = append(xs, b.Load(j, i))
		}
		return []kernel.Value{body(b, xs)}
	})
	for j, v := range r {
		b.Store(len(ins)+j, o, v)
	}
	return b.Finish()
}

// mapping is a kernel that makes a region from others of the same length.
func mapping(ins []num.Kind, out num.Kind, body func(b *kernel.Builder, xs []kernel.Value) kernel.Value) *kernel.Kernel {
	s0, s1 := kernel.SizeVar(0), kernel.SizeVar(1)
	k := &kernel.Kernel{Sizes: []kernel.Size{{Hi: 1 << 32}, {Hi: 1 << 32}}, Outer: s1, Grain: size.Const(grain), Count: s0, Sites: 1}
	for _, in := range ins {
		k.Regions = append(k.Regions, kernel.Region{Elem: in, Len: s0})
	}
	k.Regions = append(k.Regions, kernel.Region{Elem: out, Len: s0, Access: kernel.Write})
	b, _, lo, hi := kernel.NewBuilder(k)
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Site, b.At = 0, i
		var xs []kernel.Value
		for j := range ins {
			xs = append(xs, b.Load(j, i))
		}
		b.Store(len(ins), i, body(b, xs))
		return nil, kernel.None
	})
	return b.Finish()
}

type benchKernel struct {
	name string
	k    *kernel.Kernel
}

func benchKernels() []benchKernel {
	add := func(k num.Kind) kernel.Acc { return kernel.Acc{Op: num.FoldAdd, Kind: k} }
	first := func(b *kernel.Builder, x []kernel.Value) kernel.Value { return x[0] }
	to := func(k num.Kind) func(b *kernel.Builder, x []kernel.Value) kernel.Value {
		return func(b *kernel.Builder, x []kernel.Value) kernel.Value { return b.Convert(x[0], k, false) }
	}
	return []benchKernel{
		{"sum f32", summing([]num.Kind{num.F32}, add(num.F32), first)},
		{"sum f64", summing([]num.Kind{num.F64}, add(num.F64), first)},
		{"dot f64", summing([]num.Kind{num.F64, num.F64}, add(num.F64), func(b *kernel.Builder, x []kernel.Value) kernel.Value { return b.Wrap(num.Mul, x[0], x[1]) })},
		{"dot f32", summing([]num.Kind{num.F32, num.F32}, add(num.F32), func(b *kernel.Builder, x []kernel.Value) kernel.Value { return b.Wrap(num.Mul, x[0], x[1]) })},
		{"sum f32 to f64", summing([]num.Kind{num.F32}, add(num.F64), to(num.F64))},
		{"sum i16 to i64", summing([]num.Kind{num.I16}, add(num.I64), to(num.I64))},
		{"sum i32 to i64", summing([]num.Kind{num.I32}, add(num.I64), to(num.I64))},
		{"sum u8 to f32", summing([]num.Kind{num.U8}, add(num.F32), to(num.F32))},
		{"sum wide i64", summing([]num.Kind{num.I64}, kernel.Acc{Op: num.FoldAddWide, Kind: num.I64}, first)},
		{"min f32", summing([]num.Kind{num.F32}, kernel.Acc{Op: num.FoldMin, Kind: num.F32}, first)},
		{"argmin f32", summing([]num.Kind{num.F32}, kernel.Acc{Op: num.FoldArgMin, Kind: num.F32}, first)},
		{"max i32", summing([]num.Kind{num.I32}, kernel.Acc{Op: num.FoldMax, Kind: num.I32}, first)},
		{"count f32 < 0", summing([]num.Kind{num.F32}, add(num.I64), func(b *kernel.Builder, x []kernel.Value) kernel.Value {
			return b.Convert(b.Wrap(num.Lt, x[0], b.Const(num.F32, 0)), num.I64, false)
		})},
		{"count bool", summing([]num.Kind{num.Bool}, add(num.I64), func(b *kernel.Builder, x []kernel.Value) kernel.Value {
			return b.Convert(x[0], num.I64, false)
		})},
		{"filtered sum f32", summing([]num.Kind{num.F32, num.F32}, add(num.F32), func(b *kernel.Builder, x []kernel.Value) kernel.Value {
			return b.Select(b.Wrap(num.Lt, x[0], b.Const(num.F32, 0)), x[1], b.Const(num.F32, num.FoldAdd.Identity(num.F32, 0)[0]))
		})},
		{"filtered sum i16, bool to i64", summing([]num.Kind{num.I16, num.Bool}, add(num.I64), func(b *kernel.Builder, x []kernel.Value) kernel.Value {
			return b.Select(x[1], b.Convert(x[0], num.I64, false), b.Int(0))
		})},
		{"axpy f32", mapping([]num.Kind{num.F32, num.F32}, num.F32, func(b *kernel.Builder, x []kernel.Value) kernel.Value {
			return b.Wrap(num.Add, b.Wrap(num.Mul, x[0], b.Const(num.F32, num.FromFloat(num.F32, 1.5))), x[1])
		})},
		{"add i32", mapping([]num.Kind{num.I32, num.I32}, num.I32, func(b *kernel.Builder, x []kernel.Value) kernel.Value { return b.Wrap(num.Add, x[0], x[1]) })},
		{"checked add i32", mapping([]num.Kind{num.I32, num.I32}, num.I32, func(b *kernel.Builder, x []kernel.Value) kernel.Value { return b.Checked(num.Add, x[0], x[1]) })},
		{"checked mul i32", mapping([]num.Kind{num.I32, num.I32}, num.I32, func(b *kernel.Builder, x []kernel.Value) kernel.Value { return b.Checked(num.Mul, x[0], x[1]) })},
		{"mask f32", mapping([]num.Kind{num.F32}, num.Bool, func(b *kernel.Builder, x []kernel.Value) kernel.Value {
			return b.Wrap(num.Lt, x[0], b.Const(num.F32, 0))
		})},
		{"checked mul i64 (scalar)", mapping([]num.Kind{num.I64, num.I64}, num.I64, func(b *kernel.Builder, x []kernel.Value) kernel.Value { return b.Checked(num.Mul, x[0], x[1]) })},
		{"gather sum f32", gatherSum()},
		{"40 operations f32", mapping([]num.Kind{num.F32, num.F32, num.F32}, num.F32, func(b *kernel.Builder, x []kernel.Value) kernel.Value {
			v := x[0]
			for i := range 20 { // a polynomial, steps of two operations
				v = b.Wrap(num.Add, b.Wrap(num.Mul, v, x[1]), x[i%3])
			}
			return v
		})},
	}
}

// gatherSum sums r0[r1[i]].
func gatherSum() *kernel.Kernel {
	k := summing([]num.Kind{num.F32, num.U32}, kernel.Acc{Op: num.FoldAdd, Kind: num.F32}, func(b *kernel.Builder, x []kernel.Value) kernel.Value {
		return b.Load(0, b.Convert(x[1], num.I64, false))
	})
	k.Regions[1].Bounded, k.Regions[1].Bound = true, kernel.SizeVar(0)
	return k
}

// caseOf gives a kernel of this file arguments of n elements.
func caseOf(k *kernel.Kernel, n int64) *kerneltest.Case {
	c := &kerneltest.Case{Kernel: k, Outer: (n + grain - 1) / grain}
	c.Sizes = []int64{n, c.Outer}
	c.Regions = make([][]byte, len(k.Regions))
	rng := rand.New(rand.NewPCG(1, 2))
	for i, length := range c.Lens() {
		r := k.Regions[i]
		buf := make([]byte, length*int64(r.Elem.Size()))
		c.Regions[i] = buf
		if r.Access != kernel.Read || n == 0 {
			continue
		}
		for j := range length {
			var v uint64
			switch {
			case r.Bounded:
				v = uint64(rng.Int64N(n))
			case r.Elem.IsFloat():
				v = num.FromFloat(r.Elem, rng.NormFloat64())
			default:
				v = num.Canon(r.Elem, rng.Uint64N(100))
			}
			putElement(buf, r.Elem, j, v)
		}
	}
	return c
}

func putElement(buf []byte, k num.Kind, i int64, v uint64) {
	p := unsafe.Pointer(&buf[i*int64(k.Size())])
	switch k.Size() {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	case 8:
		*(*uint64)(p) = v
	}
}

func TestBenchmarkKernels(t *testing.T) {
	b := newBench(t)
	for _, k := range benchKernels() {
		if err := b.agree(caseOf(k.k, 20011)); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}

// BenchmarkKernels reports the bytes of the arguments that a run touches per
// second, on one thread.
func BenchmarkKernels(b *testing.B) {
	for _, k := range benchKernels() {
		for _, bytes := range []int64{64 << 10, 64 << 20} {
			b.Run(fmt.Sprintf("%s/%dk", k.name, bytes>>10), func(b *testing.B) { benchmarkKernel(b, k.k, bytes) })
		}
	}
}

func benchmarkKernel(tb *testing.B, k *kernel.Kernel, bytes int64) {
	width := 0
	for _, r := range k.Regions {
		if n, _ := r.Len.IsVar(); n == "s0" {
			width += r.Elem.Size()
		}
	}
	bench := newBench(tb)
	ctx := context.Background()
	f, err := bench.rt.Compile(ctx, k)
	if err != nil {
		tb.Fatal(err)
	}
	in, err := f.Instance(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close(ctx)
	l, err := bench.load(caseOf(k, bytes/int64(width)))
	if err != nil {
		tb.Fatal(err)
	}
	l.args.Faults = stepper.NewFaults(k.Sites)
	tb.SetBytes(bytes / int64(width) * int64(width))
	before := cpu()
	for tb.Loop() {
		if err := in.Run(ctx, l.args, 0, l.c.Outer); err != nil {
			tb.Fatal(err)
		}
	}
	tb.ReportMetric(float64(bytes)*float64(tb.N)/float64(cpu()-before), "GB/cpu-s")
}

// cpu is the processor time that the process has used.
func cpu() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkCompile(b *testing.B) {
	bench := newBench(b)
	ctx := context.Background()
	for _, k := range benchKernels() {
		b.Run(k.name, func(b *testing.B) {
			size, before := 0, cpu()
			for b.Loop() {
				f, err := bench.rt.Compile(ctx, k.k)
				if err != nil {
					b.Fatal(err)
				}
				size = f.Bytes()
				_ = f.Close(ctx)
			}
			b.ReportMetric(float64(size), "wasm-bytes")
			b.ReportMetric(float64(cpu()-before)/float64(b.N)/1e3, "cpu-µs/op")
		})
	}
}

func BenchmarkEmit(b *testing.B) {
	for _, k := range benchKernels() {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := emit(k.k, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTwoThreads runs a kernel over halves of 128 MB on two threads.
func BenchmarkTwoThreads(b *testing.B) {
	for _, k := range benchKernels()[:4] {
		b.Run(k.name, func(b *testing.B) {
			bench := newBench(b)
			ctx := context.Background()
			f, err := bench.rt.Compile(ctx, k.k)
			if err != nil {
				b.Fatal(err)
			}
			width := int64(0)
			for _, r := range k.k.Regions {
				if n, _ := r.Len.IsVar(); n == "s0" {
					width += int64(r.Elem.Size())
				}
			}
			l, err := bench.load(caseOf(k.k, 128<<20/width))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(128 << 20)
			var ins [2]*Instance
			for i := range ins {
				if ins[i], err = f.Instance(ctx); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				var all sync.WaitGroup
				for i, in := range ins {
					all.Go(func() {
						args := *l.args
						args.Faults = stepper.NewFaults(k.k.Sites)
						_ = in.Run(ctx, &args, l.c.Outer*int64(i)/2, l.c.Outer*int64(i+1)/2)
					})
				}
				all.Wait()
			}
		})
	}
}

// BenchmarkGoLoop is the plain Go loop to compare with.
func BenchmarkGoLoop(b *testing.B) {
	x := make([]float32, 16<<20)
	for i := range x {
		x[i] = float32(i & 1023)
	}
	for _, n := range []int{16 << 10, 16 << 20} {
		b.Run(fmt.Sprintf("sum f32/%dk", n/256), func(b *testing.B) {
			b.SetBytes(int64(4 * n))
			for b.Loop() {
				s := float32(0)
				for _, v := range x[:n] {
					s += v
				}
				sink = s
			}
		})
	}
}

var sink float32

// rowsTimes is a matrix of s0 rows of s2 columns times a vector.
func rowsTimes() *kernel.Kernel {
	s0, s1, s2 := kernel.SizeVar(0), kernel.SizeVar(1), kernel.SizeVar(2)
	k := &kernel.Kernel{Sizes: []kernel.Size{{Hi: 1 << 32}, {Hi: 1 << 32}, {Hi: 1 << 20}}, Outer: s1, Grain: size.Const(1 << 10), Count: s0,
		Regions: []kernel.Region{{Elem: num.F32, Len: s0.Mul(s2)}, {Elem: num.F32, Len: s2}, {Elem: num.F32, Len: s0, Access: kernel.Write}}}
	b, _, lo, hi := kernel.NewBuilder(k)
	width := b.SizeOf(s2)
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		row := b.Wrap(num.Mul, i, width)
		r := b.Fold(b.Int(0), width, false, []kernel.Acc{{Op: num.FoldAdd, Kind: num.F32}}, func(j kernel.Value) []kernel.Value {
			return []kernel.Value{b.Wrap(num.Mul, b.Load(0, b.Wrap(num.Add, row, j)), b.Load(1, j))}
		})
		b.Store(2, i, r[0])
		return nil, kernel.None
	})
	return b.Finish()
}

func BenchmarkRows(b *testing.B) {
	for _, width := range []int64{3, 8, 16, 31, 100, 1000} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			bench := newBench(b)
			n := (1 << 16) / width // 256 kB
			c := &kerneltest.Case{Kernel: rowsTimes(), Sizes: []int64{n, (n + 1023) / 1024, width}, Outer: (n + 1023) / 1024}
			c.Regions = [][]byte{make([]byte, 4*n*width), make([]byte, 4*width), make([]byte, 4*n)}
			for i := range n * width {
				putElement(c.Regions[0], num.F32, i, num.FromFloat(num.F32, float64(i%77)))
			}
			in, l := bench.start(b, c)
			b.SetBytes(4 * n * width)
			for b.Loop() {
				if err := in.Run(context.Background(), l.args, 0, c.Outer); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
	}
}
