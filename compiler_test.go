package godwit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// compilerChild marks the process that LLVM runs in, which is this binary once more.
const compilerChild = "GODWIT_TEST_COMPILER_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(compilerChild) != "" {
		if err := godwit.ServeCompiler(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestWithCompiler(t *testing.T) {
	if _, err := llvm.Load(); err != nil {
		t.Skipf("SKIPPED: no native code: %v", err)
	}
	f := fn(t, "fn f(x: &[f64; N]) -> f64 { x.map(|v| (v * 0.5).exp() / 3.0).sum() }")
	x := make([]float64, 10_000)
	for i := range x {
		x[i] = float64(i%97) - 48.5
	}
	args := godwit.Args{"x": x}
	want, err := f.Call(t.Context(), args, godwit.WithEngine("interp"))
	if err != nil {
		t.Fatal(err)
	}
	r := godwit.NewRuntime(godwit.WithCompiler(t.TempDir(), "/usr/bin/env", compilerChild+"=1", os.Args[0]))
	defer r.Close()
	got, err := f.Call(t.Context(), args, godwit.WithRuntime(r), godwit.WithEngine("native"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Stats().Engine != "native" || string(got.JSON()) != string(want.JSON()) {
		t.Errorf("%s gives %s, the interpreter %s", got.Stats().Engine, got.JSON(), want.JSON())
	}
}

// Without the compiler a call that insists on native code is refused, and says why.
func TestNativeWithoutCompiler(t *testing.T) {
	f := fn(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }")
	_, err := f.Call(t.Context(), godwit.Args{"x": []float64{1}}, godwit.WithEngine("native"))
	if err == nil || !strings.Contains(err.Error(), "WithCompiler") {
		t.Errorf("native code without a compiler: %v; expected to be told of WithCompiler", err)
	}
}
