package column

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

var kinds = []num.Kind{num.Bool, num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64, num.F32, num.F64}

// TestScalarsComeBack writes canonical bits anywhere into a column: they are
// read as they were, and their neighbours stay.
func TestScalarsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		c := Column{Kind: k, Dims: []int64{3, 5}, Data: make([]byte, 15*k.Size())}
		want := make([]uint64, c.Len())
		for range rapid.IntRange(0, 40).Draw(t, "writes") {
			i, bits := rapid.IntRange(0, 14).Draw(t, "at"), num.Canon(k, rapid.Uint64().Draw(t, "bits"))
			if k == num.Bool {
				bits &= 1
			}
			want[i] = bits
			c.Set(int64(i), bits)
		}
		for i, w := range want {
			if got := c.At(int64(i)); got != w {
				t.Fatalf("%s element %d is %#x, expected %#x", k, i, got, w)
			}
		}
	})
}

func TestOneNaN(t *testing.T) {
	for _, c := range []struct {
		kind         num.Kind
		bits, expect uint64
	}{
		{num.F32, 0xffc00001, 0x7fc00000},
		{num.F32, 0x7f800001, 0x7fc00000},
		{num.F32, 0xff800000, 0xff800000},
		{num.F64, 0xfff0000000000001, 0x7ff8000000000000},
		{num.F64, math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(1))},
		{num.I32, uint64(math.MaxUint64), uint64(math.MaxUint64)},
	} {
		col := Column{Kind: c.kind, Dims: []int64{1}, Data: make([]byte, c.kind.Size())}
		col.Set(0, c.bits)
		CanonicalNaN(c.kind, col.Data)
		if got := col.At(0); got != c.expect {
			t.Errorf("%s %#x became %#x, expected %#x", c.kind, c.bits, got, c.expect)
		}
	}
}

// TestExtremes compares with what is read element by element.
func TestExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(kinds).Filter(num.Kind.IsInt).Draw(t, "kind")
		bits := rapid.SliceOfN(rapid.Uint64(), 1, 9).Draw(t, "bits")
		data := make([]byte, len(bits)*k.Size())
		least, most := int64(math.MaxInt64), int64(math.MinInt64)
		for i, x := range bits {
			x = num.Canon(k, x)
			Put(k, data, int64(i), x)
			if k == num.U64 {
				x = min(x, math.MaxInt64)
			}
			least, most = min(least, int64(x)), max(most, int64(x))
		}
		if a, b := Extremes(k, data); a != least || b != most {
			t.Fatalf("%s: %d to %d, expected %d to %d", k, a, b, least, most)
		}
	})
}
