package spin

import (
	"testing"
	"time"
)

// clock is a time that goes on with every look at it.
type clock struct{ t time.Duration }

func (c *clock) now() time.Duration {
	c.t += 100 * time.Nanosecond
	return c.t
}

// wait is how long it is looked for something that comes after a while.
func (c *clock) wait(s *Spins, comes time.Duration) (looked time.Duration) {
	start := c.t
	for c.t-start < comes {
		if !s.More() {
			looked = c.t - start
			c.t = start + comes
			s.Found()
			return looked
		}
	}
	s.Found()
	return c.t - start
}

// What comes at once is looked for, what comes late is slept for; both within a few times.
func TestSpins(t *testing.T) {
	c := &clock{}
	s := New(Most, c.now)
	for range 100 {
		if looked := c.wait(s, 5*time.Microsecond); looked < 5*time.Microsecond {
			t.Fatalf("it slept after %v", looked)
		}
	}
	var all time.Duration
	for range 1000 {
		all += c.wait(s, time.Millisecond)
	}
	if all > 1000*time.Millisecond/500 {
		t.Errorf("%v were spent in looking for what comes every millisecond, a thousand times", all)
	}
	n := 0
	for ; c.wait(s, 20*time.Microsecond) < 20*time.Microsecond; n++ { // what comes soon
		if n > 10 {
			t.Fatal("it sleeps for what comes soon")
		}
	}
	// Both sides sleep, so that what was asked for comes late; once it is looked for long enough, it
	// comes in time.
	for range 100 {
		c.wait(s, time.Millisecond)
	}
	for n = 0; ; n++ {
		comes := 60 * time.Microsecond
		if s.until <= 1 {
			comes = 20 * time.Microsecond
		}
		if c.wait(s, comes); s.usual == Most {
			break
		}
		if n > 2*seldomTried {
			t.Fatal("nobody tries to look")
		}
	}
}
