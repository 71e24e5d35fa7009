package view

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/plan/watch"
)

// TestAccused: each accusation is a line with its evidence; without any there is nothing.
func TestAccused(t *testing.T) {
	now := time.Unix(1000, 0)
	accuse := func(kind watch.Kind, stops bool) watch.Accusation {
		return watch.Accusation{Resource: watch.Resource{Kind: kind, Name: "n2"}, Since: now.Add(-90 * time.Second), Pieces: 132, Factor: 3.04, Stops: stops}
	}
	got := Accused([]watch.Accusation{accuse(watch.Node, false), accuse(watch.Node, true), accuse(watch.Link, false), accuse(watch.Disk, false), accuse(watch.Model, false), accuse(watch.Description, false)}, now)
	want := `
n2 is slow: 132 pieces in the last 90s took 3 times as long as before
n2 stops again and again: 132 pieces in the last 90s took 3 times as long as before
the way to n2 is slow: 132 pieces in the last 90s took 3 times as long as before
the disk of n2 is slow: 132 pieces in the last 90s took 3 times as long as before
kernel n2 is not as it is expected: 132 pieces in the last 90s took 3 times as long as expected
n2 is not as it is described (godwit calibrate describes it): 132 pieces in the last 90s took 3 times as long as expected
`
	if got != want {
		t.Errorf("%s", got)
	}
	if got := Accused(nil, now); got != "" {
		t.Errorf("%q of nothing", got)
	}
}
