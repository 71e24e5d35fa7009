package node

import (
	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// In: a job. Out: its lane. What is small is known before it runs: the proofs bound the
// steps of a kernel, and the parcel says how many times it runs.

// What is small takes tens of microseconds, walks up to a millisecond.
const (
	smallSteps = 1 << 16
	smallWalk  = 1 << 20 // steps of all states together
	smallTurns = 1 << 15 // of preinstalled functions
	smallRows  = 1 << 12
	// What a step writes is one element; but memory is made for all that a task may write.
	smallWritten = 1 << 17
)

// few reports that a task takes few steps, with combining its rows.
func (h *held) few(w *Compute) bool {
	t := w.Task
	if t.Written() > smallWritten {
		return false
	}
	if !h.codes[0].few(t.Sizes, t.Hi-t.Lo, smallSteps) {
		return false
	}
	b := t.Partial.Block
	return t.Partial.Code == 0 || b > 0 && h.codes[1].few(t.Partial.Sizes, (t.Hi-t.Lo)/b+1, smallSteps)
}

// few reports that n outer indices take few steps.
func (e *code) few(sizes []int64, n, most int64) bool {
	if e == nil || e.bound == nil || n < 0 {
		return false
	}
	steps := e.bound(sizes)
	return steps >= 0 && steps <= most/max(n, 1)
}

// short reports that states take few steps until they leave or their turns are over.
func (a *advancing) short(c *Core) bool {
	if a.work.Builtin {
		return int64(a.states) <= smallTurns/max(a.work.Turns, 1)
	}
	b := &a.cargo.batch
	set, ok := c.view.Set(b.Set)
	if !ok || a.work.Shard >= len(set.Shards) {
		return false
	}
	return a.cargo.from[0].codes[0].few(c.walkSizes(b.Sizes, &set.Shards[a.work.Shard], int64(a.states), a.work.Turns), int64(a.states), smallWalk)
}

// walkSizes are the sizes of a batch kernel; see package suspend.
func (c *Core) walkSizes(sizes []int64, s *catalog.Shard, states, turns int64) []int64 {
	c.sizes = append(append(c.sizes[:0], sizes...), states, s.Hi-s.Lo, turns)
	return c.sizes
}
