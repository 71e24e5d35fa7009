package godwit_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
)

// A file that is written to during a run, were it only one byte by itself, ends the run with an
// error that names it; one that is replaced or removed keeps its bytes for the run.
func TestFileChangedDuringARun(t *testing.T) {
	const n = 200_000
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(i % 10)
	}
	of := func(res *godwit.Result, err error) (float64, error) {
		if err != nil {
			return 0, err
		}
		return godwit.As[float64](res)
	}
	sum := fn(t, `fn sum(v: &[f64; N]) -> f64 { v.sum() }`)
	ids := fn(t, `fn id(v: &[f64; N]) -> [f64; N] { v.map(|e| e) }`)
	res, err := ids.Call(t.Context(), godwit.Args{"v": xs})
	if err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".npy", ".csv", ".arrow", ".parquet"} {
		for what, c := range map[string]struct {
			do   func(path string) error
			fail bool
		}{
			"written":   {rewrite, true},
			"renamed":   {func(path string) error { return replaced(path) }, false},
			"removed":   {os.Remove, false},
			"untouched": {func(string) error { return nil }, false},
		} {
			t.Run(what+ext, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "x"+ext)
				if err := res.WriteFile(path); err != nil {
					t.Fatal(err)
				}
				past := time.Now().Add(-time.Hour) // clocks of files are coarse
				if err := os.Chtimes(path, past, past); err != nil {
					t.Fatal(err)
				}
				done := false
				got, err := of(sum.Call(t.Context(), godwit.Args{"v": godwit.File(path)}, godwit.WithProgress(func(int64, int64) {
					if !done {
						done = true
						if err := c.do(path); err != nil {
							t.Error(err)
						}
					}
				})))
				var changed *data.ChangedError
				switch {
				case !done:
					t.Error("no progress was told")
				case c.fail && (!errors.As(err, &changed) || changed.Path != path):
					t.Errorf("%v, %v", got, err)
				case !c.fail && (err != nil || got != 4.5*n):
					t.Errorf("%v, %v", got, err)
				}
			})
		}
	}
}

// rewrite writes the first byte of a file by itself.
func rewrite(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, 0); err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	return err
}

// replaced puts another file in the place of one.
func replaced(path string) error {
	if err := os.WriteFile(path+".new", []byte("other"), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
