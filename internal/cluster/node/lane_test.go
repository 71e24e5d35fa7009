package node

import "testing"

// Somebody who used an hour falls behind by a second at most, and somebody who was away saves
// nothing up.
func TestWake(t *testing.T) {
	const hour = 3600_000_000
	for _, c := range []struct{ time, clock, want int64 }{
		{hour, 0, debt}, {hour, hour - 1, hour}, {0, hour, hour}, {500, 0, 500},
	} {
		s := standing{time: c.time}
		if s.wake(c.clock); s.time != c.want {
			t.Errorf("who had %d when the clock was %d begins at %d, expected %d", c.time, c.clock, s.time, c.want)
		}
	}
}
