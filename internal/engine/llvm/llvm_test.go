//go:build !static && linux && (amd64 || arm64)

package llvm

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// library is the installed one.
func library(t testing.TB) *Library {
	t.Helper()
	l, err := Load()
	if errors.Is(err, ErrMissing) {
		t.Skip("SKIPPED: libLLVM 19 is not installed (Debian: libllvm19)")
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func machine(t testing.TB, target Target) *Machine {
	t.Helper()
	m, err := library(t).Machine(target, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const add = "define i64 @add(i64 %a, i64 %b) {\n %c = add i64 %a, %b\n ret i64 %c\n}\n"

func TestLibrary(t *testing.T) {
	l := library(t)
	if !strings.HasPrefix(l.Version, "19.") {
		t.Errorf("version %q", l.Version)
	}
	if s, err := os.Stat(l.Path); err != nil || s.Size() < 1<<20 {
		t.Errorf("path %q: %v", l.Path, err)
	}
	host := l.Host()
	if host.CPU == "" || host.Features == "" {
		t.Errorf("host %+v", host)
	}
	if _, err := l.Machine(Target{Arch: "sparc"}, 2); err == nil || !strings.Contains(err.Error(), `"sparc", expected one of amd64, arm64, riscv64`) {
		t.Errorf("sparc: %v", err)
	}
}

func TestObjects(t *testing.T) {
	for name, want := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "riscv64": elf.EM_RISCV} {
		m := machine(t, Target{Arch: name})
		for range 3 { // a machine serves many modules
			object, err := m.Compile(file(t, "exp.ll"), Options{Form: Text, Passes: "default<O2>"})
			if err != nil {
				t.Fatal(name, err)
			}
			f, err := elf.NewFile(bytes.NewReader(object))
			if err != nil {
				t.Fatal(name, err)
			}
			symbols, err := f.Symbols()
			if err != nil || f.Machine != want || f.Type != elf.ET_REL {
				t.Fatalf("%s: %v %v %v", name, f.Machine, f.Type, err)
			}
			if !hasFunction(symbols, "godwit_kernel") {
				t.Errorf("%s: no godwit_kernel in %v", name, symbols)
			}
		}
	}
}

func hasFunction(symbols []elf.Symbol, name string) bool {
	for _, s := range symbols {
		if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			return true
		}
	}
	return false
}

func assembly(t *testing.T, target Target, source string, passes string) string {
	t.Helper()
	b, err := machine(t, target).Compile([]byte(source), Options{Form: Text, Passes: passes, Assembly: true})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A product and a sum are rounded twice, on processors that could round once.
func TestNothingIsFused(t *testing.T) {
	const source = `define <8 x float> @f(<8 x float> %a, <8 x float> %b, <8 x float> %c) {
  %p = fmul <8 x float> %a, %b
  %s = fadd <8 x float> %p, %c
  ret <8 x float> %s
}
define double @g(double %a, double %b, double %c) {
  %p = fmul double %a, %b
  %s = fsub double %c, %p
  ret double %s
}`
	fused := regexp.MustCompile(`(?m)^\s+(vfn?m(add|sub)|fn?m(add|sub|la|ls)\b)`)
	for _, target := range []Target{
		{Arch: "amd64", CPU: "znver4"}, {Arch: "amd64", CPU: "haswell"}, {Arch: "arm64", CPU: "neoverse-v1"}, {Arch: "riscv64"},
	} {
		for _, passes := range []string{"", "default<O3>"} {
			if got := assembly(t, target, source, passes); fused.MatchString(got) {
				t.Errorf("%+v %q:\n%s", target, passes, got)
			}
		}
	}
	// The pattern does find what it looks for.
	asked := strings.ReplaceAll(strings.ReplaceAll(source, "fmul", "fmul contract"), "fadd", "fadd contract")
	for _, target := range []Target{{Arch: "amd64", CPU: "znver4"}, {Arch: "arm64"}} {
		if got := assembly(t, target, asked, ""); !fused.MatchString(got) {
			t.Errorf("%+v: no fused instruction where one is allowed:\n%s", target, got)
		}
	}
}

// Skylake's tuning prefers 256 bits; what the text spells out counts more.
func TestWideVectors(t *testing.T) {
	source := string(file(t, "exp.ll"))
	for cpu, want := range map[string]string{"skylake-avx512": "%zmm", "znver4": "%zmm", "haswell": "%ymm", "x86-64": "%xmm"} {
		if got := assembly(t, Target{Arch: "amd64", CPU: cpu}, source, "default<O2>"); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in\n%.2000s", cpu, want, got)
		}
	}
	sve := Target{Arch: "arm64", CPU: "neoverse-v1", VectorBytes: 32}
	if got := assembly(t, sve, source, "default<O2>"); !regexp.MustCompile(`fmul\s+z\d+\.s`).MatchString(got) {
		t.Errorf("no scalable vectors in\n%.2000s", got)
	}
}

func TestRefused(t *testing.T) {
	m := machine(t, Target{Arch: "amd64"})
	broken := bitcode(t)
	for name, c := range map[string]struct {
		source, want string
		o            Options
	}{
		"empty":     {"", "read the module: it is empty", Options{Form: Text}},
		"syntax":    {"define i64 @f() {\n ret i65 0\n}", "module:2:6: error: value doesn't match function result type 'i64'", Options{Form: Text}},
		"dominance": {"define i64 @f(i1 %c) {\n br i1 %c, label %a, label %b\na:\n %x = add i64 1, 2\n br label %b\nb:\n ret i64 %x\n}", "check the module: Instruction does not dominate all uses!", Options{Form: Text}},
		"passes":    {add, "optimise the module: unknown pass name 'nonsense'", Options{Form: Text, Passes: "nonsense"}},
		"triple":    {"target triple = \"aarch64-unknown-linux-gnu\"\n" + add, "it is for aarch64-unknown-linux-gnu, expected x86_64", Options{Form: Text}},
		"system":    {"target triple = \"x86_64-pc-windows-msvc\"\n" + add, "it is for x86_64-pc-windows-msvc", Options{Form: Text}},
		"layout":    {"target datalayout = \"E-p:32:32\"\n" + add, "its data layout is E-p:32:32, expected e-m:e", Options{Form: Text}},
		"not code":  {add, "neither LLVM text nor bitcode", Options{Form: Bitcode}},
		"bitcode":   {string(broken), "neither LLVM text nor bitcode", Options{Form: Text}},
		"truncated": {string(broken[:len(broken)/2]), "read the module", Options{Form: Bitcode}},
	} {
		_, err := m.Compile([]byte(c.source), c.o)
		var refused *Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
	if _, err := m.Compile([]byte(add), Options{Form: Text}); err != nil {
		t.Errorf("after the refusals: %v", err)
	}
	m.Close()
	if _, err := m.Compile([]byte(add), Options{Form: Text}); err == nil {
		t.Error("a closed machine compiles")
	}
}

// bitcode is made with the assembler, for the baseline.
func bitcode(t testing.TB) []byte {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("SKIPPED: clang-19 is not installed (Debian: clang-19)")
	}
	const source = `void scale(float *restrict x, float a, long n) { for (long i = 0; i < n; i++) x[i] *= a; }
__attribute__((target("avx512f"))) void wide(float *restrict x, float a, long n) { for (long i = 0; i < n; i++) x[i] += a; }`
	cmd := exec.Command(clang, "-O2", "-Xclang", "-disable-llvm-passes", "--target=x86_64-linux-gnu", "-ffreestanding", "-emit-llvm", "-c", "-x", "c", "-", "-o", "-")
	cmd.Stdin = strings.NewReader(source)
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Clang compiled for the baseline; the code is for the machine.
func TestBitcodeGetsTheMachine(t *testing.T) {
	b := bitcode(t)
	for cpu, want := range map[string]string{"haswell": "vmulps.*%ymm", "x86-64": `\tmulps.*%xmm`, "znver4": "vmulps.*%zmm"} {
		got, err := machine(t, Target{Arch: "amd64", CPU: cpu}).Compile(b, Options{Form: Bitcode, Passes: "default<O2>", Assembly: true})
		if err != nil {
			t.Fatal(err)
		}
		scale, wide, _ := strings.Cut(string(got), "\nwide:")
		if !regexp.MustCompile(want).MatchString(scale) {
			t.Errorf("%s: no %s in\n%s", cpu, want, scale)
		}
		if !strings.Contains(wide, "%zmm") {
			t.Errorf("%s: the function for AVX-512 lost it:\n%s", cpu, wide)
		}
	}
}

func TestOff(t *testing.T) {
	for value, want := range map[string]string{"off": "GODWIT_LLVM=off", "/nowhere/libLLVM.so": "/nowhere/libLLVM.so", "libc.so.6": "LLVMGetVersion"} {
		t.Setenv(Env, value)
		if _, err := load(); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
	if (Off() != nil) != (os.Getenv(Env) == "off") {
		t.Errorf("Off: %v with %q", Off(), os.Getenv(Env))
	}
}

// pipelines are those that were compared to choose the passes for kernels.
var pipelines = map[string]string{
	"none":  "",
	"light": "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse)",
	"lean":  "function(early-cse<memssa>,simplifycfg,loop-mssa(licm))",
	"O1":    "default<O1>",
	"O2":    "default<O2>",
}

// Processor time of the thread is what counts here; the clock also shows what
// else the machine does.
func BenchmarkCompile(b *testing.B) {
	l := library(b)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, source := range []string{"exp.ll", "sum.ll"} {
		text := file(b, source)
		for _, name := range []string{"none", "lean", "light", "O1", "O2"} {
			for level := range Level(4) {
				m, err := l.Machine(l.Host(), level)
				if err != nil {
					b.Fatal(err)
				}
				b.Run(source+"/"+name+"/"+string('0'+rune(level)), func(b *testing.B) {
					var each []time.Duration
					for b.Loop() {
						before := processor(b)
						if _, err := m.Compile(text, Options{Form: Text, Passes: pipelines[name]}); err != nil {
							b.Fatal(err)
						}
						each = append(each, processor(b)-before)
					}
					slices.Sort(each)
					b.ReportMetric(each[len(each)/2].Seconds()*1e3, "p50-cpu-ms")
				})
				m.Close()
			}
		}
	}
}

// processor is the processor time that this thread has used.
func processor(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}
