package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

//go:embed peer/matmul.py
var matmulScript []byte

// matmuls are the forms of a product, with the greatest error for each turn of
// a fold. NumPy's are fused in any case.
var matmuls = []struct {
	name  string
	kind  num.Kind
	fused bool
	abs   float64
}{
	{"matmul f32", num.F32, false, 2e-7}, {"matmul f32, fused", num.F32, true, 2e-7},
	{"matmul f64", num.F64, false, 4e-16}, {"matmul f64, fused", num.F64, true, 4e-16},
}

// products compares products of two square matrices with NumPy's.
func (b *bench) products(ctx context.Context, sizes []int64) error {
	for _, m := range matmuls {
		for _, n := range sizes {
			p := &squareProduct{kind: m.kind, n: n, task: task{name: fmt.Sprintf("%s %d", m.name, n), source: matmulOf(m.kind, m.fused), abs: m.abs * float64(n), limit: b.peakOf(m.kind, m.fused)}}
			if !b.wants(p.name) {
				continue
			}
			if err := b.product(ctx, p); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return nil
}

// peakOf is what multiplications and additions reach, in one instruction or apart.
func (b *bench) peakOf(kind num.Kind, fused bool) func(int) (measure.Number, error) {
	op := "peak apart"
	if fused {
		op = "peak fused"
	}
	limit := func(threads int) (measure.Number, error) { return b.peak(op, threads) }
	if kind == num.F64 {
		return f64Peak(limit)
	}
	return limit
}

// squareProduct is that of two square matrices with n rows.
type squareProduct struct {
	task
	kind num.Kind
	n    int64
	x, y operand
	ours *prepared
}

func (b *bench) product(ctx context.Context, p *squareProduct) (err error) {
	defer b.release(b.mark())
	if p.x, err = b.random(p.kind, 5, p.n, p.n); err != nil {
		return err
	}
	if p.y, err = b.random(p.kind, 6, p.n, p.n); err != nil {
		return err
	}
	if p.ours, err = b.prepare(ctx, p.source, p.x, p.y); err != nil {
		return err
	}
	for _, threads := range b.numbers() {
		if err := b.productRow(ctx, p, threads); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) productRow(ctx context.Context, p *squareProduct, threads int) error {
	c := measure.Contest{Name: p.name + ", " + count(threads), Unit: "GFLOP/s", Bytes: 2 * p.n * p.n * p.n, Pairs: b.pairs()}
	c.Before = rest
	pool := engine.NewPool(threads)
	pool.KeepAwake(time.Duration(machine.Here().Wake)) // as between the launches of a call
	defer pool.Close()
	repeat, err := b.ours(ctx, &c, p.ours, pool)
	if err != nil {
		return err
	}
	py, theirs, err := b.rightNumPy(ctx, &c, p, threads)
	switch {
	case errors.Is(err, errNoNumPy):
		b.note("%s.", err)
	case err != nil:
		return err
	default:
		defer py.close()
		c.Against, c.Reference = py.name, repeated(repeat, []vector{theirs}, py.time)
	}
	return b.enter(ctx, c, p.task, threads)
}

// rightNumPy is the fastest NumPy whose product is right: without what slows OpenBLAS if that will do, or else with it.
func (b *bench) rightNumPy(ctx context.Context, c *measure.Contest, p *squareProduct, threads int) (py *numPy, theirs vector, err error) {
	for _, given := range []bool{false, true} {
		if py, err = startNumPy(ctx, numPyEnv(threads, given), b.dir, p.kind, p.n, p.x, p.y); errors.Is(err, errNoNumPy) {
			return nil, theirs, err
		}
		if err == nil {
			if theirs, err = py.saved(p.kind); err == nil {
				if c.Tolerance, err = p.differ(p.ours.result()[0], theirs); err == nil {
					return py, theirs, nil
				}
			}
			py.close()
		}
		if !given {
			b.note("%s: NumPy without %s: %v. It runs with the environment as given.", c.Name, strings.Join(slowing, " and "), err)
		}
	}
	return nil, theirs, fmt.Errorf("ours and NumPy's: %w", err)
}

// numPy is a Python process that multiplies two matrices whenever it is asked.
type numPy struct {
	*python
	output string
}

func startNumPy(ctx context.Context, env []string, dir string, kind num.Kind, n int64, x, y operand) (*numPy, error) {
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	p := &numPy{output: filepath.Join(dir, "c")}
	for path, content := range map[string][]byte{a: x.data, b: y.data} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	var err error
	p.python, err = startPython(ctx, "numpy", env, dir, "matmul.py", matmulScript, kind.String(), fmt.Sprint(n), a, b, p.output)
	return p, err
}

// time is that of one product.
func (p *numPy) time() (time.Duration, error) {
	s, err := p.ask("run")
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("expected seconds from NumPy, found %q", s)
	}
	return time.Duration(seconds * 1e9), nil
}

// saved is the product.
func (p *numPy) saved(kind num.Kind) (vector, error) {
	if _, err := p.ask("save"); err != nil {
		return vector{}, err
	}
	b, err := os.ReadFile(p.output)
	return vector{kind: kind, data: b}, err
}
