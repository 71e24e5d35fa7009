package value

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var (
	f32    = graph.ScalarOf(num.F32)
	f64    = graph.ScalarOf(num.F64)
	u8     = graph.ScalarOf(num.U8)
	i64    = graph.I64Type
	n, m   = size.Var("N"), size.Var("M")
	flight = &graph.Type{Kind: graph.Tuple, Name: "Flight", Names: []string{"delay", "distance"}, Elems: []*graph.Type{i64, f32}}
)

var literalCases = []struct {
	text string
	t    *graph.Type
	want string // JSON
}{
	{"3", i64, "3"},
	{" -1_000 ", i64, "-1000"},
	{"0xff", u8, "255"},
	{"9007199254740993", i64, "9007199254740993"},
	{"18446744073709551615", graph.ScalarOf(num.U64), "18446744073709551615"},
	{"3", f64, "3.0"},
	{"2.5e3", f32, "2500.0"},
	{"-inf", f32, `"-inf"`},
	{"NaN", f64, `"NaN"`},
	{"true", graph.BoolType, "true"},
	{"[1, 2,3,]", graph.ArrayOf(f32, n), "[1.0,2.0,3.0]"},
	{"[]", graph.ArrayOf(graph.ArrayOf(f32, m), n), "[]"},
	{"[[1,2],[3,4],[5,6]]", graph.ArrayOf(graph.ArrayOf(i64, m), n), "[[1,2],[3,4],[5,6]]"},
	{"(1, 2.0)", graph.TupleOf(i64, f64), "[1,2.0]"},
	{"{distance: 4, delay: 3}", flight, `{"delay":3,"distance":4.0}`},
	{"[Flight {delay: 1, distance: 2}, {\"delay\": 3, \"distance\": 4}]", graph.ArrayOf(flight, n), `[{"delay":1,"distance":2.0},{"delay":3,"distance":4.0}]`},
	{"None", graph.OptionOf(i64), "null"},
	{"[Some(3), None]", graph.ArrayOf(graph.OptionOf(i64), n), "[3,null]"},
	{"[None, Some([7, 8])]", graph.ArrayOf(graph.OptionOf(graph.ArrayOf(i64, size.Const(2))), n), "[null,[7,8]]"},
	{"([1, 2], [0, 1, 1])", graph.TupleOf(graph.ArrayOf(f64, n), graph.ArrayOf(graph.IndexOf(n), m)), "[[1.0,2.0],[0,1,1]]"},
	{"[[1,2],[3,4]]", graph.ArrayOf(graph.ArrayOf(i64, n), n), "[[1,2],[3,4]]"},
}

