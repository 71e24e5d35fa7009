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
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
)

//go:embed nests/*.gw nests/nests.c
var nestSources embed.FS

// exactFlags leave floating-point operations as they are written, as the
// language does, so that results are equal bit for bit.
var exactFlags = []string{"-O3", "-march=native", "-ffp-contract=off", "-fPIC"}

// nest is a program that changes arrays in nested loops. The file of its source
// and the function in C have its name.
type nest struct {
	name string
	kind num.Kind // of x
	dims func(n int64) []int64
	out  func(n int64) int64 // how many numbers of 8 bytes the result has
	n    int64
}

func square(n int64) []int64  { return []int64{n, n} }
func cube(n int64) []int64    { return []int64{n, n, n} }
func two(n int64) []int64     { return []int64{2, n} }
func line(n int64) []int64    { return []int64{n} }
func squared(n int64) int64   { return n * n }
func bordered(n int64) int64  { return (n + 1) * (n + 1) }
func cubed(n int64) int64     { return n * n * n }
func unchanged(n int64) int64 { return n }

// nestList has arrays of 2 MiB at least, so that most caches of a single core do
// not hold them.
var nestList = []nest{
	{"jacobi2d", num.F64, square, squared, 1000},
	{"seidel2d", num.F64, square, squared, 700},
	{"heat3d", num.F64, cube, cubed, 96},
	{"lu", num.F64, square, squared, 768},
	{"cholesky", num.F64, square, squared, 768},
	{"floyd", num.F64, square, squared, 600},
	{"levenshtein", num.U8, two, bordered, 1500},
	{"lcs", num.U8, two, bordered, 1500},
	{"nussinov", num.U8, line, squared, 600},
	{"triangular", num.F64, square, unchanged, 2000},
}

// nests compares whole calls, with a new result on both sides. C has one thread
// in all rows.
func nests(ctx context.Context, c choices) (*measure.Report, error) {
	dir, err := os.MkdirTemp("", "godwit-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &measure.Report{Bench: "nests", Machine: measure.ThisMachine()}
	r.Notes = append(r.Notes, "Whole calls, each with a new result, equal bit for bit. C has one thread in all rows, and -O3 -march=native -ffp-contract=off.")
	libs, notes, err := loadNests(ctx, dir)
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, notes...)
	for _, threads := range c.numbers() {
		if err := nestRows(ctx, c, libs, threads, r); err != nil {
			return nil, err
		}
		r.Notes = append(r.Notes, fmt.Sprintf("Geometric mean of the ratios, %s: %.2f.", count(threads), geometric(r.Rows[len(r.Rows)-len(nestList):])))
	}
	return r, nil
}

func nestRows(ctx context.Context, c choices, libs []nestLibrary, threads int, r *measure.Report) error {
	opts := []godwit.Option{godwit.WithThreads(threads), godwit.WithEngine("wasm")}
	if !c.wasm {
		opts = []godwit.Option{godwit.WithThreads(threads), godwit.WithEngine("native"), godwit.WithCompiler("", child()...)}
	}
	rt := godwit.NewRuntime(opts...)
	defer rt.Close()
	for _, t := range nestList {
		c.progress(t.name + ", " + count(threads))
		contest, err := t.contest(ctx, libs, rt)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		contest.Name, contest.Pairs = fmt.Sprintf("%s, %d, %s", t.name, t.n, count(threads)), c.pairs()
		row, err := contest.Row(ctx)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, row)
	}
	return nil
}

