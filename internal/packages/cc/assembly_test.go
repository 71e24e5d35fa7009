package cc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

const goodMain = "void f_main(int *p, unsigned long n, void *t) { *p = 1; }\n"

// Assembly is refused however it is written, with file and line, in every form and for
// every target.
func TestAssembly(t *testing.T) {
	needClang(t)
	for _, c := range []struct{ name, text, want string }{
		{"asm", goodMain + "void g(void) {\n\tasm(\"nop\");\n}", "f.c:3: inline assembly is refused"},
		{"__asm", goodMain + "void g(void) { __asm(\"nop\"); }", "f.c:2: inline assembly is refused"},
		{"__asm__ volatile", goodMain + "\nvoid g(void) { __asm__ __volatile__(\"nop\" ::: \"memory\"); }", "f.c:3: inline assembly"},
		{"with results", goodMain + "int g(int x) { asm(\"\" : \"+r\"(x)); return x; }", "f.c:2: inline assembly"},
		{"without text", goodMain + "void g(void) { asm volatile(\"\" ::: \"memory\"); }", "f.c:2: inline assembly"},
		{"goto", goodMain + "int g(void) {\n\tasm goto(\"nop\" :::: out);\n\treturn 0;\nout:\n\treturn 1;\n}", "f.c:2: inline assembly"},
		{"in a macro", "#define A B\n#define B asm(\"nop\")\n" + goodMain + "\nvoid g(void) { A; }", "f.c:5: inline assembly"},
		{"of pieces", "#define P(a, b) a##b\n" + goodMain + "void g(void) { P(a, sm)(\"nop\"); }", "f.c:3: inline assembly"},
		{"in a header", "#include \"h.h\"\n" + goodMain + "void g(void) { h(); }", "h.h:2: inline assembly"},
		{"in a statement expression", goodMain + "int g(void) { return ({ int x; asm(\"nop\" : \"=r\"(x)); x; }); }", "f.c:2: inline assembly"},
		{"outside of functions", goodMain + "\n\nasm(\".globl g\\ng:\");", "f.c:4: assembly outside of functions"},
		{"both", goodMain + "asm(\".globl g\");\nvoid h(void) { asm(\"nop\"); }", "f.c:2: assembly outside of functions"},
		{"naked", goodMain + "__attribute__((naked)) void g(void) {}", "f.c:2: a naked function is refused"},
		{"named register", goodMain + "register unsigned long sp asm(\"sp\");\nunsigned long g(void) { return sp; }", "f.c:3: a variable in a named register"},
	} {
		path := file(t, "f.c", c.text)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "h.h"), []byte("static inline void h(void) {\n\t__asm__(\"nop\");\n}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		target := "x86_64"
		if c.name == "named register" {
			target = "aarch64"
		}
		forms := []pack.Form{pack.Bitcode}
		if c.name == "asm" {
			forms = []pack.Form{pack.Source, pack.Bitcode, pack.Optimised, pack.Object}
		}
		for _, form := range forms {
			_, err := Build(t.Context(), Options{Name: "f", Sources: []string{path}, Form: form, Targets: targets(t, target)})
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(e.Text, c.want) || !strings.Contains(e.Help, "no option that allows") {
				t.Errorf("%s, %s: %v, expected %q", c.name, form, err, c.want)
			}
		}
	}
}

