package engine

import (
	"context"
	"slices"
	"sync"
)

// In: runs that begin, end, or found no room in the arena beside others. Out: who tries
// again, and when. A run that waits holds no memory, so those that hold some always end, and
// no two wait for each other. Invariant: nobody waits while no run is under way.

// room knows the runs of an engine. The zero room has none.
type room struct {
	mu      sync.Mutex
	active  int         // runs that may hold memory
	moves   uint64      // how often a run has come or gone
	waiting []chan Stay // those that try again, in order
}

// Stay is a run's time in an engine, from Enter to Leave.
type Stay struct {
	alone bool   // when it began, or began again
	moves uint64 // what room.moves was then
}

// Enter tells that a run begins.
func (e *Engine) Enter() Stay {
	r := &e.room
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active++
	return r.stay()
}

func (r *room) stay() Stay {
	r.moves++
	return Stay{r.active == 1, r.moves}
}

// Leave tells that a run has ended and holds no memory. The one that has waited longest
// tries again.
func (e *Engine) Leave() {
	r := &e.room
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active--
	r.wake()
}

func (r *room) wake() {
	r.moves++
	if len(r.waiting) == 0 {
		return
	}
	first := r.waiting[0]
	r.waiting = slices.Delete(r.waiting, 0, 1)
	r.active++
	first <- r.stay()
}

// Again is for a run that found no room and holds no memory any more. It waits until
// another run has ended, and gives the stay of the next attempt. others is false if nobody
// else was there all the time. It fails with what ctx ended with, and the run counts as under
// way in any case.
func (e *Engine) Again(ctx context.Context, s Stay) (next Stay, others bool, err error) {
	r := &e.room
	r.mu.Lock()
	if r.active == 1 {
		defer r.mu.Unlock()
		others = !s.alone || s.moves != r.moves
		return r.stay(), others, nil
	}
	r.active--
	r.moves++
	w := make(chan Stay, 1)
	r.waiting = append(r.waiting, w)
	r.mu.Unlock()
	select {
	case next = <-w:
		return next, true, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.waiting, w); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
		r.active++
		r.moves++
	}
	return next, false, context.Cause(ctx)
}
