package measure

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{5, 1, 3}, 3}, {[]float64{4, 1, 2, 100}, 3}} {
		if got := median(c.xs); got != c.want {
			t.Errorf("median of %v is %v", c.xs, got)
		}
	}
}

// scripted plays given times.
func scripted(order *[]string, name string, result float64, ms ...int) Runner {
	i := 0
	return func(context.Context) (time.Duration, []float64, error) {
		*order = append(*order, name)
		i++
		return time.Duration(ms[i-1]) * time.Millisecond, []float64{result}, nil
	}
}

func TestRowAlternatesAndTakesMedians(t *testing.T) {
	var order []string
	before := 0
	c := Contest{Name: "x", Against: "C", Unit: "GB/s", Bytes: 1e9, Limit: 400, Pairs: 3, Before: func() error { before++; return nil },
		Ours:      scripted(&order, "A", 1, 999, 999, 10, 20, 10),
		Reference: scripted(&order, "B", 1, 999, 999, 20, 10, 30)}
	r, err := c.Row(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, ""); got != "ABABABABAB" || before != 10 {
		t.Errorf("order %s, %d times before", got, before)
	}
	near(t, "ours", r.Ours, 100)
	near(t, "reference", r.Reference, 50)
	near(t, "ratio", r.Ratio, 2)
	near(t, "least ratio", r.RatioMin, 0.5)
	near(t, "greatest ratio", r.RatioMax, 3)
	near(t, "of limit", r.OfLimit, 0.25)
	if r.N != 3 {
		t.Errorf("%d pairs", r.N)
	}
}

func TestRowInMilliseconds(t *testing.T) {
	var order []string
	c := Contest{Unit: "ms", Limit: 5, Pairs: 1, Ours: scripted(&order, "A", 1, 1, 1, 10), Reference: scripted(&order, "B", 1, 1, 1, 40)}
	r, err := c.Row(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ours", r.Ours, 10)
	near(t, "ratio", r.Ratio, 4)
	near(t, "of limit", r.OfLimit, 0.5)
}

func TestRowWithoutReferenceOrLimit(t *testing.T) {
	var order []string
	r, err := Contest{Unit: "ms", Pairs: 1, Ours: scripted(&order, "A", 1, 1, 1, 10)}.Row(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.Ratio.Known() || r.Reference.Known() || r.Limit.Known() || r.OfLimit.Known() || r.ReferenceName != "" {
		t.Errorf("%+v", r)
	}
	near(t, "ours", r.Ours, 10)
}

func TestWrongResultsAreNotTimed(t *testing.T) {
	var order []string
	c := Contest{Against: "C", Tolerance: 0.5, Pairs: 1, Ours: scripted(&order, "A", 1, 1, 1, 1), Reference: scripted(&order, "B", 2, 1, 1, 1)}
	if _, err := c.Row(context.Background()); err == nil || !strings.Contains(err.Error(), "differ") {
		t.Error(err)
	}
	stopped, stop := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	stop(why)
	if _, err := c.Row(stopped); !errors.Is(err, why) {
		t.Error(err)
	}
}

func TestWithin(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		a, b []float64
		ok   bool
	}{
		{[]float64{1, nan}, []float64{1.01, nan}, true},
		{[]float64{1}, []float64{1.2}, false},
		{[]float64{1}, []float64{nan}, false},
		{[]float64{1}, []float64{1, 1}, false},
	} {
		if err := within(0.1, c.a, c.b); (err == nil) != c.ok {
			t.Errorf("%v and %v: %v", c.a, c.b, err)
		}
	}
}

func near(t *testing.T, what string, got Number, want float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= 1e-9*want) {
		t.Errorf("%s is %v, expected %v", what, got, want)
	}
}
