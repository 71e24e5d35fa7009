package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// What has several pieces changes over when it takes long, so the median counts; what is one piece stays where it is, and the mean does.
func TestStay(t *testing.T) {
	s := machine.Spread{P10: 1, P50: 10, P90: 100}
	if got := plan.Stay(s, 2); got != s.P50 {
		t.Errorf("%v for two pieces, want the median", got)
	}
	if got := plan.Stay(s, 1); got != s.Mean() || got <= s.P50 {
		t.Errorf("%v for one piece, want the mean, %v", got, s.Mean())
	}
}
