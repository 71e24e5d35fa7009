package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
)

// In: programs that follow references through a table larger than any cache. Out: how long they take against C that is written
// without a thought of memory, and against C that is written by hand with many walks under way, on the same bytes.

//go:embed far/*.gw far/far.c
var farSources embed.FS

// farFlags are those of gcc. Nothing is fused, and sums of floats are in order on both sides.
var farFlags = []string{"-O3", "-march=native", "-ffp-contract=off", "-fPIC", "-shared"}

// farForm is one way of writing the reference.
type farForm struct {
	name, about string
	flights     []int64  // under way; the best is taken
	caches      []string // into which is asked, for __builtin_prefetch; the best is taken
}

// The first cache, and the second.
const firstCache, secondCache = "3", "2"

var farForms = []farForm{
	{"naive", "C as it comes", []int64{1}, []string{firstCache}},
	{"woven", "C by hand", []int64{8, 16, 32, 64}, []string{firstCache, secondCache}},
}

// function is the reference's name of a form of a task.
func (f farForm) function(t farTask) string { return t.name + "_" + f.name }

// farTask is a program. Its source and the functions of the reference have its name.
type farTask struct {
	name, about string
	input       func(bytes int64, quick bool) []farColumn // for a table of so many bytes
	kind        num.Kind                                  // of the result, which has
	rows        func(in []farColumn) int64                // so many numbers
	hops        func(in []farColumn) int64                // accesses to the table, about
}

// farColumn is an argument.
type farColumn struct {
	name string
	kind num.Kind
	dims []int64
	data []byte
}

func (c *farColumn) len() int64 { return int64(len(c.data)) / int64(c.kind.Size()) }

// farQueries is how many walks there are.
const farQueries = 1 << 16

var farTasks = append([]farTask{
	{"chase", "chase of 64 hops", chaseInput, num.I64, lastRows, func(in []farColumn) int64 { return 64 * lastRows(in) }},
	{"ending", "chase with an end that data says", chaseInput, num.I64, lastRows, func(in []farColumn) int64 { return 64 * lastRows(in) }},
	{"probe", "hash join, probe", probeInput, num.I64, lastRows, lastRows},
	{"search", "binary search", searchInput, num.I64, lastRows, lastRows},
	{"search", "binary search of 2^k keys", searchTwos, num.I64, lastRows, lastRows},
	{"gather", "gather over compressed rows", gatherInput, num.F64, graphRows, func(in []farColumn) int64 { return in[1].dims[0] }},
	{"tree", "B+ tree search", treeInput, num.I64, lastRows, func(in []farColumn) int64 { return lastRows(in) * int64(in[2].data[0]) }},
	{"bfs", "breadth-first search", farGraph, num.I64, graphRows, func(in []farColumn) int64 { return in[1].dims[0] }},
	{"rank", "PageRank", farGraph, num.F64, graphRows, func(in []farColumn) int64 { return 4 * in[1].dims[0] }},
	{"arcs", "arc scan of a network simplex", arcsInput, num.I64, func(in []farColumn) int64 { return in[0].dims[0] }, func(in []farColumn) int64 { return 2048 * in[0].dims[0] }},
	{"bag", "embedding bag", bagInput, num.F32, func(in []farColumn) int64 { return 16 * in[1].dims[0] }, func(in []farColumn) int64 { return 32 * in[1].dims[0] }},
}, spatter()...)

func graphRows(in []farColumn) int64 { return in[0].dims[0] - 1 }

func lastRows(in []farColumn) int64 { return in[len(in)-1].dims[0] }

// farMemory is memory for n numbers.
func farMemory[T uint8 | uint32 | int64 | float32 | float64](name string, kind num.Kind, n int64, dims ...int64) (farColumn, []T) {
	var one T
	c := farColumn{name, kind, append([]int64{n}, dims...), nil}
	for _, d := range dims {
		n *= d
	}
	c.data = make([]byte, n*int64(unsafe.Sizeof(one)))
	return c, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c.data))), n)
}

// below is a random number in 0..n.
func below(r *generate.Random, n int64) int64 { return min(int64(r.Float()*float64(n)), n-1) }

// chaseInput is a cycle through all rows, in random order (Sattolo's).
func chaseInput(bytes int64, _ bool) []farColumn {
	r := generate.NewRandom(1)
	next, p := farMemory[uint32]("next", num.U32, bytes/4)
	for i := range p {
		p[i] = uint32(i)
	}
	for i := len(p) - 1; i > 0; i-- {
		j := below(r, int64(i))
		p[i], p[j] = p[j], p[i]
	}
	return []farColumn{next, farStarts("start", r, farQueries, int64(len(p)))}
}

