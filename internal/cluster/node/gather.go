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
	// until as many as last time have come again.
	gatherTime = 5000
)

// Alarm asks for a Tick after some microseconds. To miss one does no harm but
// to speed.
type Alarm struct{ After int64 }

func (*Alarm) effect() {}

// stays keeps an Advance job out of the queue for the present, if that is better.
func (c *Core) stays(j *job) bool {
	switch {
	case j.req.advances(j.advance.Shard):
		j.behind = true
	case j.req.peak >= wide && !j.enough():
		j.behind, j.until = true, c.now+gatherTime
		c.gathering = append(c.gathering, j)
		c.effect(&Alarm{After: gatherTime})
	}
	return j.behind
}

// advances reports whether states of the request run in a shard.
func (r *request) advances(shard int) bool {
	return slices.ContainsFunc(r.jobs, func(j *job) bool { return j.running && j.cargo != nil && j.advance.Shard == shard })
}

// enough reports whether a job has about as many states as the walk has brought
// together before.
func (j *job) enough() bool { return 2*j.states >= j.req.peak }

// joined takes note of states that have joined a job.
func (c *Core) joined(j *job) {
	if j.until > 0 && j.enough() {
		c.proceed(j)
	}
}

// leave takes a job out of those that stay behind; false if it is not one of
// them.
func (c *Core) leave(j *job) bool {
	if !j.behind {
		return false
	}
	if j.until > 0 {
		i := slices.Index(c.gathering, j)
		c.gathering = slices.Delete(c.gathering, i, i+1)
	}
	j.behind, j.until = false, 0
	return true
}

// proceed queues a job that stayed behind.
func (c *Core) proceed(j *job) {
	if c.leave(j) {
		c.wait(j)
	}
}

// follow lets the job run that stayed behind one that has ended, or has it
// gather; others that stayed behind, which run another loop or are too large to
// join it, follow that one.
func (c *Core) follow(ended *job) {
	for _, j := range ended.req.jobs {
		if j.behind && j.until == 0 && j.advance.Shard == ended.advance.Shard {
			j.behind = false
			if !c.stays(j) {
				c.wait(j)
			}
			return
		}
	}
}

// gathered queues the jobs that have waited long enough. That there was no more
// company says that fewer states are under way.
func (c *Core) gathered() {
	for len(c.gathering) > 0 && c.gathering[0].until <= c.now {
		j := c.gathering[0]
		j.req.peak = max(2*j.states, j.req.peak/2)
		c.proceed(j)
	}
}
