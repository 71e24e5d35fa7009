package llvmir

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/engine/llvm"
	"github.com/godwit-run/godwit/internal/engine/object"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

var update = flag.Bool("update", false, "write the golden files")

// TestText shows whole modules, for people to read.
func TestText(t *testing.T) {
	for _, name := range []string{"sum", "axpy", "combinecounts"} {
		got, err := Emit(parse(t, name), Target{Arch: "amd64", VectorBytes: 32})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", "text", name+".ll")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not what %s has; read the difference and run with -update", name, file)
		}
	}
}

func TestSameTextAlways(t *testing.T) {
	for _, s := range settings {
		k := parse(t, s.name)
		one, err1 := Emit(k, Target{VectorBytes: 32, Fma: true})
		two, err2 := Emit(k, Target{VectorBytes: 32, Fma: true})
		if err1 != nil || err2 != nil || one != two {
			t.Errorf("%s: the text differs from one time to another (%v, %v)", s.name, err1, err2)
		}
	}
}

func TestTargetRefused(t *testing.T) {
	if _, err := Emit(parse(t, "sum"), Target{VectorBytes: 24}); err == nil {
		t.Error("vectors of 24 bytes are accepted")
	}
}

// TestArchitectures compiles for every processor, with the narrowest and with the widest
// vectors that it is given text for, and reads the objects, which need nothing else.
func TestArchitectures(t *testing.T) {
	l, err := llvm.Load()
	if err != nil {
		t.Skip("SKIPPED: libLLVM 19 is not installed (Debian: libllvm19)")
	}
	for arch, widths := range map[string][]int{"amd64": {0, 64}, "arm64": {0, 64}, "riscv64": {0}} {
		for _, width := range widths {
			t.Run(fmt.Sprintf("%s/%d", arch, width), func(t *testing.T) {
				target := llvm.Target{Arch: arch}
				if arch == "amd64" { // the first level has no instruction to round
					target.CPU = map[int]string{0: "x86-64-v2", 64: "x86-64-v4"}[width]
				}
				m, err := l.Machine(target, 2)
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				compileAll(t, m, Target{Arch: arch, VectorBytes: width, Fma: arch == "amd64" && width == 64})
			})
		}
	}
}

func compileAll(t *testing.T, m *llvm.Machine, target Target) {
	cases := kerneltest.Every()
	for i, c := range cases {
		if i%23 == 0 || strings.HasPrefix(c.Name, "fma") || strings.HasPrefix(c.Name, "fold muladd") {
			check(t, m, target, c)
		}
	}
	seen := map[string]bool{}
	for _, s := range settings {
		if seen[s.name] {
			continue
		}
		seen[s.name] = true
		check(t, m, target, &kerneltest.Case{Name: s.name, Kernel: parse(t, s.name)})
	}
}

func check(t *testing.T, m *llvm.Machine, target Target, c *kerneltest.Case) {
	text, err := Emit(c.Kernel, target)
	if err != nil && !target.fuses() && strings.Contains(err.Error(), "fused") {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Compile([]byte(text), llvm.Options{Form: llvm.Text, Passes: passes})
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	defines, needs, err := object.Check(o, target.Arch)
	if err != nil || len(defines) != 1 || defines[0] != Function {
		t.Errorf("%s: defines %v: %v", c.Name, defines, err)
	}
	for _, n := range needs {
		if _, ok := object.Library(n); !ok {
			t.Errorf("%s: needs %s", c.Name, n)
		}
	}
}
