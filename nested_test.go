package godwit_test

import (
	"testing"

	"github.com/godwit-run/godwit"
)

// Rows of numbers go in and come out as they are, of any kind, empty ones too.
func TestNestedSlices(t *testing.T) {
	nested(t, "f32", [][]float32{{1.5, -0}, {3, 4}, {5, 6}})
	nested(t, "f64", [][]float64{{1e300}, {-2}})
	nested(t, "i8", [][]int8{{-128, 127, 0}})
	nested(t, "u64", [][]uint64{{1 << 63, 2}, {3, 4}})
	nested(t, "bool", [][]bool{{true, false, true}, {false, false, true}})
	nested(t, "i16", [][]int16{{}, {}})
	nested(t, "[i32; 2]", [][][]int32{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})
}

func nested[T any](t *testing.T, elem string, rows T) {
	t.Helper()
	f := fn(t, "fn f(m: &[["+elem+"; M]; N]) -> [["+elem+"; M]; N] { m.map(|r| r.map(|v| v)) }")
	equal(t, call[T](t, f, godwit.Args{"m": rows}), rows)
}
