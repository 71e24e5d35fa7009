package godwit_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// A prediction is there when it is asked for, grows with the work, and is made of its steps.
func TestPrediction(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f := fn(t, "fn f(x: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { x.softmax() }")
	if _, err := f.Call(context.Background(), godwit.Args{"x": make([]float64, 10)}); err != nil { // compiles, which takes longer
		t.Fatal(err)
	}
	before := 0.0
	for _, n := range []int{10, 10_000, 1_000_000} {
		rt := godwit.NewRuntime() // which knows of no earlier run
		defer rt.Close()
		res, err := f.Call(context.Background(), godwit.Args{"x": make([]float64, n)}, godwit.WithPrediction(""), godwit.WithRuntime(rt))
		if err != nil {
			t.Fatal(err)
		}
		p := res.Stats().Predicted
		if p == nil || p.Kind != "cold" || p.Engine == "" || p.Most == "" || p.Measured != "" || !(p.P10 > 0 && p.P10 <= p.P50 && p.P50 <= p.P90) {
			t.Fatalf("%d: %+v", n, p)
		}
		steps := 0.0
		for _, s := range res.Stats().Plan.Steps {
			if s.Predicted == nil {
				t.Fatalf("%d: nothing was predicted of %s", n, s.Label)
			}
			steps += s.Predicted.P50
		}
		if steps <= 0 || steps > p.P50 {
			t.Errorf("%d: the steps take %v of %v", n, steps, p.P50)
		}
		if n > 10 && p.P50 <= before {
			t.Errorf("%d elements take %v, fewer took %v", n, p.P50, before)
		}
		before = p.P50
	}
	res, err := f.Call(context.Background(), godwit.Args{"x": []float64{1}})
	if err != nil || res.Stats().Predicted != nil || res.Stats().Plan.Steps[0].Predicted != nil {
		t.Errorf("%v: something was predicted that nobody asked for", err)
	}
}

