package measure

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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

// TestQuick runs every benchmark. Nothing is said about how fast anything
// is; results are compared with the reference's on the way.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it takes several seconds")
	}
	path := program(t)
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // no time counts here
			dir := t.TempDir()
			only := map[string]string{"predict": "^(dot|collatz|lookup)$"}[name]
			r, err := Run(t.Context(), name, Options{Quick: true, Pairs: 2, Only: only, Dir: dir, Program: path})
			if err != nil {
				t.Fatal(err)
			}
			if r.Bench != name || len(r.Rows) == 0 && r.Forecasts == nil && len(r.Crossings) == 0 {
				t.Errorf("%+v", r)
			}
			for _, x := range r.Crossings {
				if x.Table <= 0 || len(x.Points) == 0 || x.Below == x.Above || x.Measured > 0 && x.Factor < 1 {
					t.Errorf("%+v", x)
				}
			}
			for _, row := range r.Rows {
				measured := row.ReferenceName != "" && row.ReferenceName != publishedName
				if !row.Ours.Known() || row.Ours <= 0 || row.N < 2 || row.Ratio.Known() != measured {
					t.Errorf("%+v", row)
				}
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s was left behind", left[0].Name())
			}
		})
	}
}

// TestOnly: of a stream benchmark no rows are measured but those that are asked for.
func TestOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it takes several seconds")
	}
	r, err := Run(t.Context(), "stream", Options{Quick: true, Pairs: 2, Only: "^(axpy|softmax) f32, memory, 1 thread", Dir: t.TempDir(), Program: program(t)})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2 || r.Rows[0].Name != "axpy f32, memory, 1 thread" || r.Rows[1].Name != "softmax f32, memory, 1 thread" {
		t.Errorf("rows %+v", r.Rows)
	}
}

func TestUnknownName(t *testing.T) {
	if _, err := Run(t.Context(), "nothing", Options{}); err == nil {
		t.Error("a benchmark that does not exist was run")
	}
}
