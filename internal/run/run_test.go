package run

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// settings are the ways of running that must not matter.
func settings() map[string]Options {
	m := map[string]Options{"stepper": {Tier: engine.Stepper, Threads: 2}, "stepper windows": {Tier: engine.Stepper, Threads: 2, WindowRows: 5000}}
	for _, t := range []int{1, 2, 7} {
		m[fmt.Sprintf("%d threads", t)] = Options{Threads: t}
		for _, w := range []int64{1, 4096, 5000, 1 << 17} {
			m[fmt.Sprintf("%d threads, windows of %d", t, w)] = Options{Threads: t, WindowRows: w}
		}
	}
	return m
}

func floats(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(r.NormFloat64())
	}
	return xs
}

func ints(n int) []int64 {
	r := rand.New(rand.NewPCG(3, 4))
	xs := make([]int64, n)
	for i := range xs {
		xs[i] = r.Int64N(1000) - 300
	}
	return xs
}

func keys(n, bound int) []uint16 {
	r := rand.New(rand.NewPCG(5, 6))
	xs := make([]uint16, n)
	for i := range xs {
		xs[i] = uint16(r.IntN(bound))
	}
	return xs
}

// writeNPY stores a one-dimensional array and opens it.
func writeNPY(t testing.TB, descr string, xs any, n int) data.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr, n)
	head = fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00%-117s\n", head)
	body, err := binary.Append([]byte(head), binary.LittleEndian, xs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func open(t testing.TB, path string) data.Source {
	t.Helper()
	src, err := data.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func columns(n int, bs ...Binding) *Inputs {
	in := &Inputs{Sizes: map[string]int64{"N": int64(n)}}
	for i, b := range bs {
		in.Params = append(in.Params, Param{Name: string(rune('a' + i)), Leaves: []Binding{b}})
	}
	return in
}

func mustRun(t testing.TB, p *handmade, in *Inputs, opt Options) *Result {
	t.Helper()
	res, err := Run(context.Background(), &p.Schedule, in, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// everyWay runs p in all settings and compares with want, which holds the
// columns' elements as bits.
func everyWay(t *testing.T, p *handmade, in *Inputs, want ...[]uint64) {
	t.Helper()
	for name, opt := range settings() {
		t.Run(name, func(t *testing.T) {
			t.Helper()
			res := mustRun(t, p, in, opt)
			for i, c := range res.Columns {
				sameColumn(t, c, want[i])
			}
		})
	}
}

func sameColumn(t *testing.T, c column.Column, want []uint64) {
	t.Helper()
	if c.Len() != int64(len(want)) {
		t.Fatalf("%d elements, expected %d", c.Len(), len(want))
	}
	for i, w := range want {
		if got := c.At(int64(i)); got != w {
			t.Fatalf("element %d is %s, expected %s", i, column.Text(c.Kind, got), column.Text(c.Kind, w))
		}
	}
}

func sumOf(xs []float32) uint64 {
	f := num.NewFolder(num.FoldAdd, num.F32, false, 0)
	for i, x := range xs {
		f.Add(int64(i), uint64(math.Float32bits(x)))
	}
	return f.Result()[0]
}

func TestSumIsTheSameFromFilesAndMemory(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 100_001} {
		xs := floats(n)
		p := sumPlan(num.F32, leaf)
		t.Run(fmt.Sprint("file ", n), func(t *testing.T) {
			everyWay(t, p, columns(n, Column(writeNPY(t, "<f4", xs, n), 0)), []uint64{sumOf(xs)})
		})
		t.Run(fmt.Sprint("memory ", n), func(t *testing.T) {
			everyWay(t, p, columns(n, Column(data.FromSlice(xs), 0)), []uint64{sumOf(xs)})
		})
		t.Run(fmt.Sprint("big-endian ", n), func(t *testing.T) {
			swapped := make([]uint32, n)
			for i, x := range xs {
				b := math.Float32bits(x)
				swapped[i] = b<<24 | b>>24 | b<<8&0xff0000 | b>>8&0xff00
			}
			everyWay(t, p, columns(n, Column(writeNPY(t, ">f4", swapped, n), 0)), []uint64{sumOf(xs)})
		})
	}
}

func TestMapWithScalar(t *testing.T) {
	const n = 50_000
	xs := ints(n)
	p := &handmade{}
	x, y := p.input(num.I64, varN, 0, 0), p.buffer(num.I64, varN)
	l := p.launch(scaleKernel(num.I64, 1000), slots(varN, 1000), x, y)
	l.Scalars = []schedule.ScalarArg{{From: schedule.FromParam, Param: 1}}
	p.result(y, varN)
	want := make([]uint64, n)
	for i, v := range xs {
		want[i] = uint64(v*7 + 1)
	}
	everyWay(t, p, columns(n, Column(writeNPY(t, "<i8", xs, n), 0), Scalar(7)), want)
}

func TestSequentialKernelRunsInOrder(t *testing.T) {
	const n = 50_000
	xs := ints(n)
	p := &handmade{}
	x, state, y := p.input(num.I64, varN, 0, 0), p.buffer(num.I64, one), p.buffer(num.I64, varN)
	p.launch(runningKernel(777), slots(varN, 777), x, state, y)
	p.result(y, varN)
	p.result(state)
	want, acc := make([]uint64, n), int64(0)
	for i, v := range xs {
		acc = acc*31 + v
		want[i] = uint64(acc)
	}
	everyWay(t, p, columns(n, Column(writeNPY(t, "<i8", xs, n), 0)), want, []uint64{uint64(acc)})
}

func gatherPlan() *handmade {
	p := &handmade{}
	varM := size.Var("M")
	x, table, y := p.bounded(p.input(num.U16, varN, 0, 0), varM), p.input(num.F64, varM, 1, 0), p.buffer(num.F64, varN)
	p.launch(gatherKernel(num.U16, 512), append(slots(varN, 512), schedule.SizeArg{Poly: varM}), x, table, y)
	p.result(y, varN)
	return p
}

func TestGatherNeedsTheWholeTable(t *testing.T) {
	const n, m = 50_000, 3000
	xs := keys(n, m)
	table := make([]float64, m)
	want := make([]uint64, n)
	for i := range table {
		table[i] = float64(i) / 3
	}
	for i, k := range xs {
		want[i] = math.Float64bits(table[k])
	}
	in := columns(n, Column(writeNPY(t, "<u2", xs, n), 0), Column(writeNPY(t, "<f8", table, m), 0))
	in.Sizes["M"] = m
	everyWay(t, gatherPlan(), in, want)
}

// Every window behind the first bad row is bad too: whichever worker is the
// first to notice, the first row is named.
func TestIndexOutsideItsBoundIsNamed(t *testing.T) {
	const n, m = 50_000, 3000
	for _, order := range []string{"<", ">"} { // as stored, and decoded
		xs := keys(n, m)
		for i := 30_000; i < n; i++ {
			xs[i] = uint16(m + i%5)
		}
		if order == ">" {
			for i, x := range xs {
				xs[i] = bits.ReverseBytes16(x)
			}
		}
		in := columns(n, Column(writeNPY(t, order+"u2", xs, n), 0), Column(data.FromSlice(make([]float64, m)), 0))
		in.Sizes["M"] = m
		for name, opt := range settings() {
			_, err := Run(context.Background(), &gatherPlan().Schedule, in, opt)
			var bad *data.Error
			if !errors.As(err, &bad) || bad.Row != 30_000 {
				t.Errorf("%su2, %s: %v", order, name, err)
			}
		}
	}
}

func TestKeyedCounts(t *testing.T) {
	const n, m, grain = 50_000, 37, 4100
	xs := keys(n, m)
	p := &handmade{}
	varM := size.Var("M")
	parts := grains(varN, grain).Mul(varM)
	x, y := p.bounded(p.input(num.U16, varN, 0, 0), varM), p.buffer(num.I64, parts)
	p.launch(keyedKernel(num.U16, grain), append(slots(varN, grain), schedule.SizeArg{Poly: varM}), x, -1, y)
	p.result(y, parts)
	want := make([]uint64, (n+grain-1)/grain*m)
	for i, k := range xs {
		want[i/grain*m+int(k)]++
	}
	in := columns(n, Column(writeNPY(t, "<u2", xs, n), 0))
	in.Sizes["M"] = m
	everyWay(t, p, in, want)
}

func TestLeastFaultOfTheWholeRun(t *testing.T) {
	const n = 50_000
	xs := ints(n)
	xs[20_000], xs[20_001], xs[49_999] = math.MaxInt64, math.MinInt64, math.MaxInt64
	p := &handmade{}
	x, y, z := p.input(num.I64, varN, 0, 0), p.buffer(num.I64, varN), p.buffer(num.I64, varN)
	for i, out := range []int{y, z} {
		l := p.launch(scaleKernel(num.I64, 1000), slots(varN, 1000), x, out)
		l.Scalars = []schedule.ScalarArg{{From: schedule.FromParam, Param: 1}}
		l.Sites = []int{5 - i}
	}
	p.result(y, varN)
	in := columns(n, Column(writeNPY(t, "<i8", xs, n), 0), Scalar(2))
	for name, opt := range settings() {
		_, err := Run(context.Background(), &p.Schedule, in, opt)
		var f *FaultError
		if !errors.As(err, &f) || f.Site != 4 || f.Index != 20_000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
