package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
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
}{{"matmul f32", num.F32, false, 2e-7}, {"matmul f32, fused", num.F32, true, 2e-7}, {"matmul f64, fused", num.F64, true, 4e-16}}

// products compares products of two square matrices with NumPy's, on one core.
func (b *bench) products(ctx context.Context, sizes []int64, limit func(int) (measure.Number, error)) error {
	for _, m := range matmuls {
		for _, n := range sizes {
			t := task{name: fmt.Sprintf("%s %d", m.name, n), source: matmulOf(m.kind, m.fused), abs: m.abs * float64(n)}
			if m.kind == num.F32 {
				t.limit = limit // which is that of f32
			}
			if err := b.product(ctx, t, m.kind, n); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	return nil
}

func (b *bench) product(ctx context.Context, t task, kind num.Kind, n int64) error {
	defer b.release(b.mark())
	x, err := b.random(kind, 5, n, n)
	if err != nil {
		return err
	}
	y, err := b.random(kind, 6, n, n)
	if err != nil {
		return err
	}
	p, err := b.prepare(ctx, t.source, x, y)
	if err != nil {
		return err
	}
	c := measure.Contest{Name: t.name + ", 1 thread", Unit: "GFLOP/s", Bytes: 2 * n * n * n, Pairs: b.pairs()}
	pool := engine.NewPool(1)
	defer pool.Close()
	repeat, err := b.ours(ctx, &c, p, pool)
	if err != nil {
		return err
	}
	py, err := startNumPy(ctx, b.dir, kind, n, x, y)
	switch {
	case errors.Is(err, errNoNumPy):
		b.note("%s.", err)
	case err != nil:
		return err
	default:
		defer py.close()
		theirs, err := py.saved(kind)
		if err != nil {
			return err
		}
		if c.Tolerance, err = t.differ(p.result()[0], theirs); err != nil {
			return fmt.Errorf("ours and %s differ: %w", py.name, err)
		}
		c.Against, c.Reference = py.name, repeated(repeat, []vector{theirs}, py.time)
	}
	return b.enter(ctx, c, t, 1)
}

// numPy is a Python process that multiplies two matrices whenever it is asked.
type numPy struct {
	*python
	output string
}

func startNumPy(ctx context.Context, dir string, kind num.Kind, n int64, x, y operand) (*numPy, error) {
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	p := &numPy{output: filepath.Join(dir, "c")}
	for path, content := range map[string][]byte{a: x.data, b: y.data} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	var err error
	p.python, err = startPython(ctx, dir, "matmul.py", matmulScript, kind.String(), fmt.Sprint(n), a, b, p.output)
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
	return vector{kind, b}, err
}
