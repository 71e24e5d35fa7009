package calibrate

import "testing"

// TestAgree: more passes say nothing new where two of each launch took about the least time.
func TestAgree(t *testing.T) {
	for _, c := range []struct {
		times [][]float64
		want  bool
	}{
		{[][]float64{{100, 101, 300}}, true},
		{[][]float64{{100, 110, 110}}, false},
		{[][]float64{{100, 101, 300}, {7, 9, 8}}, false},
		{[][]float64{{100}}, false},
		{nil, true},
	} {
		if got := agree(c.times); got != c.want {
			t.Errorf("%v agree: %v", c.times, got)
		}
	}
}
