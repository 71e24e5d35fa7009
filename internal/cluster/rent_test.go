package cluster

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Rows come here when launches over the same columns have lost what that takes, and the next ones begin anew; other columns and an older
// view do not count.
func TestRents(t *testing.T) {
	var r rents
	view := &catalog.View{}
	pay := func(v *catalog.View, columns string, lost float64) bool { return r.pay(v, columns, lost, 100) }
	for i, p := range []struct {
		view    *catalog.View
		columns string
		lost    float64
		want    bool
	}{
		{view, "a", 40, false},
		{view, "b", 90, false},
		{view, "a", 40, false},
		{view, "a", 40, true},
		{view, "a", 40, false},
		{view, "b", 10, true},
		{view, "c", 150, true}, // one that loses more than it takes
		{&catalog.View{}, "a", 60, false},
		{view, "a", 60, false},
	} {
		if got := pay(p.view, p.columns, p.lost); got != p.want {
			t.Errorf("payment %d, for %q: %v", i, p.columns, got)
		}
	}
	for i := range mostRents + 1 {
		pay(view, string(rune('0'+i)), 1)
	}
	if len(r.paid) > mostRents {
		t.Errorf("%d are remembered, of at most %d", len(r.paid), mostRents)
	}
}

// A decision that launches lose by is kept until they have lost the price, and given up by who may choose alone.
func TestBought(t *testing.T) {
	for _, strategy := range []Strategy{Auto, Ship} {
		c := &Cluster{}
		c.view.Store(&catalog.View{})
		b := &Beside{c: c, strategy: strategy}
		a := &arranged{set: &catalog.Set{ID: 7}}
		w := &weighed{best: Ship, lost: 30, price: 100}
		for turn := range 4 {
			want := Ship
			if turn == 3 && strategy == Auto {
				want = Fetch
			}
			if got := b.bought(a, w); got.best != want {
				t.Errorf("%s, turn %d: %s", strategy, turn, got.best)
			}
		}
	}
}
