package run_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// A block that is not what was stored is found in the first pass, whichever way windows come
// and wherever it lies; without damage every way gives the same sum, which is exact.
func TestEveryWayComparesBlocks(t *testing.T) {
	const n = 5_000_017 // 40 MB: stretches, and windows that end within blocks
	s, _ := plan(t, "fn f(x: &[i64; N]) -> i64 { x.sum() }", map[string]int64{"N": n})
	values, sum := make([]int64, n), int64(0)
	for i := range values {
		values[i] = int64(i)*7919%100_003 - 50_000
		sum += values[i]
	}
	stored := storeChecked(t, values)
	t.Cleanup(func() { run.Prefer(-1) })
	for _, tier := range []engine.Options{{}, {Tier: engine.Native, Codegen: codegentest.Service(t, "")}} {
		e, err := engine.New(tier)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for way := range run.Ways {
			over := func(damage int64) (int64, error) {
				run.Prefer(way)
				if damage >= 0 {
					stored.flip(t, damage)
					defer stored.flip(t, damage)
				}
				src := stored.open(t)
				defer src.Close()
				in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(src, 0)}}}}
				res, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Threads: 2})
				if err != nil {
					return 0, err
				}
				return int64(res.Columns[0].At(0)), nil
			}
			if got, err := over(-1); err != nil || got != sum {
				t.Errorf("%s, way %d: %d, %v, expected %d", e.Tier(), way, got, err, sum)
			}
			for range 12 {
				at := data.Block + rand.Int64N(8*n-2*data.Block) // the first and the last block are looked at when the file is opened
				_, err := over(at)
				if bad := (*data.DamageError)(nil); !errors.As(err, &bad) || bad.Block != (stored.body+at)/data.Block {
					t.Errorf("%s, way %d: byte %d of the column is damaged: %v, expected block %d", e.Tier(), way, at, err, (stored.body+at)/data.Block)
				}
			}
		}
	}
}

// checkedColumn is a file with one column, and what its blocks must be.
type checkedColumn struct {
	path string
	sums data.Sums
	body int64 // where the column begins
}

func storeChecked(t *testing.T, values []int64) *checkedColumn {
	t.Helper()
	c := &checkedColumn{path: filepath.Join(t.TempDir(), "x.arrow")}
	f, err := os.Create(c.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sums := new(data.Summing)
	out := &data.Output{Rows: int64(len(values)), Columns: []data.OutColumn{{Name: "x", Kind: num.I64, Values: unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 8*len(values))}}}
	if err := data.WriteArrow(c.path, io.MultiWriter(f, sums), out); err != nil {
		t.Fatal(err)
	}
	c.sums = sums.Sums()
	src := c.open(t)
	defer src.Close()
	raw, _ := src.Raw(0)
	if c.body = raw.Offset; c.body%data.Block == 0 {
		t.Fatal("the column begins where a block does; then windows end where blocks do")
	}
	return c
}

// flip changes a bit of a byte of the column.
func (c *checkedColumn) flip(t *testing.T, at int64) {
	t.Helper()
	f, err := os.OpenFile(c.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err = f.ReadAt(b, c.body+at); err == nil {
		b[0] ^= 0x10
		_, err = f.WriteAt(b, c.body+at)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// open opens the file anew, with nothing compared.
func (c *checkedColumn) open(t *testing.T) data.Source {
	t.Helper()
	f, err := os.Open(c.path)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := data.NewChecked(c.path, f, c.sums, nil)
	if err != nil {
		t.Fatal(err)
	}
	src, err := data.OpenChecked(c.path, f, checked)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
