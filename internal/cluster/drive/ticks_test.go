package drive

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// dozer is a core that waits for as many ticks as its last input said.
type dozer struct {
	left  int
	ticks atomic.Int64
}

func (d *dozer) Step(_ int64, in int) []int {
	if in == 0 {
		d.ticks.Add(1)
		d.left = max(0, d.left-1)
	} else {
		d.left = in
	}
	return nil
}

func (d *dozer) Waits() bool { return d.left > 0 }

// TestTicksRest: a core that waits for nothing is not ticked, and every step that has it wait is followed by all its ticks.
func TestTicksRest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	core := &dozer{}
	d := &Driver[int, int]{Core: core, Now: func() int64 { return 0 }, Ctx: ctx, Do: func(int) int { return 0 }}
	done := make(chan struct{})
	go func() { d.Ticks(time.Millisecond, 0); close(done) }()
	settled := func() int64 {
		for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
			before := core.ticks.Load()
			if time.Sleep(50 * time.Millisecond); core.ticks.Load() == before && before > 0 {
				return before
			}
		}
		t.Fatal("ticks go on, though nothing waits for them")
		return 0
	}
	before := settled()
	for i := range 20 {
		d.Step(5)
		if i%2 == 0 { // another while it waits
			d.Step(7)
		}
		after := settled()
		if n := after - before; n < 5 {
			t.Fatalf("step %d has the core wait for 5 ticks, and %d came", i, n)
		}
		before = after
	}
	d.Between(func() { core.left = 3 })
	if n := settled() - before; n < 3 {
		t.Errorf("what runs between steps has the core wait for 3 ticks, and %d came", n)
	}
	cancel()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("ticks do not end")
	}
}
