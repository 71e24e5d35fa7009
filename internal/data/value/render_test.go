package value

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func parsed(t *testing.T, text string, typ *graph.Type) *Value {
	t.Helper()
	v, err := ParseLiteral(text, typ, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRender(t *testing.T) {
	counting := make([]float32, 1000)
	for i := range counting {
		counting[i] = float32(i) / 4
	}
	wide := make([][]int64, 40)
	for i := range wide {
		wide[i] = make([]int64, 60)
		for j := range wide[i] {
			wide[i][j] = int64(i * j * j)
		}
	}
	matrix, err := FromMatrix(wide)
	if err != nil {
		t.Fatal(err)
	}
	many := "[" + strings.Repeat("{delay: 12, distance: 100.5}, {delay: -3, distance: 1e9},", 20) + "]"
	inner := graph.ArrayOf(f32, m)
	opt := RenderOptions{Width: 72, Rows: 8}
	var out strings.Builder
	for _, c := range []struct {
		name string
		v    *Value
	}{
		{"scalar", Scalar(2.5)},
		{"option", parsed(t, "Some(3)", graph.OptionOf(i64))},
		{"record", parsed(t, "{delay: 3, distance: 4}", flight)},
		{"tuple with arrays", parsed(t, "(1, [2, 3], (4, [5]))", graph.TupleOf(i64, graph.ArrayOf(f32, n), graph.TupleOf(i64, graph.ArrayOf(i64, m))))},
		{"small array", FromSlice([]float32{1, 2.5})},
		{"one element", FromSlice([]uint8{7})},
		{"empty array", FromSlice([]int64{})},
		{"long array", FromSlice(counting)},
		{"options", parsed(t, "[Some(1), None]", graph.ArrayOf(graph.OptionOf(i64), n))},
		{"records", parsed(t, "[{delay: 3, distance: 4}, {delay: -10, distance: 1.25}]", graph.ArrayOf(flight, n))},
		{"many records", parsed(t, many, graph.ArrayOf(flight, n))},
		{"tuples with arrays", parsed(t, "[(1, [2, 3]), (4, [5, 6])]", graph.ArrayOf(graph.TupleOf(i64, inner), n))},
		{"matrix", parsed(t, "[[1, 20.5], [3, 4]]", graph.ArrayOf(inner, n))},
		{"wide matrix", matrix},
		{"cube", parsed(t, "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", graph.ArrayOf(graph.ArrayOf(inner, n), n))},
	} {
		out.WriteString("## " + c.name + "\n" + Render(c.v, opt) + "\n\n")
	}
	const path = "testdata/render.txt"
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("run with -update and read the diff; got\n%s", out.String())
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > opt.Width+1 {
			t.Errorf("wider than %d: %s", opt.Width, line)
		}
	}
}

// wideTable has a record of ten fields, some of them Options and text.
func wideTable(t *testing.T, rows int) *Value {
	typ := graph.Type{Kind: graph.Tuple, Name: "R"}
	for i := range 10 {
		typ.Elems, typ.Names = append(typ.Elems, graph.OptionOf(i64)), append(typ.Names, "field_"+string(rune('a'+i)))
	}
	row := "{"
	for i, n := range typ.Names {
		if i > 0 {
			row += ", "
		}
		row += n + ": " + [...]string{"Some(7)", "None"}[i%2]
	}
	return parsed(t, "["+strings.Repeat(row+"},", rows)+"]", graph.ArrayOf(&typ, n))
}

// A table that a terminal has no room for leaves columns in the middle out, and says so; others have all. Options are shown without
// their Some, and no line stands for a single row.
func TestTablesFit(t *testing.T) {
	for width, want := range map[int]string{
		40: "   field_a  field_b  …  field_i  field_j\n0        7     null  …        7     null\n… 6 of 10 columns are left out; ask\n[R; 1]",
		60: "   field_a  field_b  field_c  field_d  …  field_i  field_j\n0        7     null        7     null  …        7     null\n… 4 of 10 columns are left out; ask\n[R; 1]",
	} {
		got := Render(wideTable(t, 1), RenderOptions{Width: width, Fit: "ask"})
		if got != want {
			t.Errorf("at %d:\n%s\nexpected\n%s", width, got, want)
		}
	}
	for _, opt := range []RenderOptions{{Width: 40}, {Width: 200, Fit: "ask"}} {
		if got := Render(wideTable(t, 1), opt); strings.Contains(got, "…") || !strings.Contains(got, "field_e") {
			t.Errorf("%+v: %s", opt, got)
		}
	}
	for rows, shown := range map[int]int{20: 20, 21: 21, 22: 20} {
		if got := strings.Count(Render(wideTable(t, rows), RenderOptions{}), "null\n"); got != shown {
			t.Errorf("%d of %d rows are shown", got, rows)
		}
	}
}

// What does not print is written as in source, and a joined sign stays one.
func TestEscaped(t *testing.T) {
	for in, want := range map[string]string{"a\nb": `a\nb`, "\x1b[1m": `\x1b[1m`, "👩‍👩‍👧": "👩‍👩‍👧", "é": "é", "\xff": `\xff`} {
		if got := Escaped(in, ""); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}
