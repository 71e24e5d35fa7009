package cc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/engine/object"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

func needClang(t *testing.T) string {
	t.Helper()
	clang, err := find()
	if err != nil {
		t.Skip("SKIPPED: clang-19 is not installed (Debian: clang-19)")
	}
	return clang
}

// file writes a C file and gives its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func targets(t *testing.T, texts ...string) (list []Target) {
	t.Helper()
	for _, text := range texts {
		target, err := ParseTarget(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, target)
	}
	return list
}

const sum = `#include "godwit.h"
void sum_main(void *p, size_t n, void *args) {
	float *x = p, s[8] = {0};
	for (size_t i = 0; i + 8 <= n / 4; i += 8)
		for (int l = 0; l < 8; l++) s[l] += x[i + l];
	gw_reply(s, sizeof s);
}`

func TestForms(t *testing.T) {
	needClang(t)
	path := file(t, "sum.c", sum)
	begins := map[pack.Form]string{pack.Source: "typedef ", pack.Bitcode: "BC\xc0\xde", pack.Optimised: "BC\xc0\xde", pack.Object: "\x7fELF"}
	for form, begin := range begins {
		b, err := Build(t.Context(), Options{Name: "sum", Sources: []string{path}, Form: form, Targets: targets(t, "x86_64", "aarch64", "riscv64", "x86_64+avx2")})
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		var titles []string
		for _, s := range b.Package.Sections {
			titles = append(titles, strings.TrimSuffix(s.Title(), " "+form.String()))
			if !strings.HasPrefix(string(s.Bytes), begin) {
				t.Errorf("%s begins with %q", s.Title(), s.Bytes[:8])
			}
			if form != pack.Source {
				continue
			}
			o, err := Object(t.Context(), s.Bytes, Target{s.Arch, s.Features})
			if err != nil {
				t.Fatal(err)
			}
			defines, needs, err := object.Check(o, s.Arch)
			if err != nil || !slices.Contains(defines, "sum_main") || !slices.Contains(needs, "gw_reply") {
				t.Errorf("%s defines %q and needs %q, %v", s.Title(), defines, needs, err)
			}
		}
		if want := []string{"amd64+avx2", "amd64", "arm64", "riscv64"}; !slices.Equal(titles, want) {
			t.Errorf("%s: the sections are %q", form, titles)
		}
		if wide, base := b.Package.Sections[0], b.Package.Sections[1]; form == pack.Object && string(wide.Bytes) == string(base.Bytes) {
			t.Error("avx2 changes nothing")
		}
	}
}