func TestParseLiteral(t *testing.T) {
	for _, c := range literalCases {
		sizes := map[string]int64{}
		v, err := ParseLiteral(c.text, c.t, sizes)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := JSON(v)
		if string(got) != c.want || !json.Valid(got) {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestLiteralBindsSizes(t *testing.T) {
	sizes := map[string]int64{}
	if _, err := ParseLiteral("[[1,2],[3,4],[5,6]]", graph.ArrayOf(graph.ArrayOf(i64, m), n), sizes); err != nil {
		t.Fatal(err)
	}
	if sizes["N"] != 3 || sizes["M"] != 2 {
		t.Errorf("got %v", sizes)
	}
	if _, err := ParseLiteral("[1, 2, 3, 4, 5, 6]", graph.ArrayOf(i64, n.Mul(m)), sizes); err != nil {
		t.Error(err)
	}
	if _, err := ParseLiteral("([1], [2])", graph.TupleOf(graph.ArrayOf(i64, size.Var("Q")), graph.ArrayOf(i64, n)), sizes); err == nil {
		t.Error("a wrong length is accepted")
	}
	if _, learned := sizes["Q"]; learned {
		t.Error("a size is learned from what is no value")
	}
}

func TestLiteralErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		t    *graph.Type
		want string
	}{
		{"", i64, "column 1: expected i64, found the end"},
		{"3 4", i64, "column 3: expected the end of the value, found `4`"},
		{"2.5", i64, "column 1: expected i64, found `2.5`, which is no integer"},
		{"300", u8, "column 1: 300 does not fit u8: 0..=255"},
		{"-1", u8, "does not fit u8"},
		{"abc", f32, "expected f32, found `abc`"},
		{"1e40", f32, "1e40 is too large for f32"},
		{"1", graph.BoolType, "expected true or false, found `1`"},
		{"[1, x]", graph.ArrayOf(i64, n), "column 5: expected i64, found `x`"},
		{"[1 2]", graph.ArrayOf(i64, n), "column 4: expected `,` or `]`, found `2`"},
		{"1, 2", graph.ArrayOf(i64, n), "column 1: expected `[` of [i64; N], found `1`"},
		{"[1, 2", graph.ArrayOf(i64, n), "found the end"},
		{"(1)", graph.TupleOf(i64, f32), "column 3: expected `,` and field 1 of (i64, f32), found `)`"},
		{"(1, 2, 3)", graph.TupleOf(i64, f32), "expected `)` after the 2 fields"},
		{"{delay: 1}", flight, "the field `distance` of Flight is missing"},
		{"{delay: 1, delay: 1}", flight, "given twice"},
		{"{speed: 1}", flight, "expected a field of Flight (delay, distance), found `speed`"},
		{"Some 3", graph.OptionOf(i64), "expected `None` or `Some(…)`"},
		{"[[1, 2], [3]]", graph.ArrayOf(graph.ArrayOf(i64, m), n), "column 10: M is 2, but here is 1 element"},
		{"[1]", graph.ArrayOf(i64, size.Const(2)), "expected 2 elements for [i64; 2], but here is 1 element"},
		{"[1]", graph.ArrayOf(i64, n.AddConst(1)), "the size N + 1 is not known here; give N"},
		{"([1, 2], 2)", graph.TupleOf(graph.ArrayOf(i64, n), graph.IndexOf(n)), "column 10: 2 is no idx<N>, because N is 2"},
		{"-1", graph.IndexOf(n), "below 0"},
	} {
		_, err := ParseLiteral(c.text, c.t, map[string]int64{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}

func TestCheckIndices(t *testing.T) {
	v, err := ParseLiteral("[0, 5]", graph.ArrayOf(graph.IndexOf(m), n), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(k int64) func(string) (int64, bool) { return func(string) (int64, bool) { return k, true } }
	if err := CheckIndices(v, at(6)); err != nil {
		t.Error(err)
	}
	if err := CheckIndices(v, at(5)); err == nil || !strings.Contains(err.Error(), "element 1") {
		t.Errorf("got %v", err)
	}
}

func roundTrip[T Number](t *testing.T, xs ...T) {
	t.Helper()
	got, err := AsSlice[T](FromSlice(xs))
	if err != nil {
		t.Fatal(err)
	}
	for i := range xs {
		one, err := AsScalar[T](Scalar(xs[i]))
		if err != nil || got[i] != xs[i] || one != xs[i] {
			t.Errorf("%v became %v and %v (%v)", xs[i], got[i], one, err)
		}
	}
}

func TestSlices(t *testing.T) {
	roundTrip(t, true, false)
	roundTrip[int8](t, -128, 127)
	roundTrip[int16](t, -32768, 5)
	roundTrip[int32](t, math.MinInt32, 5)
	roundTrip[int64](t, math.MinInt64, 5)
	roundTrip[uint8](t, 255)
	roundTrip[uint16](t, 65535)
	roundTrip[uint32](t, math.MaxUint32)
	roundTrip[uint64](t, math.MaxUint64)
	roundTrip[float32](t, -1.5, float32(math.Inf(1)))
	roundTrip[float64](t, 1e300)
	if _, err := AsSlice[int64](FromSlice([]float32{1})); err == nil {
		t.Error("floats are read as integers")
	}
	if _, err := AsScalar[float32](FromSlice([]float32{1})); err == nil {
		t.Error("an array is read as a scalar")
	}
	if _, err := FromMatrix([][]int32{{1, 2}, {3}}); err == nil {
		t.Error("rows of different lengths are accepted")
	}
	v, err := FromMatrix([][]int32{{1, 2}, {3, 4}})
	if err != nil || string(JSON(v)) != "[[1,2],[3,4]]" {
		t.Errorf("got %s, %v", JSON(v), err)
	}
}
