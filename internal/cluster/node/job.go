package node

import (
	"errors"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// job is work that waits for its turn or runs.
type job struct {
	start   Start
	client  *party // that it counts to
	lane    int
	queued  int64 // when
	started int64 // when
	running bool
	dropped bool // in the queue only for its place
	errand  errand
}

// errand is the part in which jobs differ: *building, *serving or *advancing.
type errand interface {
	laneFor(c *Core) int
	// begin is called when the job's turn has come. It gives the time until the job's
	// deadline; false if the job is not to run, or not yet.
	begin(c *Core) (left int64, ok bool)
	ended(c *Core, f Finished)
}

// asked is the job of a request: *serving or *advancing.
type asked interface {
	errand
	base() *job
	// leave takes the job, which waits, out of where it waits.
	leave(c *Core)
	// discard gives up what the job holds.
	discard(c *Core)
}

func (j *job) base() *job { return j }

// queue has the jobs that wait, by arrival.
type queue struct {
	jobs    []*job
	head    int // those before it have been taken
	dropped int
}

func (q *queue) push(j *job) { q.jobs = append(q.jobs, j) }

// pop takes the first job that was not dropped, nil if there is none.
func (q *queue) pop() *job {
	for q.head < len(q.jobs) {
		j := q.jobs[q.head]
		q.jobs[q.head] = nil
		if q.head++; q.head == len(q.jobs) {
			q.jobs, q.head = q.jobs[:0], 0
		}
		if !j.dropped {
			return j
		}
		q.dropped--
	}
	return nil
}

// drop leaves out a job. The queue never has more such places than jobs.
func (q *queue) drop(j *job) {
	j.dropped = true
	if q.dropped++; 2*q.dropped > len(q.jobs)-q.head {
		q.jobs = slices.DeleteFunc(q.jobs[q.head:], func(j *job) bool { return j.dropped })
		q.head, q.dropped = 0, 0
	}
}

// wait has a job wait in the lane of its kind.
func (c *Core) wait(j *job) {
	j.lane = j.errand.laneFor(c)
	c.lanes[j.lane].push(j)
}

// dispatch starts jobs while there is room.
func (c *Core) dispatch() {
	for _, i := range [...]int{little, making, calling, working} {
		l := &c.lanes[i]
		for j := l.next(); j != nil; j = l.next() {
			if left, ok := j.errand.begin(c); ok {
				c.launch(j, left)
			}
		}
	}
	c.recall()
}

// overdue ends a request whose deadline came before its job's turn.
func (c *Core) overdue(r *request, j asked) bool {
	if r.deadline > c.now {
		return false
	}
	r.unlist(j)
	c.expire(r)
	j.discard(c)
	c.settle(r)
	return true
}

func (c *Core) launch(j *job, left int64) {
	c.lastJob++
	j.start.Job, j.start.Left = c.lastJob, left
	j.start.Client, j.start.Owner, j.start.Small = j.client.peer, j.client.owner.name, j.lane == little
	j.running, j.started = true, c.now
	c.jobs[j.start.Job] = j
	c.lanes[j.lane].enter(j.client)
	c.effect(&j.start)
}

// stop ends the jobs of a request. Parcels of running ones stay in flight until
// their Finished, because their memory is in use.
func (c *Core) stop(r *request) {
	waiting := make([]asked, 0, len(r.jobs))
	for _, j := range r.jobs {
		if b := j.base(); b.running {
			c.effect(&Stop{Job: b.start.Job})
		} else {
			waiting = append(waiting, j)
		}
	}
	for _, j := range waiting {
		j.leave(c)
		r.unlist(j)
		j.discard(c)
	}
}

// unlist takes a job out of its request's.
func (r *request) unlist(j asked) {
	if i := slices.Index(r.jobs, j); i >= 0 {
		r.jobs = slices.Delete(r.jobs, i, i+1)
	}
}

// finished takes the end of a job.
func (c *Core) finished(f Finished) {
	end := f.End()
	j := c.jobs[end.Job]
	if j == nil {
		c.counts.dropped[unexpected]++
		return
	}
	delete(c.jobs, end.Job)
	c.lanes[j.lane].exit(j.client, end.used())
	if end.Job == c.recalling {
		c.recalling = 0
	}
	j.errand.ended(c, f)
}

// used is the time that a job had processors.
func (e *Ended) used() int64 {
	if e.Used > 0 {
		return e.Used
	}
	return int64(e.Timing.Run) + int64(e.Timing.Verify) + int64(e.Timing.Compile)
}

// runs reports whether a job of the request is running.
func (r *request) runs() bool {
	return slices.ContainsFunc(r.jobs, func(j asked) bool { return j.base().running })
}

// timing is where this node spent the time of a job for a parcel. What the
// parcel waited for its kernel is not queueing.
func (j *job) timing(h *held, took parcel.Timing) parcel.Timing {
	t := h.compile
	t.Verify += took.Verify // of a package whose worker had to be started anew
	t.Run = took.Run
	t.Queue = uint32(min(max(j.started-j.queued, 0), 1<<32-1))
	return t
}

// failure is what the end of a job says that was not what its work ends with.
func failure(end Finished) *parcel.Failure {
	failed, ok := end.(*Failed)
	if !ok {
		return &parcel.Failure{Reason: parcel.Internal, Shard: -1, Detail: fmt.Sprintf("the job ended with a %T", end)}
	}
	f := &parcel.Failure{Reason: parcel.Internal, Shard: -1, Detail: failed.Err.Error()}
	var w *WorkError
	if errors.As(failed.Err, &w) && w.Reason.Valid() {
		f.Reason = w.Reason
		if w.Set != 0 {
			f.Set, f.Shard = w.Set, int32(w.Shard)
		}
	}
	return f
}
