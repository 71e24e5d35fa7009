package godwit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

// fileMachine is a description of a machine on which a byte of a file takes so many times as long as usual.
func fileMachine(t *testing.T, times float64) string {
	t.Helper()
	text, err := machine.Default().Text()
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, mem := range m.Memory {
		for i := range mem.File {
			mem.File[i].Time = mem.File[i].Time.Times(times)
		}
	}
	if text, err = m.Text(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "machine.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestComputedAgainForAFile: a map that several walk over is not held for a result that goes to a file, if it takes less to compute
// it again than to write it and read it; the file is that of the values that were held.
func TestComputedAgainForAFile(t *testing.T) {
	in := make([]float64, 300_000)
	for i := range in {
		in[i] = float64(i%1000)/100 - 5
	}
	slow, quick := fileMachine(t, 1000), fileMachine(t, 0.001)
	for name, text := range map[string]string{
		"softmax": "fn f(v: &[f64; N]) -> [f64; N] { v.softmax() }",
		"two": `fn f(v: &[f64; N]) -> [f64; N] {
    let e = v.map(|x| x.exp() + x.sin());
    let d = e.map(|y| (y * y + 1.0).sqrt().ln());
    let s = e.sum() + d.sum();
    e.zip(d).map(|(a, b)| a / s - b)
}`,
	} {
		f, dir := mustFunc(t, text), t.TempDir()
		whole, at := filepath.Join(dir, "whole.npy"), filepath.Join(dir, "parts.npy")
		res, err := f.Call(context.Background(), Args{"v": in})
		if err == nil {
			err = res.WriteFile(whole)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, threads := range []int{1, 2} {
			for file, held := range map[string]bool{slow: false, quick: true} {
				res, err := f.Call(context.Background(), Args{"v": in}, WithFile(at), WithThreads(threads), WithPrediction(file), withSpool(1))
				if err != nil {
					t.Fatalf("%s, %d threads: %v", name, threads, err)
				}
				if contents(t, at) != contents(t, whole) {
					t.Errorf("%s, %d threads, held %v: the file is another than that of values in memory", name, threads, held)
				}
				maps := 0
				for _, s := range res.Stats().Plan.Steps {
					if strings.HasPrefix(s.Label, "map ") {
						maps++
					}
				}
				if held != (maps > 1) {
					t.Errorf("%s, %d threads: %d maps are stored, held should be %v", name, threads, maps, held)
				}
			}
		}
	}
}
