package main

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
)

//go:embed peer/arrays.py
var arraysScript []byte

// shelf is the arrays of one size, on both sides.
type shelf struct {
	choices
	*python
	dir     string
	args    godwit.Args
	runtime map[int]*godwit.Runtime // by threads
	report  *measure.Report
}

// arrays compares everyday operations on arrays with NumPy's on one thread: whole calls, with arguments
// in memory, to a result in memory that can be read.
func arrays(ctx context.Context, c choices) (*measure.Report, error) {
	s := &shelf{choices: c, runtime: map[int]*godwit.Runtime{}, report: &measure.Report{Bench: "arrays", Machine: measure.ThisMachine()}}
	var err error
	if s.dir, err = os.MkdirTemp("", "godwit-bench-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.dir)
	if s.python, err = startPython(ctx, "numpy", numPyEnv(1, false), s.dir, "arrays.py", answering(arraysScript)); err != nil {
		return nil, err
	}
	defer s.close()
	for _, t := range c.numbers() {
		opts := []godwit.Option{godwit.WithThreads(t)}
		if !c.wasm {
			opts = append(opts, godwit.WithCompiler("", child()...))
		}
		s.runtime[t] = godwit.NewRuntime(opts...)
		defer s.runtime[t].Close()
	}
	for _, side := range [][2]int{{100, 100}, {2500, 4000}} {
		if c.quick && side[0] > 100 {
			side = [2]int{500, 800}
		}
		if err := s.fill(side[0], side[1]); err != nil {
			return nil, err
		}
		for _, op := range operations {
			if err := s.hold(ctx, op, side[0]*side[1]); err != nil {
				return nil, fmt.Errorf("%s: %w", op.name, err)
			}
		}
	}
	s.means()
	return s.report, nil
}

// hold compares an operation for each number of threads.
func (s *shelf) hold(ctx context.Context, op operation, n int) error {
	if !s.wants(op.name) {
		return nil
	}
	f, args, err := s.program(op)
	if err != nil {
		return err
	}
	for _, t := range s.numbers() {
		opts := []godwit.Option{godwit.WithRuntime(s.runtime[t]), godwit.WithThreads(t)}
		tiers, err := warmCall(ctx, s.patience(), f, args, opts...)
		if err != nil {
			return err
		}
		call := func() (time.Duration, error) {
			start := time.Now()
			res, err := f.Call(ctx, args, opts...)
			d := time.Since(start)
			res.Close() // as the reference gives its memory back, out of the time
			return d, err
		}
		if err := s.compare(ctx, op, f, args, opts); err != nil {
			return err
		}
		d, err := call()
		if err != nil {
			return err
		}
		times := runs(d)
		c := measure.Contest{Name: fmt.Sprintf("%s, %.0e, %s", op.name, float64(n), count(t)), Against: s.name, Unit: "ms", Pairs: s.pairs(),
			Ours: repeated(times, nil, call), Reference: func(context.Context) (time.Duration, []float64, error) {
				d, err := s.seconds(times)
				return d, nil, err
			}}
		if d > turn {
			c.Pairs = min(c.Pairs, 5)
		}
		row, err := c.Row(ctx)
		if err != nil {
			return err
		}
		s.report.Rows = append(s.report.Rows, row)
		s.progress(fmt.Sprintf("%s: %.3g ms, %.3g ms, %.2f", row.Name, float64(row.Ours), float64(row.Reference), float64(row.Ratio)))
		if strings.Contains(tiers, "on wasm") {
			s.report.Notes = append(s.report.Notes, row.Name+": "+tiers)
		}
	}
	return nil
}

// program compiles an operation, and has the reference use its own form from now on.
func (s *shelf) program(op operation) (*godwit.Func, godwit.Args, error) {
	p, err := godwit.Compile(op.source)
	if err != nil {
		return nil, nil, err
	}
	f, err := p.Func("")
	if err != nil {
		return nil, nil, err
	}
	args := godwit.Args{}
	for _, name := range f.Params() {
		if v, ok := s.args[name]; ok { // no size
			args[name] = v
		}
	}
	_, err = s.command("use " + op.numpy)
	return f, args, err
}

// seconds is the least time of so many runs of what is in use.
func (s *shelf) seconds(times int) (time.Duration, error) {
	text, err := s.command(fmt.Sprint("time ", times))
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(text, 64)
	return time.Duration(x * 1e9), err
}

// command gives what follows "ok".
func (s *shelf) command(line string) (string, error) {
	text, err := s.ask(line)
	if err != nil {
		return "", err
	}
	rest, ok := strings.CutPrefix(text, "ok ")
	if !ok {
		return "", fmt.Errorf("%s: %s", line, text)
	}
	return rest, nil
}

// compare holds our result to NumPy's, element by element.
func (s *shelf) compare(ctx context.Context, op operation, f *godwit.Func, args godwit.Args, opts []godwit.Option) error {
	res, err := f.Call(ctx, args, opts...)
	if err != nil {
		return err
	}
	ours, path := res.Value().Columns[0], filepath.Join(s.dir, "value")
	if _, err := s.command(fmt.Sprintf("save %s %s", dtype(ours.Kind), path)); err != nil {
		return err
	}
	theirs, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(theirs) != len(ours.Data) {
		return fmt.Errorf("the result has %d bytes, NumPy's %d", len(ours.Data), len(theirs))
	}
	if ours.Kind != num.F64 {
		if !slices.Equal(ours.Data, theirs) {
			return fmt.Errorf("the result differs from NumPy's")
		}
		return nil
	}
	a, b := view[float64](ours.Data), view[float64](theirs)
	greatest := 0.0
	for _, x := range b {
		greatest = max(greatest, math.Abs(x))
	}
	for i, x := range a {
		if !(math.Abs(x-b[i]) <= op.rel*greatest) {
			return fmt.Errorf("element %d is %v, NumPy's is %v", i, x, b[i])
		}
	}
	return nil
}

// dtype is NumPy's name of a kind: f8, i8, u4.
func dtype(k num.Kind) string {
	switch {
	case k == num.Bool:
		return "?"
	case k.IsFloat():
		return fmt.Sprint("f", k.Size())
	case k.IsSigned():
		return fmt.Sprint("i", k.Size())
	}
	return fmt.Sprint("u", k.Size())
}

// fill makes the arrays of a size, and has the reference read them. Both sides ask the system for huge pages, NumPy for
// arrays of its own and Godwit for slices of its Make.
func (s *shelf) fill(rows, columns int) error {
	n := rows * columns
	r := generate.NewRandom(1)
	floats := func(n int, f func(float64) float64) []float64 {
		x := godwit.Make[float64](n)
		for i := range x {
			x[i] = f(r.Float())
		}
		return x
	}
	integers := func(lo, hi float64) []int64 {
		x := godwit.Make[int64](n)
		for i := range x {
			x[i] = int64(math.Floor(lo + (hi-lo)*r.Float()))
		}
		return x
	}
	both := func(u float64) float64 { return 2*u - 1 }
	x, sorted := floats(n, both), godwit.Make[float64](n)
	copy(sorted, x)
	slices.Sort(sorted)
	m := floats(n, both)
	// A processor learns the branches of a search for 1,000 numbers that is made again and again.
	s.args = godwit.Args{
		"x": x, "y": floats(n, both), "p": floats(n, func(u float64) float64 { return 2 - 2*u }), "s": sorted, "q": floats(max(n/10, 10_000), both),
		"i": integers(-1000, 1001), "h": integers(0, 1000), "k": integers(0, float64(n)),
		"r": floats(rows, both), "c": floats(columns, both),
	}
	for name, v := range s.args {
		if err := s.let(name, v); err != nil {
			return err
		}
	}
	if err := s.let("m", m, rows, columns); err != nil {
		return err
	}
	column := data.Column{Kind: num.F64, Stored: "f64", Dims: []int64{int64(columns)}}
	s.args["m"] = data.FromBytes("m", []data.Column{column}, int64(rows), [][]byte{bytesOf(m)}, nil)
	return nil
}

// let gives the reference an array.
func (s *shelf) let(name string, v any, shape ...int) error {
	path := filepath.Join(s.dir, "array")
	b, dtype := []byte(nil), "f8"
	switch v := v.(type) {
	case []float64:
		b = bytesOf(v)
	case []int64:
		b, dtype = bytesOf(v), "i8"
	default:
		return fmt.Errorf("expected f64 or i64, found %T", v)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return err
	}
	if len(shape) == 0 {
		shape = []int{len(b) / 8}
	}
	_, err := s.command(fmt.Sprintf("let %s %s %s %s", name, dtype, path, strings.Trim(fmt.Sprint(shape), "[]")))
	return err
}

func bytesOf[T float64 | int64](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*len(x))
}

// means says how all operations together compare, for each number of threads.
func (s *shelf) means() {
	for _, t := range s.numbers() {
		sum, n, least := 0.0, 0, measure.Row{Ratio: measure.Number(math.Inf(1))}
		for _, r := range s.report.Rows {
			if !strings.HasSuffix(r.Name, ", "+count(t)) {
				continue
			}
			sum, n = sum+math.Log(float64(r.Ratio)), n+1
			if r.Ratio < least.Ratio {
				least = r
			}
		}
		if n > 0 {
			s.report.Notes = append(s.report.Notes, fmt.Sprintf("With %s against one of NumPy's: geometric mean %.2f of %d ratios, the least %.2f (%s).",
				count(t), math.Exp(sum/float64(n)), n, float64(least.Ratio), least.Name))
		}
	}
}