// Sections of the source's own make bytes into code, and names can hold lines of assembly: both
// are refused, in every form.
func TestNames(t *testing.T) {
	needClang(t)
	const call = "void f_main(int *p, unsigned long n, void *t) { ((void (*)(void))code)(); }\n"
	for _, c := range []struct{ name, text, want string }{
		{"code as data", "static const unsigned char code[]\n\t__attribute__((section(\".text,\\\"ax\\\",@progbits #\"))) = {0xc3};\n" + call, `f.c:1: the section ".text,\"ax\",@progbits #" is refused`},
		{"plain section", "const unsigned char code[] __attribute__((section(\".text\"))) = {0xc3};\n" + call, `f.c:1: the section ".text"`},
		{"of a function", goodMain + "\n__attribute__((section(\"a\\nb\"))) void g(void) {}", `f.c:3: the section "a\nb"`},
		{"by a pragma", "#pragma clang section rodata=\".text\"\nconst unsigned char code[] = {0xc3};\n" + call, `the section ".text"`},
		{"functions by a pragma", "#pragma clang section text=\"mine\"\n" + goodMain, `f.c:2: the section "mine"`},
		{"name of a variable", goodMain + "int x asm(\"a\\nb\") = 1;", `f.c:2: the name "a\nb", which does not print, is refused`},
		{"name of a function", goodMain + "void g(void) asm(\"a\\n.globl b\");\nvoid g(void) {}", `f.c:3: the name "a\n.globl b"`},
		{"name of another's", "void g(void) asm(\"a\\tb\");\nvoid f_main(int *p, unsigned long n, void *t) { g(); }\n", `the name "a\tb"`},
	} {
		path := file(t, "f.c", c.text)
		forms := []pack.Form{pack.Bitcode}
		if c.name == "code as data" {
			forms = []pack.Form{pack.Source, pack.Bitcode, pack.Optimised, pack.Object}
		}
		for _, form := range forms {
			_, err := Build(t.Context(), Options{Name: "f", Sources: []string{path}, Form: form, Targets: targets(t, "x86_64")})
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(e.Text, c.want) {
				t.Errorf("%s, %s: %v, expected %q", c.name, form, err, c.want)
			}
		}
	}
}

// Assembly that the text has only with the flags of nodes, which compile the form source.
func TestAssemblyByFlags(t *testing.T) {
	needClang(t)
	path := file(t, "f.c", "void f_main(int *p, unsigned long n, void *t) { if ((char)-1 < 0) asm(\"nop\"); }\n")
	_, err := Build(t.Context(), Options{Name: "f", Sources: []string{path}, Form: pack.Source, Flags: []string{"-funsigned-char"}, Targets: targets(t, "x86_64")})
	if err == nil || !strings.Contains(err.Error(), "inline assembly is refused") {
		t.Errorf("%v", err)
	}
}

// Only for one of the targets is also there.
func TestAssemblyOfOneTarget(t *testing.T) {
	needClang(t)
	path := file(t, "f.c", goodMain+"#ifdef __aarch64__\nvoid g(void) { asm(\"nop\"); }\n#endif\n")
	if _, err := Build(t.Context(), Options{Name: "f", Sources: []string{path}, Form: pack.Object, Targets: targets(t, "x86_64")}); err != nil {
		t.Error(err)
	}
	_, err := Build(t.Context(), Options{Name: "f", Sources: []string{path}, Form: pack.Object, Targets: targets(t, "x86_64", "aarch64")})
	if err == nil || !strings.Contains(err.Error(), "f.c:3: inline assembly") {
		t.Errorf("%v", err)
	}
}

// What only looks like assembly is none: texts, other names of functions, builtins that
// become instructions, and inline functions of headers that nobody uses.
func TestNoAssembly(t *testing.T) {
	needClang(t)
	path := file(t, "f.c", `#include <stdatomic.h>
		const char *text = "  call void asm sideeffect \"nop\", \"\"()";
		static inline void unused(void) { asm("nop"); }
		int renamed(int) asm("other");
		int other(int x) { return x; }
		struct { int asm_; } asm_;
		int größe = 1;
		__attribute__((used, annotate("section \"x\""))) static int kept;
		const char *section = "@x = global i32 0, section \"y\"";
		void call_asm(void) {}
		`+strings.Replace(goodMain, "*p = 1;", `*p = renamed(asm_.asm_); call_asm(); __builtin_prefetch(p); atomic_thread_fence(memory_order_seq_cst);`, 1))
	for _, form := range []pack.Form{pack.Source, pack.Bitcode, pack.Object} {
		if _, err := Build(t.Context(), Options{Name: "f", Sources: []string{path}, Form: form, Targets: targets(t, "x86_64", "aarch64", "riscv64")}); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}
