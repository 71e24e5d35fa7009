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
