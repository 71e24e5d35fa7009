package elaborate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestPreludeIsUsed: each item of the prelude is part of some method.
func TestPreludeIsUsed(t *testing.T) {
	for more, names := range preludeNames {
		for name := range strings.FieldsSeq(names) {
			for _, k := range []num.Kind{num.F32, num.F64} {
				callGraph(t, k, false, "x."+name+"("+[]string{"", "y"}[more]+")")
			}
		}
	}
	callGraph(t, num.F64, false, "x.sign()")
	for _, call := range []string{"year", "month", "day", "weekday", "quarter", "day_of_year", "truncate(week)", "truncate(month)", "truncate(quarter)", "truncate(year)"} {
		if !strings.Contains(call, "(") {
			call += "()"
		}
		callGraph(t, num.F64, false, "(x as i64 as Timestamp<s>)."+call+" as i64 as f64")
	}
	for _, groups := range []string{"x.distinct().len() as f64", "x.zip(x).distinct().len() as f64", "x.map(|e| (e as i64, e as i64)).distinct().len() as f64", "x.quantile(0.5)", "x.group_by(|e| e).median().sum()", "x.group_by(|e| e).top_k::<3>().sum()",
		"x.map(|e| { let by = (0..N).index_by(|i| i); by.has((e as i64).clamp_idx::<N>()) }).len() as f64", "x.map(|e| { let by = (0..N).index_by(|i| (i, e as i64)); by.has((0, 1)) }).len() as f64", "x.map(|e| { let by = (0..N).as_of(|i| i); by.has(3) }).len() as f64",
		"{ let by = x.enumerate().as_of(|(i, _)| (i as i64 / 2, i as i64)); x.count(|e| by.has((1, e as i64))) as f64 }", "{ let by = x.enumerate().index_by(|(i, _)| i as i64); by.count(3) as f64 }"} {
		if _, msgs := checkText("f.gw", "fn f(x: &[f64; N]) -> f64 where N >= 1 { "+groups+" }"); msgs.Failed() {
			t.Error(msgs.Err())
		}
	}
	paths, err := filepath.Glob("../prelude/*.gw")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:fn|const) (\w+)`).FindAllStringSubmatch(string(text), -1) {
			if _, used := preludeItems.Load(m[1]); !used {
				t.Errorf("%s: nothing uses `%s`", path, m[1])
			}
		}
	}
}

// TestPreludeIsApart: names of the user's and of the prelude do not meet, in either direction.
func TestPreludeIsApart(t *testing.T) {
	own := `const PI: f64 = 4.0;
