package control

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Who failed comes last, until it answers or some time has passed.
func TestPreference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Preference[string]
		all := []string{"a", "b", "c"}
		order := func(want ...string) {
			t.Helper()
			if got := p.Order(all); !slices.Equal(got, want) {
				t.Errorf("the order is %v, expected %v", got, want)
			}
		}
		order("a", "b", "c")
		p.Judge("a", false)
		time.Sleep(time.Second)
		p.Judge("b", false)
		order("c", "a", "b")
		p.Judge("b", true)
		order("b", "c", "a")
		time.Sleep(distrusted)
		order("a", "b", "c")
	})
}