// contest has the results compared bit for bit once; afterwards sums are.
func (t nest) contest(ctx context.Context, libs []nestLibrary, rt *godwit.Runtime) (c measure.Contest, err error) {
	source, err := nestSources.ReadFile("nests/" + t.name + ".gw")
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
	x := t.input()
	dims := t.dims(t.n)
	args := godwit.Args{"x": data.FromBytes("x", []data.Column{{Kind: t.kind, Stored: t.kind.String(), Dims: dims[1:]}}, dims[0], [][]byte{x}, nil)}
	ours := func() (vector, error) {
		res, err := f.Call(ctx, args, godwit.WithRuntime(rt))
		if err != nil {
			return vector{}, err
		}
		col := res.Value().Columns[0]
		return vector{col.Kind, col.Data, func() { res.Close() }}, nil
	}
	c = measure.Contest{Unit: "ms", Ours: timed(ours)}
	mine, err := ours()
	if err != nil {
		return c, err
	}
	best := time.Duration(math.MaxInt64)
	for _, l := range libs {
		theirs := l.call(t, x, mine.kind)
		least := time.Duration(math.MaxInt64)
		for range 2 {
			start := time.Now()
			v, err := theirs()
			least = min(least, time.Since(start))
			if err != nil {
				return c, err
			}
			if !bytes.Equal(mine.data, v.data) {
				return c, fmt.Errorf("ours and C by %s differ", l.name)
			}
		}
		if least < best {
			best, c.Against, c.Reference = least, "C "+l.name, timed(theirs)
		}
	}
	return c, nil
}

// timed leaves the sums out of the time.
func timed(call func() (vector, error)) measure.Runner {
	return func(context.Context) (time.Duration, []float64, error) {
		start := time.Now()
		v, err := call()
		d := time.Since(start)
		if err != nil {
			return d, nil, err
		}
		sums, err := checksums([]vector{v})
		if v.done != nil {
			v.done()
		}
		return d, sums, err
	}
}

// input is random: letters out of four, or a matrix with a heavy diagonal, which
// can be decomposed.
func (t nest) input() []byte {
	n := int64(1)
	for _, d := range t.dims(t.n) {
		n *= d
	}
	r := generate.NewRandom(1)
	b := make([]byte, n*int64(t.kind.Size()))
	if t.kind == num.U8 {
		for i := range b {
			b[i] = byte(4 * r.Float())
		}
		return b
	}
	x := view[float64](b)
	for i := range x {
		x[i] = r.Float()
		if int64(i)%(t.n+1) == 0 {
			x[i] += float64(t.n)
		}
	}
	return b
}

// nestLibrary is the reference as a compiler makes it.
type nestLibrary struct {
	name string
	f    map[string]func(n int64, x, out unsafe.Pointer) int32
}

// call gives a call of the reference, which makes memory for its result.
func (l nestLibrary) call(t nest, x []byte, kind num.Kind) func() (vector, error) {
	return func() (vector, error) {
		out := make([]byte, 8*t.out(t.n))
		if failed := l.f[t.name](t.n, unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(out))); failed != 0 {
			return vector{}, fmt.Errorf("C by %s: error %d", l.name, failed)
		}
		return vector{kind: kind, data: out}, nil
	}
}

// loadNests compiles the reference with what compilers there are.
func loadNests(ctx context.Context, dir string) (list []nestLibrary, notes []string, err error) {
	source, err := nestSources.ReadFile("nests/nests.c")
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(dir, "nests.c")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return nil, nil, err
	}
	for _, c := range compilers {
		if _, err := exec.LookPath(c.name); err != nil {
			notes = append(notes, fmt.Sprintf("SKIPPED: %s is not installed (Debian: %s), so it makes no reference.", c.name, c.debian))
			continue
		}
		library := filepath.Join(dir, c.name+"-nests.so")
		if err := command(ctx, c.name, append(exactFlags, "-shared", file, "-o", library, "-lm")...); err != nil {
			return nil, nil, err
		}
		h, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			return nil, nil, fmt.Errorf("load the C reference: %w", err)
		}
		l := nestLibrary{c.name, map[string]func(int64, unsafe.Pointer, unsafe.Pointer) int32{}}
		for _, t := range nestList {
			var f func(int64, unsafe.Pointer, unsafe.Pointer) int32
			purego.RegisterLibFunc(&f, h, t.name)
			l.f[t.name] = f
		}
		list = append(list, l)
	}
	return list, notes, nil
}

// geometric is the geometric mean of the rows' ratios.
func geometric(rows []measure.Row) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += math.Log(float64(r.Ratio))
	}
	return math.Exp(sum / float64(len(rows)))
}
