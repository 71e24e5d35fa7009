package godwit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestNumbers: a run whose steps have one thread each says that it did what the plan of its number does, the one that was chosen: with one thread, or
// with all where these share the decoding of its arguments.
func TestNumbers(t *testing.T) {
	const inOrder, backwards = "v.fold(0.0, |a, e| (a + e).sin())", "let mut a = 0.0; for k in 0..N { a = (a + v[N - 1 - k]).sin(); } a"
	dir := t.TempDir()
	for i := range 3 {
		text := "v\n" + strings.Repeat("1.5\n", 30_000)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("v%d.csv", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		body  string
		files []string
		want  int
	}{
		{inOrder, []string{"v0.csv"}, 1},
		{inOrder, []string{"v0.csv", "v1.csv", "v2.csv"}, 2},
		{backwards, []string{"v0.csv"}, 0}, // all threads may bring it to where it is walked over
		{backwards, []string{"v0.csv", "v1.csv", "v2.csv"}, 2},
	} {
		f := fn(t, "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000> { "+c.body+" }")
		rt := godwit.NewRuntime()
		var paths []string
		for _, name := range c.files {
			paths = append(paths, filepath.Join(dir, name))
		}
		args, opts := godwit.Args{"v": godwit.Files(paths)}, []godwit.Option{godwit.WithThreads(2), godwit.WithEngine("wasm"), godwit.WithRuntime(rt)}
		said, err := f.Predict(t.Context(), args, opts...)
		if err != nil {
			t.Fatal(err)
		}
		res, err := f.Call(t.Context(), args, append(opts, godwit.WithPrediction(""))...)
		if err != nil {
			t.Fatal(err)
		}
		if st := res.Stats(); c.want > 0 && said.Plan.Number != c.want || st.Plan.Number != said.Plan.Number || st.Plan.Unnumbered != "" {
			t.Errorf("%s: plan %d is chosen, and %d carried out (%q); expected %d\n%+v", c.files, said.Plan.Number, st.Plan.Number, st.Plan.Unnumbered, c.want, st.Plan.Steps)
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
