package num

import "testing"

func TestTypeName(t *testing.T) {
	for _, tt := range []struct {
		kind     Kind
		dims     []int64
		nullable bool
		want     string
	}{
		{F64, nil, false, "f64"},
		{Bool, nil, false, "bool"},
		{I16, nil, true, "Option<i16>"},
		{F32, []int64{3}, false, "[f32; 3]"},
		{F32, []int64{2, 3}, false, "[f32; 2, 3]"},
		{F32, []int64{3}, true, "Option<[f32; 3]>"},
	} {
		if got := TypeName(tt.kind, tt.dims, tt.nullable); got != tt.want {
			t.Errorf("%s, not %s", got, tt.want)
		}
	}
}
