package godwit_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit"
)

// A file is not replaced by the result of a call that reads it, under whatever name.
func TestOutputIsNoInput(t *testing.T) {
	f := fn(t, "fn f(v: &[f64; N]) -> [f64; N] { v.map(|e| e + 1.0) }")
	dir := t.TempDir()
	in, link := filepath.Join(dir, "v.csv"), filepath.Join(dir, "w.csv")
	const text = "v\n1\n2\n"
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in, link); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{in, link} {
		_, err := f.Call(t.Context(), godwit.Args{"v": godwit.File(in)}, godwit.WithFile(out))
		var input *godwit.InputError
		if !errors.As(err, &input) || input.Help == "" {
			t.Errorf("%s: %v", filepath.Base(out), err)
		}
	}
	if is, err := os.ReadFile(in); err != nil || string(is) != text {
		t.Errorf("the file is now %q, %v", is, err)
	}
	if _, err := f.Call(t.Context(), godwit.Args{"v": godwit.File(in)}, godwit.WithFile(filepath.Join(dir, "new.csv"))); err != nil {
		t.Error(err)
	}
}
