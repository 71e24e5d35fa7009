package machine

import (
	"math"
	"testing"
)

// The mean is the median where everything is known, and above it the more the less is known.
func TestMean(t *testing.T) {
	for _, c := range []struct {
		in   Spread
		want float64
	}{
		{Exactly(10), 10},
		{Spread{1, 10, 10}, 10},
		{Spread{}, 0},
		{Spread{5, 10, 10 * math.Exp(nineTenths)}, 10 * math.Exp(0.5)}, // a standard deviation of 1
	} {
		if got := c.in.Mean(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("the mean of %v is %v, want %v", c.in, got, c.want)
		}
	}
}
