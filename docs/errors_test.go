package docs

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
)

const errorsHead = `# Error codes

Every message about a program has a code. This page lists them all with an
example that gets the message, the message itself, and the example mended.
It is generated from the tables that the tests hold the checker to:
` + "`go test ./docs -update`" + `.

Messages about arguments and files have no code. They name the argument, the
file, and, where there is one, the row.

`

const lowering = `## L: Lowering

### L01: a function is accepted and cannot be run

` + "`" + `godwit check` + "`" + ` lowers every function that can be run from outside, for any sizes, and
verifies its kernels. What passes all checks and fails here is a bug in Godwit, or a
function that is more code than a kernel may be. The note says which; report it together
with the program, or compute large tables outside and take them as arguments.

`

// families are the letters of the codes, in the order of the page.
var families = []struct{ letter, title string }{
	{"S", "Syntax"}, {"N", "Names"}, {"T", "Types, sizes and termination"}, {"B", "Bounds"},
	{"O", "Closures and variables"}, {"F", "Numbers"}, {"P", "Places"},
}

// entry is one code of either table.
type entry struct{ id, title, explain, bad, good string }

func entries() (list []entry) {
	for _, c := range syntax.Codes {
		list = append(list, entry{c.ID, c.Title, "", c.Bad, c.Good})
	}
	for _, c := range types.Codes {
		list = append(list, entry{c.ID, c.Title, c.Explain, c.Bad, c.Good})
	}
	return list
}

// fault is an example of a fault: a program and an argument for v.
type fault struct{ id, title, bad, arg, good string }

var faults = []fault{
	{"R01", "the result of an operation does not fit its type",
		"fn f(v: &[i32; N]) -> [i32; N] { v.map(|e| e + 1) }", "[1, 2147483647]",
		"fn f(v: &[i32; N]) -> [i32; N] { v.map(|e| e +| 1) }"},
	{"R02", "an integer is divided by zero",
		"fn f(v: &[i32; N]) -> [i32; N] { v.map(|e| 100 / e) }", "[1, 0]",
		"fn f(v: &[i32; N]) -> [i32; N] { v.map(|e| if e == 0 { 0 } else { 100 / e }) }"},
	{"R03", "a shift is not between 0 and the width of its type",
		"fn f(v: &[i32; N]) -> [i32; N] { v.map(|e| 1 << e) }", "[1, 32]",
		"fn f(v: &[i32; N]) -> [i32; N] { v.map(|e| 1 << e.clamp(0, 31)) }"},
	{"R04", "a value has no counterpart in the type that it is converted to",
		"fn f(v: &[f64; N]) -> [u8; N] { v.map(|e| e as u8) }", "[1, 256]",
		"fn f(v: &[f64; N]) -> [u8; N] { v.map(|e| e.clamp(0.0, 255.0) as u8) }"},
	{"R05", "a key or index is out of range",
		"fn f(v: &[i64; N]) -> [i64; 4] { v.histogram::<4>() }", "[1, 4]",
		"fn f(v: &[i64; N]) -> [i64; 4] { v.histogram::<4>(|e| e.clamp(0, 3)) }"},
	{"R06", "a minimum, a maximum or the place of one is of nothing",
		"fn f(v: &[f64; N]) -> f64 { v.max() }", "[]",
		"fn f(v: &[f64; N]) -> f64 { v.fold(0.0, |a, e| a.max(e)) }"},
}

func rust(b *strings.Builder, text string) { b.WriteString("```rust\n" + text + "\n```\n") }

// messages are those about a program, rendered.
func messages(text string) string {
	msgs := new(diag.List)
	f := syntax.Parse(diag.NewSource("example.gw", text), msgs)
	if !msgs.Failed() {
		elaborate.Check([]*syntax.File{f}, msgs)
	}
	msgs.Sort()
	var b strings.Builder
	for _, m := range msgs.Messages {
		b.WriteString(m.Render())
	}
	return trimmed(b.String())
}

func trimmed(s string) string { return strings.Join(lines(s), "\n") + "\n" }

// run gives the text of the fault that a program ends in.
func (f fault) run(t *testing.T, src string) (*godwit.Fault, error) {
	t.Helper()
	p, err := godwit.Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	fn, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	_, err = fn.Call(context.Background(), godwit.Args{"v": godwit.Text(f.arg)})
	var at *godwit.Fault
	errors.As(err, &at)
	return at, err
}

// TestErrors holds errors.md to the tables.
func TestErrors(t *testing.T) {
	var b strings.Builder
	b.WriteString(errorsHead)
	all := entries()
	for _, fam := range families {
		b.WriteString("## " + fam.letter + ": " + fam.title + "\n\n")
		if fam.letter == "S" {
			b.WriteString("The mended examples of this section are held to the parser only.\n\n")
		}
		for _, e := range all {
			if !strings.HasPrefix(e.id, fam.letter) {
				continue
			}
			b.WriteString("### " + e.id + ": " + e.title + "\n\n")
			if e.explain != "" {
				b.WriteString(e.explain + "\n\n")
			}
			bad, good := short(e.bad), short(e.good)
			rust(&b, bad)
			b.WriteString("```text\n" + short(messages(e.bad)) + "```\n\nMended:\n\n")
			rust(&b, good)
			b.WriteString("\n")
		}
	}
	b.WriteString(lowering)
	writeFaults(t, &b)
	compare(t, "errors.md", b.String())
	for _, e := range all {
		if !strings.Contains(b.String(), "### "+e.id+":") {
			t.Errorf("%s belongs to no family", e.id)
		}
	}
}

// short cuts the long row of parentheses in the example of S20.
func short(s string) string {
	for _, p := range []string{"(", ")", " ", "^"} {
		if long := strings.Repeat(p, 90); p != " " || strings.Contains(s, strings.Repeat("(", 90)) {
			for strings.Contains(s, long) {
				s = strings.Replace(s, long, strings.Repeat(p, 3)+"…", 1)
			}
		}
	}
	return s
}

func writeFaults(t *testing.T, b *strings.Builder) {
	b.WriteString("## R: Faults\n\nA fault is what goes wrong in a program while it runs. Section 9 of the\nlanguage reference says which one is reported.\n\n")
	for _, f := range faults {
		at, err := f.run(t, f.bad)
		if at == nil || at.Code != f.id {
			t.Fatalf("the example for %s gives %v", f.id, err)
		}
		if _, err := f.run(t, f.good); err != nil {
			t.Errorf("the mended example for %s gives %v", f.id, err)
		}
		b.WriteString("### " + f.id + ": " + f.title + "\n\n")
		rust(b, f.bad)
		b.WriteString("With `v=" + f.arg + "`:\n\n```text\n" + trimmed(at.Error()) + "```\n\nMended:\n\n")
		rust(b, f.good)
		b.WriteString("\n")
	}
}

func compare(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err == nil && string(got) == want {
		return
	}
	if !*update {
		t.Errorf("%s is not up to date; run go test ./docs -update", path)
		return
	}
	if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}
