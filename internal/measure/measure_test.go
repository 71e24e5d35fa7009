package measure

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/measure/forecast"
)

// program builds the binary, of which some benchmarks start processes.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "godwit")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/godwit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// some says which rows of a benchmark the tests run, where it can do some of them: those that go every way there is.
var some = map[string]string{
	"predict":   "^(dot|collatz|lookup)$",
	"crossings": "^(sum, beside nodes|WebAssembly or native code)$",
	"stream":    "1 thread$",
}

// TestQuick runs every benchmark. Nothing is said about how fast anything
// is; results are compared with the reference's on the way. No rows are measured but those that are asked for.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it takes several seconds")
	}
	path := program(t)
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // no time counts here
			dir := t.TempDir()
			only := regexp.MustCompile(some[name])
			r, err := Run(t.Context(), name, Options{Quick: true, Pairs: 2, Only: some[name], Dir: dir, Program: path})
			if err != nil {
				t.Fatal(err)
			}
			if r.Bench != name || len(r.Rows) == 0 && r.Forecasts == nil && len(r.Crossings) == 0 {
				t.Errorf("%+v", r)
			}
			for _, x := range r.Crossings {
				if !only.MatchString(x.Program) || x.Table <= 0 || len(x.Points) == 0 || x.Below == x.Above || x.Measured > 0 && x.Factor < 1 {
					t.Errorf("%+v", x)
				}
			}
			for _, row := range r.Rows {
				measured := row.ReferenceName != "" && row.ReferenceName != publishedName
				if !only.MatchString(row.Name) || !row.Ours.Known() || row.Ours <= 0 || row.N < 2 || row.Ratio.Known() != measured {
					t.Errorf("%+v", row)
				}
			}
			if f := r.Forecasts; f != nil && !slices.ContainsFunc(f.Calls, func(c *forecast.Call) bool { return c.Near != nil && c.Near.Kind == "warm" && c.Cold.Kind == "cold" }) {
				t.Error("no call was foreseen by what runs of half its size had taken")
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s was left behind", left[0].Name())
			}
		})
	}
}

func TestUnknownName(t *testing.T) {
	if _, err := Run(t.Context(), "nothing", Options{}); err == nil {
		t.Error("a benchmark that does not exist was run")
	}
}
