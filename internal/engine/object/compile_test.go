//go:build !static

package object

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A build is one way to compile: what follows the compiler is its options.
type build struct {
	compiler string
	options  []string
}

func (b build) String() string {
	return strings.NewReplacer(" ", "", "/", "_", "=", "").Replace(b.compiler + strings.Join(b.options, ""))
}

// The files of testdata that both processors compile, and the functions in them.
var files = []string{"tables", "numbers", "memory", "provider", "outside", "calls"}

// compiled is where the objects lie, NAME/BUILD.o, and the names of the builds.
var compiled struct {
	once   sync.Once
	dir    string
	builds []string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if compiled.dir != "" {
		os.RemoveAll(compiled.dir)
	}
	os.Exit(code)
}

// objects compiles every file of testdata in every way, once. Under emulation
// the objects are those that the parent made.
func objects(t testing.TB) (dir string, builds []string) {
	t.Helper()
	if dir = os.Getenv("GODWIT_OBJECTS"); dir != "" {
		found, err := filepath.Glob(filepath.Join(dir, "tables", "*.o"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no objects in %s: %v", dir, err)
		}
		for _, f := range found {
			builds = append(builds, strings.TrimSuffix(filepath.Base(f), ".o"))
		}
		return dir, builds
	}
	compiled.once.Do(func() { compileHost(t) })
	if len(compiled.builds) == 0 {
		t.Skip("SKIPPED: no C compiler is installed (Debian: clang-19, gcc)")
	}
	return compiled.dir, compiled.builds
}

func compileHost(t testing.TB) {
	t.Helper()
	var err error
	if compiled.dir, err = os.MkdirTemp("", "godwit-objects"); err != nil {
		t.Fatal(err)
	}
	for _, compiler := range []string{"clang-19", "gcc"} {
		if _, err := exec.LookPath(compiler); err != nil {
			t.Logf("SKIPPED: %s is not installed (Debian: %s)", compiler, compiler)
			continue
		}
		for _, o := range [][]string{{"-O0"}, {"-O2"}, {"-O3", "-march=native"}, {"-O2", "-fcommon", "-ffunction-sections", "-fdata-sections", "-g"}} {
			for _, pic := range []string{"-fPIC", "-fno-pic"} {
				b := build{compiler, append(slices.Clone(o), pic)}
				compileAll(t, compiled.dir, b)
				compiled.builds = append(compiled.builds, b.String())
			}
		}
	}
}

func compileAll(t testing.TB, dir string, b build) {
	t.Helper()
	for _, f := range files {
		compile(t, b, f+".c", filepath.Join(dir, f, b.String()+".o"))
	}
}

func compile(t testing.TB, b build, source, object string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(object), 0o777); err != nil {
		t.Fatal(err)
	}
	args := append(slices.Clone(b.options), "-c", "-o", object, filepath.Join("testdata", source))
	if out, err := exec.Command(b.compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", b.compiler, args, err, out)
	}
}

// one is a file of testdata, compiled in one way.
func one(t testing.TB, file string) []byte {
	t.Helper()
	if os.Getenv("GODWIT_OBJECTS") != "" {
		dir, builds := objects(t)
		return load(t, dir, file, builds[0]+".o")
	}
	o := filepath.Join(t.TempDir(), file+".o")
	for _, compiler := range []string{"clang-19", "gcc"} {
		if _, err := exec.LookPath(compiler); err == nil {
			compile(t, build{compiler, []string{"-O2", "-fPIC"}}, file+".c", o)
			return load(t, o)
		}
	}
	t.Skip("SKIPPED: no C compiler is installed (Debian: clang-19, gcc)")
	return nil
}

func load(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// clang gives the way to compile for another processor.
func clang(t testing.TB, arch string, options ...string) build {
	t.Helper()
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("SKIPPED: clang-19 is not installed (Debian: clang-19)")
	}
	triple := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "riscv64": "riscv64"}[arch]
	return build{"clang-19", append([]string{"--target=" + triple + "-linux-gnu"}, options...)}
}

// TestArm64 builds this test for arm64 and runs what links and calls under an
// emulator.
func TestArm64(t *testing.T) {
	if runtime.GOARCH == "arm64" {
		t.Skip("SKIPPED: this is arm64 already")
	}
	emulator, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("SKIPPED: qemu-aarch64-static is not installed (Debian: qemu-user-static)")
	}
	if _, err := os.Stat("/lib/ld-linux-aarch64.so.1"); err != nil {
		t.Skip("SKIPPED: the C library for arm64 is not installed (Debian: libc6:arm64 after dpkg --add-architecture arm64)")
	}
	dir := t.TempDir()
	for _, options := range []string{"-O0 -fPIC", "-O2 -fPIC", "-O3 -fPIC -mcpu=neoverse-v1", "-O2 -fno-pic", "-O2 -fPIC -fcommon -ffunction-sections -g"} {
		compileAll(t, dir, clang(t, "arm64", strings.Fields(options)...))
	}
	compile(t, clang(t, "arm64"), "absolute.s", filepath.Join(dir, "absolute.o"))
	program := filepath.Join(dir, "object.test")
	c := exec.Command("go", "test", "-c", "-o", program, ".")
	c.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	there := []string{"TestLinked", "TestOutside", "TestFar", "TestAbsolute", "TestProtection", "TestWritten", "TestPlain", "TestRefused", "TestCallRange", "TestCallSix", "TestCollectorGoesOn"}
	c = exec.Command(emulator, "-cpu", "max", "-L", "/", program, "-test.v", "-test.timeout=2m", "-test.run=^("+strings.Join(there, "|")+")$")
	c.Env = append(os.Environ(), "GODWIT_OBJECTS="+dir)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range there {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not pass on arm64:\n%s", name, out)
		}
	}
}

func TestCheckCompiled(t *testing.T) {
	targets := map[string][]string{
		"amd64":   {"-O2 -fPIC -march=x86-64-v4", "-O0 -fPIC"},
		"arm64":   {"-O3 -fPIC -mcpu=neoverse-v1", "-O2 -fno-pic"},
		"riscv64": {"-O2 -fPIC -march=rv64gc", "-O0 -fPIC -march=rv64gc", "-O2 -fPIC -march=rv64gc -mno-relax", "-O3 -fPIC -march=rv64gcv"},
	}
	for arch, all := range targets {
		for _, options := range all {
			b := clang(t, arch, strings.Fields(options)...)
			dir := t.TempDir()
			compileAll(t, dir, b)
			for _, f := range files {
				t.Run(fmt.Sprint(f, b), func(t *testing.T) {
					defines, needs, err := Check(load(t, dir, f, b.String()+".o"), arch)
					if err != nil {
						t.Fatal(err)
					}
					if f == "outside" {
						slices.Sort(needs)
						if !slices.Equal(needs, []string{"scale", "shared"}) {
							t.Errorf("needs %v", needs)
						}
					}
					for name := range functions[f] {
						if !slices.Contains(defines, name) {
							t.Errorf("%s is missing in %v", name, defines)
						}
					}
				})
			}
		}
	}
}