func farStarts(name string, r *generate.Random, n, below1 int64, dims ...int64) farColumn {
	c, s := farMemory[uint32](name, num.U32, n, dims...)
	for i := range s {
		s[i] = uint32(below(r, below1))
	}
	return c
}

// probeInput is a table of random keys in as many chains as there are rows; most queries find their key.
func probeInput(bytes int64, _ bool) []farColumn {
	r := generate.NewRandom(2)
	n := int64(1) << (62 - leadingZeros(bytes/24))
	heads, h := farMemory[int64]("heads", num.I64, n)
	keys, k := farMemory[int64]("keys", num.I64, n)
	next, x := farMemory[int64]("next", num.I64, n)
	for i := range h {
		h[i] = -1
	}
	for i := range k {
		k[i] = below(r, 1<<50)
		x[i], h[k[i]&(n-1)] = h[k[i]&(n-1)], int64(i)
	}
	want, w := farMemory[int64]("want", num.I64, 16*farQueries)
	for i := range w {
		if w[i] = k[below(r, n)]; i%8 == 0 {
			w[i] = below(r, 1<<50)
		}
	}
	return []farColumn{heads, keys, next, want}
}

func leadingZeros(n int64) int {
	zeros := 0
	for ; n > 0 && n < 1<<62; n <<= 1 {
		zeros++
	}
	return zeros
}

// searchInput has a sixteenth fewer keys than there is room for: of 2^k keys those that a search comes to first lie in the same sets of a
// cache, which searchTwos shows.
func searchInput(bytes int64, _ bool) []farColumn {
	return searchOf(min(bytes/8, 1_000_000_000) / 16 * 15)
}

func searchTwos(bytes int64, _ bool) []farColumn { return searchOf(1 << (62 - leadingZeros(bytes/8))) }

func searchOf(n int64) []farColumn {
	r := generate.NewRandom(3)
	keys, k := farMemory[int64]("keys", num.I64, n)
	last := int64(0)
	for i := range k {
		last += below(r, 1000)
		k[i] = last
	}
	want, w := farMemory[int64]("want", num.I64, 4*farQueries)
	for i := range w {
		w[i] = below(r, last)
	}
	return []farColumn{keys, want}
}

// gatherInput has rows of 0 to 31 neighbours, all over the table.
func gatherInput(bytes int64, _ bool) []farColumn {
	r := generate.NewRandom(4)
	rank, x := farMemory[float64]("rank", num.F64, bytes/8)
	for i := range x {
		x[i] = float64(i & 1023)
	}
	off, o := farMemory[int64]("off", num.I64, 4*farQueries+1)
	for i := 1; i < len(o); i++ {
		o[i] = o[i-1] + below(r, 32)
	}
	return []farColumn{off, farStarts("to", r, o[len(o)-1], int64(len(x))), rank}
}

func bagInput(bytes int64, _ bool) []farColumn {
	r := generate.NewRandom(5)
	table, x := farMemory[float32]("table", num.F32, bytes/64, 16)
	for i := range x {
		x[i] = float32(i & 1023)
	}
	return []farColumn{table, farStarts("bags", r, farQueries, table.dims[0], 32)}
}

// far compares whole calls, with a new result on both sides.
func far(ctx context.Context, c choices) (*measure.Report, error) {
	dir, err := os.MkdirTemp("", "godwit-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &measure.Report{Bench: "far", Machine: measure.ThisMachine()}
	lib, err := loadFar(ctx, dir)
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, fmt.Sprintf("Tables of %d MiB. Whole calls on one thread, into memory that a result before has left, on both sides; equal bit for bit. C is gcc %s.", c.table>>20, farFlags[:2]))
	opts := []godwit.Option{godwit.WithThreads(1), godwit.WithEngine("wasm")}
	if !c.wasm {
		opts = []godwit.Option{godwit.WithThreads(1), godwit.WithEngine("native"), godwit.WithCompiler("", child()...)}
	}
	rt := godwit.NewRuntime(opts...)
	defer rt.Close()
	ratios := map[string][]measure.Row{}
	for _, t := range farTasks {
		if !c.wants(t.name) && !c.wants(t.about) {
			continue
		}
		c.progress(t.about)
		in := t.input(c.table, c.quick)
		for _, form := range farForms {
			contest, err := t.contest(ctx, lib, rt, in, form)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.about, err)
			}
			contest.Pairs = c.pairs()
			row, err := contest.Row(ctx)
			if err != nil {
				return nil, err
			}
			r.Rows, ratios[form.name] = append(r.Rows, row), append(ratios[form.name], row)
		}
	}
	for _, form := range farForms {
		if len(ratios[form.name]) > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("Geometric mean of the ratios to %s: %.2f.", form.about, geometric(ratios[form.name])))
		}
	}
	return r, nil
}

