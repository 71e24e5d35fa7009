package view

import (
	"math"
	"strings"
	"testing"
)

func TestPlot(t *testing.T) {
	got := Plot([]string{"a", "long"}, []float64{2, -1}, 40)
	want := "a      2            ████████████████████\nlong  -1  ██████████\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var many []float64
	for i := range 500 {
		many = append(many, math.Sin(float64(i)/40))
	}
	many[7] = math.Inf(1)
	got = Plot(nil, many, 60)
	if n := strings.Count(got, "\n"); n != 13 || !strings.Contains(got, "╭") {
		t.Errorf("%d lines:\n%s", n, got)
	}
	for line := range strings.Lines(got) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 60 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, none := range [][]float64{nil, {}, slicesOf(math.NaN(), 50)} {
		if got := Plot(nil, none, 60); got != "nothing to draw\n" {
			t.Errorf("%v: %q", none, got)
		}
	}
	if got := Plot(nil, []float64{math.NaN(), 0}, 60); got != "0  NaN\n1    0\n" {
		t.Errorf("%q", got)
	}
}

func slicesOf(v float64, n int) (list []float64) {
	for range n {
		list = append(list, v)
	}
	return list
}
