package wasm

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// counting is a context that counts how often it is asked whether it ended.
type counting struct {
	context.Context
	asked *atomic.Int64
}

func (c counting) Err() error {
	c.asked.Add(1)
	return c.Context.Err()
}

// TestVisits checks that all kinds of loops visit the host often enough for
// the collector and seldom enough to cost nothing.
func TestVisits(t *testing.T) {
	b := newBench(t)
	for name, k := range spinning() {
		t.Run(name, func(t *testing.T) {
			in, l := b.start(t, spinCase(k))
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			c := counting{ctx, new(atomic.Int64)}
			_ = in.Run(c, l.args, 0, l.c.Outer)
			t.Logf("%s: one visit in %v", name, 100*time.Millisecond/time.Duration(max(1, c.asked.Load())))
			if n := c.asked.Load(); n < 5 || n > 20000 {
				t.Errorf("%d visits in 100 ms", n)
			}
		})
	}
}
