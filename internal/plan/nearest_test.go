package plan

import (
	"math"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// TestNearest: of the runs that are known the model is asked of the one with the same arguments, or of one on either side; of another only where one
// of these tells nothing.
func TestNearest(t *testing.T) {
	c := &Coming{Safe: &verify.Safe{Kernel: &kernel.Kernel{}}, Sizes: []int64{1000}}
	often, once := []float64{2e6, 2e6, 2e6}, []float64{2e6}
	var asked []int64
	ratios := func(list ...seen.Point) int {
		asked = nil
		return len(c.ratios(list, func(p *seen.Point) (float64, bool) {
			asked = append(asked, p.Sizes[0])
			return 1e6 * float64(p.Sizes[0]), p.Sizes[0] != 1500
		}))
	}
	of := func(n int64, took []float64) seen.Point { return seen.Point{Sizes: []int64{n}, Took: took} }
	for _, x := range []struct {
		list []seen.Point
		want []int64
		says int
	}{
		{[]seen.Point{of(10, often), of(500, often), of(999, often), of(4000, often), of(2000, often)}, []int64{999, 2000}, 2},
		{[]seen.Point{of(999, often), of(1000, often), of(1001, often)}, nil, 1},
		{[]seen.Point{of(10, often), of(500, often)}, []int64{500}, 1},
		{[]seen.Point{of(10, often), of(500, once), of(2000, often)}, []int64{500, 2000, 10}, 2}, // one run that is far off is not believed
		{[]seen.Point{of(10, often), of(1500, often), of(2000, often)}, []int64{10, 1500, 2000}, 2},
		{[]seen.Point{of(10, []float64{50})}, nil, 0},
		{[]seen.Point{{Sizes: []int64{1, 2}, Took: often}}, nil, 0},
	} {
		if got := ratios(x.list...); got != x.says {
			t.Errorf("%v: %d say something, expected %d", x.list, got, x.says)
		}
		if x.want == nil && x.says == 1 {
			x.want = []int64{1000}
		}
		if !slices.Equal(asked, x.want) {
			t.Errorf("%v: asked of %v, expected %v", x.list, asked, x.want)
		}
	}
}

// TestFair: of runs that are expected to be over before they are noted only those are noted that something kept waiting. They tell of the same arguments alone.
func TestFair(t *testing.T) {
	c := &Coming{Safe: &verify.Safe{Kernel: &kernel.Kernel{}}, Sizes: []int64{1000}}
	for _, x := range []struct {
		size     int64
		times    int
		expected float64
		want     int
	}{{100, 1, 50e3, 0}, {100, 3, 50e3, 1}, {100, 3, 10e3, 0}, {100, 1, 110e3, 1}, {1000, 1, 50e3, 1}, {1000, 3, 10e3, 1}} {
		pt := seen.Point{Sizes: []int64{x.size}, Took: slices.Repeat([]float64{150e3}, x.times)}
		got := c.ratios([]seen.Point{pt}, func(*seen.Point) (float64, bool) { return x.expected, true })
		if len(got) != x.want {
			t.Errorf("%d runs of 150 us over %d elements, where %v ns were expected: %d say something of 1000 elements, expected %d", x.times, x.size, x.expected, len(got), x.want)
		}
	}
}

// TestSame: arguments are the same if all that is known of them is.
func TestSame(t *testing.T) {
	k := &kernel.Kernel{Scalars: make([]kernel.Scalar, 2)}
	c := &Coming{Safe: &verify.Safe{Kernel: k}, Sizes: []int64{3}, Scalar: func(i int) (int64, bool) { return 7, i == 0 }}
	for _, x := range []struct {
		p    seen.Point
		want bool
	}{
		{seen.Point{Sizes: []int64{3}, Scalars: []int64{7, 9}, Known: []bool{true, false}}, true},
		{seen.Point{Sizes: []int64{3}, Scalars: []int64{8, 9}, Known: []bool{true, false}}, false},
		{seen.Point{Sizes: []int64{3}, Scalars: []int64{7, 9}, Known: []bool{true, true}}, false},
		{seen.Point{Sizes: []int64{4}, Scalars: []int64{7, 9}, Known: []bool{true, false}}, false},
	} {
		if got := c.same(&x.p); got != x.want {
			t.Errorf("%+v: %v", x.p, got)
		}
	}
	if v := volume([]int64{0, math.MaxInt64}, 0, nil); math.IsInf(v, 0) || math.IsNaN(v) {
		t.Errorf("a volume of %v", v)
	}
}
