package crossing

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFind: where two curves cross is found from a wrong size on, with noise, and where they do not, that is said.
func TestFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, noise := range []float64{0, 0.1} {
		for _, table := range []float64{1000, 300, 6000} {
			c := &Contest{Program: "p", Below: "a", Above: "b", Size: "N", Table: table, Lo: 1, Hi: 1e9,
				Pair: func(_ context.Context, n float64, _ bool) (float64, float64, error) {
					wrong := func() float64 { return math.Exp(noise * rng.NormFloat64()) }
					return n * wrong(), (500 + n/2) * wrong(), nil // cross at 1000
				}}
			x, err := Find(t.Context(), c, 7)
			if err != nil {
				t.Fatal(err)
			}
			if off := math.Abs(math.Log(x.Measured / 1000)); off > 0.05+3*noise || x.From > x.Measured*1.01 || x.To < x.Measured*0.99 {
				t.Errorf("noise %v, table %v: %v in %v to %v", noise, table, x.Measured, x.From, x.To)
			}
			if noise == 0 && math.Abs(x.Factor-max(table/1000, 1000/table)) > 0.05*x.Factor {
				t.Errorf("factor %v of %v", x.Factor, table)
			}
			if text := Text([]*Crossing{x}); strings.Contains(text, "off") != (x.Factor > Near) {
				t.Error(text)
			}
		}
	}
	none := &Contest{Program: "p", Table: 1000, Lo: 1, Hi: 1e9, Pair: func(context.Context, float64, bool) (float64, float64, error) { return 1, 2, nil }}
	x, err := Find(t.Context(), none, 3)
	if err != nil || x.Measured != 0 || !strings.Contains(Text([]*Crossing{x}), "none") {
		t.Errorf("%+v %v", x, err)
	}
}