// contest has the results compared bit for bit once; afterwards sums are.
func (t farTask) contest(ctx context.Context, lib farLibrary, rt *godwit.Runtime, in []farColumn, form farForm) (c measure.Contest, err error) {
	source, err := farSources.ReadFile("far/" + t.name + ".gw")
	if err != nil {
		return c, err
	}
	p, err := godwit.Compile(string(source))
	if err != nil {
		return c, err
	}
	f, err := p.Func("")
	if err != nil {
		return c, err
	}
	args := godwit.Args{}
	for _, a := range in {
		args[a.name] = data.FromBytes(a.name, []data.Column{{Kind: a.kind, Stored: a.kind.String(), Dims: a.dims[1:]}}, a.dims[0], [][]byte{a.data}, nil)
	}
	ours := func() (vector, error) {
		res, err := f.Call(ctx, args, godwit.WithRuntime(rt))
		if err != nil {
			return vector{}, err
		}
		col := res.Value().Columns[0]
		return vector{col.Kind, col.Data, func() { res.Close() }}, nil
	}
	mine, err := ours()
	if err != nil {
		return c, err
	}
	c = measure.Contest{Unit: "ms", Ours: timed(ours)}
	best := time.Duration(math.MaxInt64)
	for i := range len(form.flights) * len(form.caches) {
		k, cache := form.flights[i/len(form.caches)], form.caches[i%len(form.caches)]
		theirs := lib.call(t, form, cache, in, k)
		least := time.Duration(math.MaxInt64)
		for range 2 {
			start := time.Now()
			v, err := theirs()
			least = min(least, time.Since(start))
			if err != nil {
				return c, err
			}
			if !bytes.Equal(mine.data, v.data) {
				return c, fmt.Errorf("ours and %s differ", form.about)
			}
		}
		if least < best {
			best, c.Reference = least, timed(theirs)
			if c.Against = form.about; len(form.flights) > 1 {
				c.Against = fmt.Sprintf("%s, %d under way, into cache %s", form.about, k, map[string]string{firstCache: "1", secondCache: "2"}[cache])
			}
		}
	}
	c.Name = fmt.Sprintf("%s, %.1f ns each in C", t.about, float64(best)/float64(t.hops(in)))
	return c, nil
}

// farLibrary is the reference.
type farLibrary map[string]func(in, length, out unsafe.Pointer, k int64) int32

// call gives a call of the reference, which makes memory for its result.
func (l farLibrary) call(t farTask, form farForm, cache string, in []farColumn, k int64) func() (vector, error) {
	var columns []unsafe.Pointer
	var lengths []int64
	for i := range in {
		columns = append(columns, unsafe.Pointer(unsafe.SliceData(in[i].data)))
		lengths = append(lengths, in[i].dims[0])
	}
	out := make([]byte, t.rows(in)*int64(t.kind.Size()))
	return func() (vector, error) {
		if failed := l[form.function(t)+cache](unsafe.Pointer(unsafe.SliceData(columns)), unsafe.Pointer(unsafe.SliceData(lengths)), unsafe.Pointer(unsafe.SliceData(out)), k); failed != 0 {
			return vector{}, fmt.Errorf("C: error %d", failed)
		}
		return vector{kind: t.kind, data: out}, nil
	}
}

// loadFar compiles the reference.
func loadFar(ctx context.Context, dir string) (farLibrary, error) {
	source, err := farSources.ReadFile("far/far.c")
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		return nil, fmt.Errorf("gcc is not installed (Debian: gcc), so there is no reference")
	}
	file := filepath.Join(dir, "far.c")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return nil, err
	}
	l := farLibrary{}
	for _, cache := range []string{firstCache, secondCache} {
		library := filepath.Join(dir, "far"+cache+".so")
		if err := command(ctx, "gcc", append(slices.Clone(farFlags), "-DCACHE="+cache, file, "-o", library)...); err != nil {
			return nil, err
		}
		h, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			return nil, fmt.Errorf("load the C reference: %w", err)
		}
		for _, t := range farTasks {
			for _, form := range farForms {
				var f func(in, length, out unsafe.Pointer, k int64) int32
				purego.RegisterLibFunc(&f, h, form.function(t))
				l[form.function(t)+cache] = f
			}
		}
	}
	return l, nil
}