const SMALL: f64 = 9.0;
fn short(x: f64) -> f64 { x * PI }
fn bits(x: f64) -> f64 { short(x) }
fn quarter(x: f64) -> f64 { bits(x) + SMALL }
fn sin(x: f64) -> f64 { quarter(x) }
`
	value := func(text, call string) string {
		p, msgs := checkText("f.gw", text+"fn f(x: f64, y: f64) -> f64 { "+call+" }")
		if err := msgs.Err(); err != nil {
			t.Fatal(err)
		}
		g, err := p.Graph("f")
		if err != nil {
			t.Fatal(err)
		}
		return printValue(t, g, call)
	}
	for _, call := range []string{"x.sin()", "x.acos()", "x.atan2(y)"} {
		if value(own, call) != value("", call) {
			t.Errorf("%s depends on what the user declares", call)
		}
	}
	for _, call := range []string{"sin(x)", "quarter(x)", "bits(x)", "from_bits(3)", "short(x)", "x + PI", "[x, y].poly(x)", "fuse(x * y + x)", "x.sin_f32()", "x.quarter()"} {
		_, msgs := checkText("f.gw", "fn f(x: f64, y: f64) -> f64 { "+call+" }")
		if !msgs.Failed() {
			t.Errorf("%s is of the prelude alone, but is not refused", call)
		}
	}
}

// TestPreludeSettlesNothing: literals of the prelude do not have a function elaborated again,
// and a literal of the user's is still one after a call has taken it.
func TestPreludeSettlesNothing(t *testing.T) {
	for _, k := range []num.Kind{num.F32, num.F64} {
		for more, names := range preludeNames {
			for name := range strings.FieldsSeq(names) {
				p, msgs := checkText("f.gw", fmt.Sprintf("fn f(x: &[%s; N]) -> i64 { x.count(|e| e.%s(%s) == e || e.is_nan()) }", k, name, []string{"", "e"}[more]))
				if strings.HasPrefix(name, "is_") {
					continue
				}
				if err := msgs.Err(); err != nil {
					t.Fatal(err)
				}
				if len(p.settled) > 0 {
					t.Errorf("%s in %s settles %v", name, k, p.settled)
				}
			}
		}
	}
	if _, msgs := checkText("f.gw", "fn f() -> (f32, bool) { let s = 1.0; (s, s.is_nan()) }"); msgs.Failed() {
		t.Error(msgs.Err())
	}
}

// TestPreludeTooLarge: what a function of the prelude makes counts, and the message points to the call.
func TestPreludeTooLarge(t *testing.T) {
	defer func(n int) { maxNodes = n }(maxNodes)
	maxNodes = 100
	text := "fn f(x: f64) -> f64 { x.sin().atanh() }"
	_, msgs := checkText("f.gw", text)
	if len(msgs.Messages) != 1 {
		t.Fatalf("%d messages: %v", len(msgs.Messages), msgs.Err())
	}
	m := msgs.Messages[0]
	if at := text[m.Span.Start:m.Span.End]; m.Code != "T18" || m.Source.Path != "f.gw" || at != "x.sin()" {
		t.Errorf("%s in %s at %q: %s", m.Code, m.Source.Path, at, m.Text)
	}
}

// TestPreludeNames: the names of parameters and variables of the prelude do not show.
func TestPreludeNames(t *testing.T) {
	g := callGraph(t, num.F64, false, "(x + y).sin()")
	g.Body.Walk(func(n *graph.Node) bool {
		if n.Op != graph.Param && n.Name != "" {
			t.Errorf("%s is called %q", n.Op, n.Name)
		}
		return true
	})
}

// TestPreludeAtOnce elaborates many functions at the same time.
func TestPreludeAtOnce(t *testing.T) {
	preludeItems.Clear()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, name := range []string{"sin", "ln", "atanh", "cbrt"} {
				if _, msgs := checkText("f.gw", "fn f(x: f64) -> f64 { x."+name+"() }"); msgs.Failed() {
					t.Error(msgs.Err())
				}
			}
		})
	}
	wg.Wait()
	if first := preludeItem("sin"); first == nil || preludeItem("sin") != first {
		t.Error("an item is not kept")
	}
}

// TestLimitsOfGenerics: the name of a generic type stands for a type of numbers.
func TestLimitsOfGenerics(t *testing.T) {
	text := `fn least<T: Num>(x: T) -> T { x.max(T::MIN) }
fn f(x: f32, y: f32) -> f32 { least(x) }
fn g(x: u8) -> u8 { least(x) }
`
	p, msgs := checkText("f.gw", text)
	if err := msgs.Err(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint64{"f": limits(num.F32)["MIN"], "g": 0} {
		g, err := p.Graph(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Body.Results[0].Args[1]; got.Op != graph.Const || got.Bits != want || got.Type.Num != g.Body.Params[0].Type.Num {
			t.Errorf("in %s, T::MIN is %v of %s, want %v", name, got.Bits, got.Type, want)
		}
	}
	for _, kind := range []string{"Any", "Size"} {
		if _, msgs := checkText("f.gw", strings.Replace(text, "Num", kind, 1)); !msgs.Failed() {
			t.Errorf("T: %s has a T::MIN", kind)
		}
	}
}

// TestFusedConstant: a constant factor of a product that is subtracted is negated beforehand.
func TestFusedConstant(t *testing.T) {
	for _, call := range []string{"x - y * 3.0", "x - y * f64::INFINITY", "x - 3.0 * y"} {
		g := callGraph(t, num.F64, true, call)
		for _, v := range [][2]float64{{1, 2}, {6, 2}, {0, 0}, {math.Inf(1), 1}, {math.NaN(), 1}, {1e308, 1e308}} {
			e := &evaluator{known: map[*graph.Node]result{}}
			for i, x := range v {
				e.known[g.Body.Params[i]] = result{num.FromFloat(num.F64, x), true}
			}
			c := 3.0
			if strings.Contains(call, "INF") {
				c = math.Inf(1)
			}
			want := num.FromFloat(num.F64, math.FMA(-v[1], c, v[0]))
			if got, ok := e.value(g.Body.Results[0]); !ok || got != want {
				t.Errorf("%s is %x for %v, want %x", call, got, v, want)
			}
		}
	}
	n := 0
	callGraph(t, num.F64, true, "x - y * 3.0").Body.Walk(func(x *graph.Node) bool {
		if x.Num == num.Neg {
			n++
		}
		return true
	})
	if n != 0 {
		t.Error("y is negated, and not the constant")
	}
}
