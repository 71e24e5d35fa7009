package suspend_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/suspend"
)

// field is an engine's memory with a table that is one cycle through all rows.
type field struct {
	b     testing.TB
	e     *engine.Engine
	rows  int64
	table int64 // base
}

func newField(b testing.TB, rows int64) *field {
	b.Helper()
	e, err := engine.New(engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = e.Close() })
	f := &field{b: b, e: e, rows: rows}
	base, data := f.alloc(8 * rows)
	order := rand.New(rand.NewPCG(1, 2)).Perm(int(rows))
	for i, at := range order {
		column.Put(num.I64, data, int64(at), uint64(order[(i+1)%len(order)]))
	}
	f.table = base
	return f
}

func (f *field) alloc(n int64) (int64, []byte) {
	f.b.Helper()
	span, data, err := f.e.Alloc(n)
	if err != nil {
		f.b.Fatal(err)
	}
	return span.Off, data
}

// worker prepares a run, regions at bases.
func (f *field) worker(k *kernel.Kernel, sizes []int64, scalars []uint64, bases []int64) *engine.Worker {
	f.b.Helper()
	c, err := f.e.Kernel(context.Background(), k)
	if err != nil {
		f.b.Fatal(err)
	}
	w, err := f.e.NewJob(c, sizes, scalars).Worker(context.Background())
	if err != nil {
		f.b.Fatal(err)
	}
	w.SetBases(bases)
	return w
}

// original gives n walks of steps hops, which go on where they ended.
func (f *field) original(k *kernel.Kernel, n, steps int64) func() {
	starts, from := f.alloc(8 * n)
	ends, to := f.alloc(4 * n)
	for i := range n {
		column.Put(num.U32, to, i, uint64(i*f.rows/n))
	}
	sizes := []int64{n, (n + 15) / 16, f.rows}
	w := f.worker(k, sizes, []uint64{uint64(steps)}, []int64{starts, ends, f.table})
	return func() {
		for i := range n {
			column.Put(num.I64, from, i, column.Get(num.U32, to, i))
		}
		f.run(w, sizes[1])
	}
}

func (f *field) run(w *engine.Worker, outer int64) {
	if err := w.Run(context.Background(), 0, outer); err != nil {
		f.b.Fatal(err)
	}
}

// states gives one run of up to turns turns of n states, and what makes those
// that are done begin again where they ended.
func (f *field) states(b *suspend.Batch, n, steps, turns int64) (run, again func()) {
	columns := b.Start(allOf(n), func(region int) (num.Kind, []byte) {
		starts := make([]byte, 8*n)
		for i := range n {
			column.Put(num.I64, starts, i, uint64(i*f.rows/n))
		}
		return num.I64, starts
	})
	var bases []int64
	var inside [][]byte
	for _, c := range columns {
		base, data := f.alloc(int64(len(c)))
		copy(data, c)
		bases, inside = append(bases, base), append(inside, data)
	}
	sizes := suspend.Sizes([]int64{n, (n + 15) / 16, f.rows}, n, f.rows, turns)
	w := f.worker(b.Kernel, sizes, suspend.Scalars([]uint64{uint64(steps)}, 0), append(bases, f.table))
	again = func() {
		for i, c := range b.Columns {
			if i != 1 && c.Region < 0 {
				copy(inside[i], columns[i])
			}
		}
	}
	return func() { f.run(w, n) }, again
}

// BenchmarkHops compares hops of the suspended form inside one window with
// those of the original, in a table that fits the nearest cache and in one
// that fits none.
func BenchmarkHops(b *testing.B) {
	k := program(b, "many")
	batch := batch(b, k, suspend.Widths{2: 1})
	for _, rows := range []int64{1 << 11, 1 << 24} {
		f := newField(b, rows)
		for _, n := range []int64{1, 4096} {
			steps := max(64, 4096/n)
			name := fmt.Sprintf("rows=%d/states=%d", rows, n)
			perHop := func(b *testing.B) {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*int(n*steps)), "ns/hop")
			}
			b.Run(name+"/original", func(b *testing.B) {
				run := f.original(k, n, steps)
				for b.Loop() {
					run()
				}
				perHop(b)
			})
			for _, turns := range []int64{steps, 8, 1} {
				b.Run(fmt.Sprintf("%s/turns=%d", name, turns), func(b *testing.B) {
					run, again := f.states(batch, n, steps, turns)
					for b.Loop() {
						for range steps / turns {
							run()
						}
						again()
					}
					perHop(b)
				})
			}
		}
	}
}

// BenchmarkOneTurn is one run of one state for one turn, with everything
// prepared: what a node spends on a state that passes by.
func BenchmarkOneTurn(b *testing.B) {
	f := newField(b, 1<<11)
	run, again := f.states(batch(b, program(b, "many"), suspend.Widths{2: 1}), 1, 4096, 1)
	taken := 0
	for b.Loop() {
		run()
		if taken++; taken == 4096 {
			again()
			taken = 0
		}
	}
}

func BenchmarkMake(b *testing.B) {
	for _, c := range programs {
		k := program(b, c.name)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := suspend.Make(k, c.far); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
