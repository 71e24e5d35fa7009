package godwit_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
)

// Rows of Parquet and Arrow whose column has the type of nulls are added to sets that have any Option there, as those of JSON lines and CSV are, and
// to others with Widen.
func TestAppendValueless(t *testing.T) {
	c := started(t, 2)
	for _, ext := range []string{".parquet", ".arrow"} {
		void := filepath.Join(t.TempDir(), "void"+ext)
		src, err := data.Open(csvOf(t, "v,k\n,3\n,4\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := data.Rewrite(t.Context(), src, data.Target{Path: void}, nil, nil); err != nil {
			t.Fatal(err)
		}
		_ = src.Close()
		for value, want := range map[string]string{"x": `Str`, "2024-03-05": "Date", "7": "i64", "1.5": "f64", "true": "bool"} {
			for _, first := range []string{value + ",1\n,2\n", value + ",1\n" + value + ",2\n"} {
				if _, err := c.Load(t.Context(), csvOf(t, "v,k\n"+first)+"?na=NA", "s", godwit.LoadOptions{Replace: true}); err != nil {
					t.Fatal(err)
				}
				full := !strings.Contains(first, "\n,")
				_, err := c.Load(t.Context(), void, "s", godwit.LoadOptions{Append: true})
				if (err != nil) != full {
					t.Errorf("%s, %q: %v", ext, first, err)
				}
				if full {
					if _, err := c.Load(t.Context(), void, "s", godwit.LoadOptions{Append: true, Widen: true}); err != nil {
						t.Errorf("%s, %q: %v", ext, first, err)
					}
				}
				if got := typesOf(t, c, "s"); got != "v: Option<"+want+">, k: i64" {
					t.Errorf("%s, %q: %s", ext, first, got)
				}
				f := fn(t, "record R { v: Option<"+want+">, k: i64 }\nfn f(r: &[R; N]) -> (i64, i64) { (r.count(|e| e.v.is_some()), r.map(|e| e.k).sum()) }")
				r, err := f.Call(t.Context(), godwit.Args{"r": godwit.DataSet("s")}, godwit.WithCluster(c))
				if some := "[1,10]"; err != nil || string(r.JSON()) != map[bool]string{true: "[2,10]", false: some}[full] {
					t.Errorf("%s, %q: %v, %v", ext, first, r, err)
				}
			}
		}
		// A set that begins with such rows takes any.
		for value, want := range map[string]string{"x": `Str`, "2024-03-05": "Date", "1.5": "f64"} {
			if _, err := c.Load(t.Context(), void, "s", godwit.LoadOptions{Replace: true}); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{void, csvOf(t, "v,k\n"+value+",9\n")} {
				if _, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Append: true}); err != nil {
					t.Errorf("%s, %s: %v", ext, value, err)
				}
			}
			if got := typesOf(t, c, "s"); got != "v: Option<"+want+">, k: i64" {
				t.Errorf("%s: %s: %s", ext, value, got)
			}
		}
	}
}
