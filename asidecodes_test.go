package godwit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
)

// TestCodesAside: calls over text whose codes lie in a file have the same results as others, and leave no file open, whatever the garbage collector does.
func TestCodesAside(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var b strings.Builder
	b.WriteString("k,t,v\n")
	for i := range 20_000 {
		fmt.Fprintf(&b, "k%d,%s,%d\n", i%300, []string{"", "x", "y"}[i%3], i)
	}
	path := t.TempDir() + "/x.csv"
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	rt := godwit.NewRuntime()
	defer rt.Close()
	f := fn(t, "record R { k: Str, t: Option<Str>, v: i64 }\nfn f(r: &[R; N]) -> [(Str, i64, i64)] { r.group_by(|e| e.k).agg(|g| (g.key(), g.sum(|e| e.v), g.count(|e| e.t.is_some()))) }")
	call := func(most int64) string {
		t.Helper()
		got, err := f.Call(data.WithCodes(t.Context(), most), godwit.Args{"r": godwit.File(path)}, godwit.WithRuntime(rt))
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		return string(got.JSON())
	}
	want := call(1 << 30)
	call(0)
	files := openFiles(t)
	for range 50 {
		if got := call(0); got != want {
			t.Fatal("other results than with codes in memory")
		}
	}
	if n := openFiles(t); n > files+2 {
		t.Errorf("%d files are open after 50 calls, %d before", n, files)
	}
}
