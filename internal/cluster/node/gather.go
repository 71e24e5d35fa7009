package node

import "slices"

// States of one walk that travel and run together cost a fraction of what they
// cost one by one. On the way they scatter: what arrives together leaves for many
// owners. So a node lets them gather again: states stay behind while others of
// their walk run in the same shard, and, of a walk that has brought many at a
// time, until enough are there or some time has passed. Walks of a few states
// never wait; the last states of a wide walk do so a few times, each time for
// half as many others.

const (
	// wide is how many states of a walk must have run together before others of it
	// wait for company.
	wide = 16
	// gatherTime is how many microseconds they wait at most: longer than it usually takes
	// for a batch of the previous size to arrive.
	gatherTime = 5000
)

// Alarm asks for a Tick after some microseconds. To miss one does no harm but
// to speed.
type Alarm struct{ After int64 }

func (*Alarm) effect() {}

// stays keeps a job out of the queue for the present, if that is better.
func (c *Core) stays(a *advancing) bool {
	switch r := a.request(); {
	case r.advances(a.work.Shard):
		a.behind = true
	case r.peak >= wide && !a.enough():
		a.behind, a.until = true, c.now+gatherTime
		c.gathering = append(c.gathering, a)
		c.effect(&Alarm{After: gatherTime})
	}
	return a.behind
}

// advances reports whether states of the request run in a shard.
func (r *request) advances(shard int) bool {
	for a := range r.advancing() {
		if a.running && a.work.Shard == shard {
			return true
		}
	}
	return false
}

// enough reports whether a job has about as many states as the walk has brought
// together before.
func (a *advancing) enough() bool { return 2*a.states >= a.request().peak }

// joined takes note of states that have joined a job.
func (c *Core) joined(a *advancing) {
	if a.until > 0 && a.enough() {
		c.proceed(a)
	}
}

func (a *advancing) leave(c *Core) {
	if a.behind {
		c.catchUp(a)
	} else {
		c.lanes[a.lane].drop(&a.job)
	}
}

// catchUp takes a job out of those that stay behind.
func (c *Core) catchUp(a *advancing) {
	if a.until > 0 {
		i := slices.Index(c.gathering, a)
		c.gathering = slices.Delete(c.gathering, i, i+1)
	}
	a.behind, a.until = false, 0
}

// proceed queues a job that stayed behind.
func (c *Core) proceed(a *advancing) {
	c.catchUp(a)
	c.wait(&a.job)
}

// follow lets the job run that stayed behind one that has ended, or has it
// gather; others that stayed behind, which run another loop or are too large to
// join it, follow that one.
func (c *Core) follow(ended *advancing) {
	for a := range ended.request().advancing() {
		if a.behind && a.until == 0 && a.work.Shard == ended.work.Shard {
			a.behind = false
			if !c.stays(a) {
				c.wait(&a.job)
			}
			return
		}
	}
}

// gathered queues the jobs that have waited long enough. That there was no more
// company says that fewer states are under way.
func (c *Core) gathered() {
	for len(c.gathering) > 0 && c.gathering[0].until <= c.now {
		a := c.gathering[0]
		r := a.request()
		r.peak = max(2*a.states, r.peak/2)
		c.proceed(a)
	}
}
