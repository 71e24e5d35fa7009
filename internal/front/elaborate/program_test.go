package elaborate

import (
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

func parseAll(t *testing.T, texts ...string) ([]*syntax.File, *diag.List) {
	t.Helper()
	msgs := new(diag.List)
	var files []*syntax.File
	for i, text := range texts {
		files = append(files, syntax.Parse(diag.NewSource(string(rune('a'+i))+".gw", text), msgs))
	}
	return files, msgs
}

// TestFiles checks several files as one program. A fault inside of a function
// from another file is reported where the call is.
func TestFiles(t *testing.T) {
	files, msgs := parseAll(t,
		"use tools::ratio;\nfn f(v: &[i64; N]) -> [i64; N] {\n    v.map(|e| ratio(e))\n}\n",
		"mod tools {\n    pub fn ratio(x: i64) -> i64 { 100 / x }\n}\nfn g(x: f32) -> f32 { x }\n")
	p := Check(files, msgs)
	if err := msgs.Err(); err != nil {
		t.Fatal(err)
	}
	g, err := p.Graph("f")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Sites) != 1 || files[0].Source.Text[g.Sites[0].Pos.Start:g.Sites[0].Pos.End] != "ratio(e)" {
		t.Errorf("sites %v", g.Sites)
	}
	files, msgs = parseAll(t, "fn f(x: f32) -> f32 { x }", "fn f(x: f32) -> f32 { x }")
	Check(files, msgs)
	if len(msgs.Messages) != 1 || msgs.Messages[0].Code != "N04" || !strings.Contains(msgs.Messages[0].Note, "a.gw line 1") {
		t.Errorf("got %v", msgs.Err())
	}
}

// TestFuncs checks what is said of functions.
func TestFuncs(t *testing.T) {
	p, msgs := checkText("f.gw", "/// Scales.\n/// Twice.\npub fn f<K: Size, P: Place>(v: &[f32; N] @ Node(1), k: i32) -> f32 @ P\nwhere N: Range<1, 9>, N ~ 5, k: Range<-3, 3>\n{ v.sum() }\nmod m { fn h<T: Num>(x: T) -> T { x } }\nfn bad(x: f32) -> i8 { x }\n")
	if len(msgs.Messages) != 1 {
		t.Fatal(msgs.Err())
	}
	fs := p.Funcs()
	f := fs[0]
	got := strings.Join([]string{f.Name, strings.Join(f.Generics, ";"), strings.Join(f.Params, ";"), f.Result, strings.Join(f.Where, ";"), f.Doc}, "|")
	if want := "f|K: Size;P: Place|v: &[f32; N] @ Node(1);k: i32|f32 @ P|N: Range<1, 9>;N ~ 5;k: Range<-3, 3>|Scales.\nTwice.\n"; got != want || !f.Pub || !f.Runnable || f.Failed {
		t.Errorf("got %q", got)
	}
	if fs[1].Name != "m::h" || fs[1].Runnable || !fs[2].Failed {
		t.Errorf("got %+v and %+v", fs[1], fs[2])
	}
	g, err := p.Graph("f")
	if err != nil {
		t.Fatal(err)
	}
	if s := g.Sizes[1]; s.Name != "N" || s.Lo != 1 || s.Hi != 9 || s.Expected != 5 || !s.Declared {
		t.Errorf("sizes %+v", g.Sizes)
	}
	if i := g.ParamInfo; i[0].Place != (graph.Place{Kind: graph.OnNode, Number: 1}) || i[0].Text != "&[f32; N]" || i[1].Lo != -3 || i[1].Hi != 3 || !i[1].Ranged {
		t.Errorf("parameters %+v", i)
	}
	again, err := p.Graph("f")
	if err != nil || again == g || graph.Print(again) != graph.Print(g) {
		t.Errorf("the second graph differs: %v", err)
	}
	for name, want := range map[string]error{"bad": ErrFailed, "m::h": ErrGeneric, "g": ErrNoFunction} {
		if _, err := p.Graph(name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBug breaks an invariant: the tree has a statement of no known kind. The
// panic becomes a message that holds the program.
func TestBug(t *testing.T) {
	files, msgs := parseAll(t, "fn f(x: f32) -> f32 { x }")
	files[0].Items[0].(*syntax.Func).Params[0].Type = &syntax.TupleType{Elems: []syntax.Type{nil, nil}}
	files[0].Items[0].(*syntax.Func).Where = []syntax.Clause{(*syntax.RangeClause)(nil)}
	if p := Check(files, msgs); p == nil {
		t.Error("there is no program")
	}
	text := msgs.Err().Error()
	if !strings.Contains(text, "this is a bug in Godwit") || !strings.Contains(text, "fn f(x: f32) -> f32 { x }") {
		t.Error(text)
	}
}

// TestTooLarge gives up on a program whose calls multiply.
func TestTooLarge(t *testing.T) {
	var b strings.Builder
	b.WriteString("fn g0(x: f64) -> f64 { x }\n")
	for i := range 40 {
		n := string(rune('0'+i/10)) + string(rune('0'+i%10))
		prev := "g0"
		if i > 0 {
			prev = "h" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		}
		b.WriteString("fn h" + n + "(x: f64) -> f64 { " + prev + "(" + prev + "(x)) }\n")
	}
	_, msgs := checkText("large.gw", b.String())
	if len(msgs.Messages) != 1 || msgs.Messages[0].Code != "T18" {
		t.Errorf("got %d messages\n%v", len(msgs.Messages), msgs.Err())
	}
}