// The same source gives the same package wherever it lies.
func TestReproducible(t *testing.T) {
	needClang(t)
	for _, form := range []pack.Form{pack.Source, pack.Bitcode, pack.Optimised, pack.Object} {
		var ids []pack.ID
		for range 2 {
			b, err := Build(t.Context(), Options{Name: "sum", Sources: []string{file(t, "sum.c", sum)}, Form: form, Targets: targets(t, "x86_64", "aarch64")})
			if err != nil {
				t.Fatal(err)
			}
			id, err := b.Package.ID()
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if ids[0] != ids[1] {
			t.Errorf("%s: %s and %s", form, ids[0], ids[1])
		}
	}
}

func TestSeveralSources(t *testing.T) {
	clang := needClang(t)
	where, _, err := run(t.Context(), nil, clang, "-print-prog-name=llvm-link")
	if err != nil || !strings.HasPrefix(string(where), "/") {
		t.Skip("SKIPPED: llvm-link is not installed (Debian: llvm-19)")
	}
	a := file(t, "a.c", "int twice(int);\nvoid f_main(int *p, unsigned long n, void *t) { *p = twice(*p); }")
	b := file(t, "b.c", "#include \"b.h\"\nint twice(int x) { return FACTOR * x; }")
	if err := os.WriteFile(filepath.Join(filepath.Dir(b), "b.h"), []byte("#define FACTOR 2"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, form := range []pack.Form{pack.Bitcode, pack.Optimised, pack.Object} {
		if _, err := Build(t.Context(), Options{Name: "f", Sources: []string{a, b}, Form: form, Targets: targets(t, "amd64", "arm64")}); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
	_, err = Build(t.Context(), Options{Name: "f", Sources: []string{a}, Form: pack.Object, Targets: targets(t, "amd64")})
	if err == nil || !strings.Contains(err.Error(), "nothing provides twice") {
		t.Error(err)
	}
	_, err = Build(t.Context(), Options{Name: "f", Sources: []string{b, b}, Form: pack.Object, Targets: targets(t, "amd64")})
	if err == nil || !strings.Contains(err.Error(), "symbol multiply defined") {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	needClang(t)
	const good = "void f_main(void *p, unsigned long n, void *t) {}\n"
	foreign := map[string]string{"amd64": "aarch64", "arm64": "riscv64", "riscv64": "aarch64"}[runtime.GOARCH]
	for _, c := range []struct {
		name, text string
		opt        Options
		want       []string
	}{
		{"no X_main", "void g(void) {} int h;", Options{}, []string{"there is no function f_main; the sources define g, h", "--name"}},
		{"nothing", "", Options{}, []string{"the sources define none"}},
		{"a static X_main", "static " + good, Options{}, []string{"there is no function f_main"}},
		{"a syntax error", "void f_main(void {", Options{}, []string{"f.c cannot be compiled for x86_64", "f.c:1:", "error: expected"}},
		{"unknown function", good + "double tan(double); double g(double x) { return tan(x); }", Options{}, []string{"nothing provides tan", "--dep libm.so.6"}},
		{"half of the making of a payload", good + "int f_payload_init(void) { return 0; }", Options{}, []string{"only one is defined", "f_payload_bound"}},
		{"missing header", "#include <nothing.h>\n" + good, Options{}, []string{"'nothing.h' file not found"}},
		{"header of the C library", "#include <sys/socket.h>\n" + good, Options{Targets: targets(t, foreign)}, []string{"sys/socket.h", "apt-get install libc6-dev-"}},
		{"thread-local storage", good + "_Thread_local int x; int *g(void) { return &x; }", Options{}, []string{"could not link"}},
		{"unknown feature", good, Options{Targets: targets(t, "x86_64+sve")}, []string{"x86_64 has no feature sve"}},
		{"unknown feature, source", good, Options{Targets: targets(t, "x86_64+sve"), Form: pack.Source}, []string{"x86_64 has no feature sve"}},
		{"a feature that is none", good, Options{Targets: targets(t, "x86_64+")}, []string{"x86_64"}},
		{"a name that is none", "void x(void) {}", Options{Name: "1"}, []string{"there is no function 1_main"}},
		{"a library with a path", good, Options{Deps: []string{"/lib/libm.so"}}, []string{"without a path"}},
		{"a target twice", good, Options{Targets: targets(t, "x86_64", "amd64")}, []string{"x86_64 is named twice"}},
		{"no target", good, Options{Targets: []Target{}}, []string{"no target"}},
		{"a flag for a processor", good, Options{Flags: []string{"-march=native"}}, []string{"-march=native chooses a processor"}},
		{"a flag for a feature", good, Options{Flags: []string{"-mavx2"}}, []string{"-mavx2 chooses a processor", "--features"}},
		{"a flag for a target", good, Options{Flags: []string{"--target=mips"}}, []string{"chooses a processor"}},
		{"a flag that is none", good, Options{Flags: []string{"--nonsense"}}, []string{"--nonsense"}},
		{"two files as source", good, Options{Form: pack.Source, Sources: []string{"a.c", "b.c"}}, []string{"holds one C file, and here are 2"}},
		{"no file", good, Options{Sources: []string{}}, []string{"no C file"}},
	} {
		opt := c.opt
		if opt.Name == "" {
			opt.Name = "f"
		}
		if opt.Sources == nil {
			opt.Sources = []string{file(t, "f.c", c.text)}
		}
		if opt.Targets == nil {
			opt.Targets = targets(t, "x86_64")
		}
		if opt.Form == pack.BadForm {
			opt.Form = pack.Bitcode
		}
		_, err := Build(t.Context(), opt)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q", c.name, err, w)
			}
		}
	}
	_, err := Build(t.Context(), Options{Name: "f", Sources: []string{"none.c"}, Form: pack.Object, Targets: targets(t, "x86_64")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestFlags(t *testing.T) {
	needClang(t)
	path := file(t, "f.c", "void f_main(float *p, unsigned long n, void *t) { int unused; p[0] = FACTOR * p[1]; }")
	b, err := Build(t.Context(), Options{
		Name: "f", Sources: []string{path}, Form: pack.Object, Targets: targets(t, "x86_64", "aarch64"),
		Flags: []string{"-DFACTOR=3", "-O3", "-Wall", "-mno-red-zone", "-mllvm", "-inline-threshold=10", "-I", "/nowhere"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.Warnings, "unused variable"); n != 1 {
		t.Errorf("the warning is there %d times:\n%s", n, b.Warnings)
	}
}

func TestNoClang(t *testing.T) {
	t.Setenv("CLANG", "/no/such/clang")
	if Found() {
		t.Error("found what is not there")
	}
	for _, err := range []error{
		func() error { _, err := Object(t.Context(), []byte("int x;"), targets(t, "x86_64")[0]); return err }(),
		func() error {
			_, err := Build(t.Context(), Options{Name: "f", Sources: []string{"f.c"}, Form: pack.Bitcode, Targets: targets(t, "x86_64")})
			return err
		}(),
	} {
		if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install clang-19") {
			t.Error(err)
		}
	}
}

func TestCancelled(t *testing.T) {
	needClang(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Object(ctx, []byte("int x;"), targets(t, "x86_64")[0]); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestObjectRefuses(t *testing.T) {
	needClang(t)
	var e *Error
	if _, err := Object(t.Context(), []byte("int x = ;"), targets(t, "x86_64")[0]); !errors.As(err, &e) || !strings.Contains(e.Text, "expected expression") {
		t.Error(err)
	}
}

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]Target{
		"x86_64": {Arch: "amd64"}, "amd64": {Arch: "amd64"}, "aarch64": {Arch: "arm64"}, "arm64": {Arch: "arm64"}, "riscv64": {Arch: "riscv64"},
		"x86_64+fma+avx2+fma": {"amd64", []string{"avx2", "fma"}},
	} {
		got, err := ParseTarget(text)
		if err != nil || got.Arch != want.Arch || !slices.Equal(got.Features, want.Features) {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
		if again, err := ParseTarget(got.String()); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	for _, text := range []string{"", "mips", "x86", "native", "x86_64-linux-gnu", "+avx2"} {
		if _, err := ParseTarget(text); err == nil || !strings.Contains(err.Error(), "x86_64,aarch64,riscv64") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
