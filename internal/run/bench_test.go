package run

import (
	"os"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// BenchmarkSumFile sums the f32 NPY file named by GODWIT_NPY, or one of
// 64 MiB.
func BenchmarkSumFile(b *testing.B) {
	var src data.Source
	if path := os.Getenv("GODWIT_NPY"); path != "" {
		src = open(b, path)
	} else {
		src = writeNPY(b, "<f4", floats(1<<24), 1<<24)
	}
	for _, perOuter := range []int64{leaf, 16 * leaf} {
		p := sumPlan(num.F32, perOuter)
		in := columns(int(src.Rows()), Column(src, 0))
		for _, threads := range []int{1, 2} {
			b.Run(map[bool]string{true: "leaf", false: "16leaf"}[perOuter == leaf]+map[int]string{1: "/T1", 2: "/T2"}[threads], func(b *testing.B) {
				b.SetBytes(src.Rows() * 4)
				for b.Loop() {
					mustRun(b, p, in, Options{Threads: threads})
				}
			})
		}
	}
}

// BenchmarkDot multiplies two f64 arrays that lie in the engine's memory.
func BenchmarkDot(b *testing.B) {
	const n = 1 << 25
	e, err := engine.New(engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	bind := func() Binding {
		_, mem, err := e.Alloc(n * 8)
		if err != nil {
			b.Fatal(err)
		}
		for i := range n * 8 {
			mem[i] = byte(i * 7 >> 3 & 0x3f)
		}
		return Column(data.FromBytes("memory", []data.Column{{Kind: num.F64}}, n, [][]byte{mem}, nil), 0)
	}
	in := columns(n, bind(), bind())
	p := &handmade{}
	x, y := p.input(num.F64, varN, 0, 0), p.input(num.F64, varN, 1, 0)
	parts, total := p.buffer(num.F64, grains(varN, leaf)), p.buffer(num.F64, one)
	p.launch(dotKernel(num.F64, leaf), slots(varN, leaf), x, y, parts)
	p.launch(treeKernel(num.F64), slots(varN, leaf)[1:], parts, total)
	p.result(total)
	b.SetBytes(2 * n * 8)
	for b.Loop() {
		mustRun(b, p, in, Options{Engine: e})
	}
}

// BenchmarkTiny is a whole run of next to nothing, the start of an engine
// included.
func BenchmarkTiny(b *testing.B) {
	p := sumPlan(num.F32, leaf)
	in := columns(100, Column(data.FromSlice(floats(100)), 0))
	for b.Loop() {
		mustRun(b, p, in, Options{})
	}
}

// BenchmarkPiece is one leaf of a sum as a node runs it: over a file, and over
// elements that travelled.
func BenchmarkPiece(b *testing.B) {
	const n = 1 << 20
	e := newEngine(b, engine.Wasm)
	c, err := e.Kernel(b.Context(), sumKernel(num.F32, leaf))
	if err != nil {
		b.Fatal(err)
	}
	xs := floats(n)
	for name, o := range map[string]Operand{
		"stored": Stored{Binding: Column(writeNPY(b, "<f4", xs, n), 0), Total: n},
		"inline": Inline{Bytes: bytesOf(b, xs[5*leaf:6*leaf]), First: 5 * leaf},
	} {
		b.Run(name, func(b *testing.B) {
			p := &Piece{Kernel: c, Sizes: []int64{n, n / leaf}, Lo: 5, Hi: 6, Operands: []Operand{o, Out{First: 5, Count: 1}}}
			for b.Loop() {
				if _, _, _, err := RunPiece(b.Context(), p, Options{Engine: e, Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
