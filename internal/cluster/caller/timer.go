package caller

import "container/heap"

// timers is a heap of operations by the time of their next action, each at
// most once; equal times go by ID.
type timers []*operation

func (t timers) Len() int { return len(t) }
func (t timers) Less(i, j int) bool {
	if t[i].wake != t[j].wake {
		return t[i].wake < t[j].wake
	}
	return t[i].id < t[j].id
}
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].slot, t[j].slot = i, j
}
func (t *timers) Push(x any) {
	op := x.(*operation)
	op.slot = len(*t)
	*t = append(*t, op)
}
func (t *timers) Pop() any {
	last := len(*t) - 1
	op := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	op.slot = -1
	return op
}

func (t *timers) cancel(op *operation) {
	if op.slot >= 0 {
		heap.Remove(t, op.slot)
	}
}

// wakeAt sets the time of an operation's next action; its deadline is one in
// any case.
func (c *Core) wakeAt(op *operation, at int64) {
	op.wake = min(at, op.deadline)
	if op.slot < 0 {
		heap.Push(&c.timers, op)
	} else {
		heap.Fix(&c.timers, op.slot)
	}
}

// fire does what is due. An action sets its operation's timer to a later
// time, so this ends.
func (c *Core) fire() {
	for len(c.timers) > 0 && c.timers[0].wake <= c.now {
		op := c.timers[0]
		if op.deadline <= c.now {
			c.expire(op)
			continue
		}
		c.wakeAt(op, op.deadline)
		op.work.due(op)
	}
}

// backoff is how long to wait before an operation's next attempt: nothing
// before the first, then doubling from a sixteenth of the retry time to eight
// times it, and up to half of that more by the request's number, so that callers who
// failed together do not come back together.
func (c *Core) backoff(op *operation) int64 {
	wait := c.opt.Retry / 16 * (1<<min(op.tries, 7) - 1)
	return wait + c.jitter(op, wait/2)
}

// jitter is a number in 0..most that depends on the request and the attempt.
func (c *Core) jitter(op *operation, most int64) int64 {
	x := uint64(op.id)
	if len(op.trips) > 0 {
		x = op.request()
	}
	x += uint64(op.tries) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9 // the finaliser of SplitMix64
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int64((x ^ x>>31) % uint64(most+1))
}

// patience is how long to wait for an answer before a request counts as lost.
func (c *Core) patience(attempts int) int64 { return c.opt.Patience << min(attempts, 3) }
