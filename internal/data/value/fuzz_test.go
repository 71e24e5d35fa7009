package value

import (
	"encoding/json"
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// FuzzParseLiteral holds parsing to its promises on any text: an error or a
// value that is whole.
func FuzzParseLiteral(f *testing.F) {
	for i, c := range literalCases {
		f.Add(c.text, i)
	}
	types := []*graph.Type{
		i64, u8, f32, graph.BoolType, flight, graph.ArrayOf(graph.ArrayOf(f64, m), n), graph.ArrayOf(graph.IndexOf(n), n),
		graph.TupleOf(i64, graph.OptionOf(graph.ArrayOf(flight, size.Const(2)))),
	}
	f.Fuzz(func(t *testing.T, text string, pick int) {
		typ := types[uint(pick)%uint(len(types))]
		sizes := map[string]int64{}
		v, err := ParseLiteral(text, typ, sizes)
		if err != nil {
			return
		}
		for _, c := range v.Columns {
			if int64(len(c.Data)) != c.Len()*int64(c.Kind.Size()) {
				t.Fatalf("%q: a column of %v holds %d bytes", text, c.Dims, len(c.Data))
			}
		}
		if !json.Valid(JSON(v)) {
			t.Fatalf("%q: %s", text, JSON(v))
		}
		Render(v, RenderOptions{})
	})
}