// What a call would take is said without making it.
func TestPredict(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f := fn(t, "fn f(k: u64) -> u64 where k: Range<0, 1_000_000_000_000> { let mut s: u64 = 0; for _ in 0..k { s = (s ^ (s << 3)) +% 7; } s }")
	short, err := f.Predict(context.Background(), godwit.Args{"k": 1000})
	if err != nil {
		t.Fatal(err)
	}
	long, err := f.Predict(context.Background(), godwit.Args{"k": uint64(1e12)})
	if err != nil {
		t.Fatal(err)
	}
	if short.Predicted == nil || long.Predicted == nil || len(long.Plan.Steps) == 0 || long.Predicted.P50 < 100*short.Predicted.P50 {
		t.Errorf("%+v, %+v", short.Predicted, long.Predicted)
	}
	sums := fn(t, "fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { x.map(|v| v.exp()).sum() }")
	if s, err := sums.Predict(context.Background(), godwit.Args{"x": make([]float64, 10)}); err != nil || s.Plan.By == nil || s.Plan.By.Name != "N" || len(s.Plan.By.Rows) < 2 || s.Plan.By.Rows[0].From != 1 {
		t.Errorf("%+v, %v: expected a table by N", s, err)
	}
	var input *godwit.InputError
	if _, err := f.Predict(context.Background(), nil); !errors.As(err, &input) {
		t.Errorf("without arguments: %v", err)
	}
	if _, err := (&godwit.Func{}).Predict(context.Background(), nil); !errors.As(err, &input) {
		t.Errorf("an empty Func: %v", err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Predict(over, godwit.Args{"k": 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
}

// What a kernel took before is expected again, here and by another process, until it is forgotten.
func TestWarmPrediction(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	objects := filepath.Join(t.TempDir(), "native")
	f := fn(t, "fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { x.map(|v| v.exp().sin().exp()).sum() }")
	args := godwit.Args{"x": make([]float64, 200_000)}
	kind := func(rt *godwit.Runtime) *godwit.Prediction {
		t.Helper()
		s, err := f.Predict(context.Background(), args, godwit.WithRuntime(rt), godwit.WithEngine("wasm"))
		if err != nil {
			t.Fatal(err)
		}
		return s.Predicted
	}
	rt := godwit.NewRuntime(godwit.WithCompiler(objects, "no such program"))
	cold := kind(rt)
	for range 12 { // by the eleventh call both ways had two turns, where the time of both is open
		if _, err := f.Call(context.Background(), args, godwit.WithRuntime(rt), godwit.WithEngine("wasm")); err != nil {
			t.Fatal(err)
		}
	}
	warm := kind(rt)
	if cold.Kind != "cold" || warm.Kind != "warm" || warm.P90/warm.P10 >= cold.P90/cold.P10 {
		t.Errorf("before %+v, after %+v", cold, warm)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	other := godwit.NewRuntime(godwit.WithCompiler(objects, "no such program"))
	defer other.Close()
	if p := kind(other); p.Kind != "warm" {
		t.Errorf("another process expects %+v", p)
	}
	other.Forget()
	if p := kind(other); p.Kind != "cold" {
		t.Errorf("what was forgotten makes %+v", p)
	}
}

// Files that have to be decoded are predicted by what that takes, and after a call by what it took.
func TestDecodedPrediction(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	made, err := fn(t, "fn f(n: i64) -> [i64; 200000] { (0..200000).map(|i| i as i64 *% n % 1000) }").Call(context.Background(), godwit.Args{"n": 7})
	if err != nil {
		t.Fatal(err)
	}
	f := fn(t, "fn f(x: &[i64; N]) -> i64 where N: Range<1, 1_000_000_000> { x.sum() }")
	for _, name := range []string{"x.parquet", "x.csv"} {
		path := filepath.Join(t.TempDir(), name)
		if err := made.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		rt := godwit.NewRuntime(godwit.WithCompiler(filepath.Join(t.TempDir(), "native"), "no such program"))
		defer rt.Close()
		args := godwit.Args{"x": godwit.File(path)}
		var last *godwit.Stats
		for i := range 4 {
			res, err := f.Call(context.Background(), args, godwit.WithRuntime(rt), godwit.WithPrediction(""))
			if err != nil {
				t.Fatal(err)
			}
			s := res.Stats()
			if last = &s; s.Predicted == nil || s.Predicted.Most != "decoding files" || i == 0 && s.Predicted.Kind != "cold" {
				t.Fatalf("%s: %+v", name, s.Predicted)
			}
		}
		if last.Predicted.Kind != "warm" {
			t.Errorf("%s: after three calls %+v", name, last.Predicted)
		}
	}
}

// What is not known is not predicted; a file that is no description is an error that names it.
func TestNoPrediction(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(csv, []byte("a\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := fn(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }")
	res, err := f.Call(context.Background(), godwit.Args{"x": &awkward{rows: 3000, kind: godwit.F64, fill: all(0)}}, godwit.WithPrediction(""))
	if err != nil || res.Stats().Predicted != nil {
		t.Errorf("%v: nobody has measured how long a source of the caller's own takes", err)
	}
	for _, file := range []string{csv, filepath.Join(dir, "none.toml")} {
		_, err := f.Call(context.Background(), godwit.Args{"x": []float64{1}}, godwit.WithPrediction(file))
		var input *godwit.InputError
		if !errors.As(err, &input) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := f.Call(context.Background(), godwit.Args{"x": []float64{1}}, godwit.WithPrediction(csv)); err == nil || !errors.As(err, new(*godwit.InputError)) {
		t.Errorf("%v", err)
	}
}

// A description of a machine that cannot be read is an error whatever the call goes through.
func TestNoMachine(t *testing.T) {
	f := fn(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }")
	bad := filepath.Join(t.TempDir(), "machine.toml")
	if err := os.WriteFile(bad, []byte("processors = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]godwit.Option{"alone": godwit.WithThreads(1), "interpreted": godwit.WithEngine("interp"), "in a cluster": godwit.WithCluster(started(t, 1))} {
		for _, file := range []string{bad, filepath.Join(t.TempDir(), "none.toml")} {
			_, err := f.Call(context.Background(), godwit.Args{"x": []float64{1}}, opt, godwit.WithPrediction(file))
			var input *godwit.InputError
			if !errors.As(err, &input) {
				t.Errorf("%s, %s: %v", name, filepath.Base(file), err)
			}
		}
	}
}

// TestDescribedNotRemembered: what calls take that are decided by another machine's description says nothing of ordinary ones, and what these take nothing of
// another machine. A copy of the description of this one is this one.
func TestDescribedNotRemembered(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	own, other := filepath.Join(dir, "own.toml"), filepath.Join(dir, "other.toml")
	m := *machine.Here()
	if err := m.Save(own); err != nil {
		t.Fatal(err)
	}
	m.Wake *= 2
	if err := m.Save(other); err != nil {
		t.Fatal(err)
	}
	f := fn(t, "fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { x.map(|v| v.exp().sin()).sum() }")
	rt := godwit.NewRuntime()
	defer rt.Close()
	args := godwit.Args{"x": make([]float64, 300_000)}
	call := func(file string) {
		t.Helper()
		for range 4 {
			if _, err := f.Call(context.Background(), args, godwit.WithRuntime(rt), godwit.WithPrediction(file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	kind := func(file string) string {
		t.Helper()
		s, err := f.Predict(context.Background(), args, godwit.WithRuntime(rt), godwit.WithPrediction(file))
		if err != nil {
			t.Fatal(err)
		}
		return s.Predicted.Kind
	}
	call(other)
	if got := kind(""); got != "cold" {
		t.Errorf("after calls by another description this machine's prediction is %s", got)
	}
	call("")
	if got := kind(""); got != "warm" {
		t.Errorf("after four calls the prediction is %s", got)
	}
	if got := kind(other); got != "cold" {
		t.Errorf("after calls here the prediction of another machine is %s", got)
	}
	if got := kind(own); got != "warm" {
		t.Errorf("by a copy of this machine's description it is %s", got)
	}
}
