package node

import (
	"errors"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// job is work that waits for its turn or runs.
type job struct {
	start   Start
	req     *request // nil for Compile and Install
	client  *party   // that it counts to
	lane    int
	held    *held    // nil for Compile, Install and Advance
	part    int      // of the parcel's fan
	code    *code    // Compile and Install
	cargo   *cargo   // Advance
	more    []*cargo // Advance: states that came while it waited
	states  int      // all these
	size    int      // of them, in bytes
	advance Advance
	queued  int64 // when
	started int64 // when
	running bool
	behind  bool  // Advance: not queued yet; see gather.go
	until   int64 // Advance: when it is queued at the latest, if it gathers states; else 0
	dropped bool  // in the queue only for its place
}

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

func (q *queue) len() int { return len(q.jobs) - q.head - q.dropped }

// enqueue puts a job at the end of the queue. An Advance may stay behind.
func (c *Core) enqueue(j *job) {
	j.queued = c.now
	if j.req != nil {
		j.req.jobs = append(j.req.jobs, j)
	}
	if j.cargo == nil || !c.stays(j) {
		c.wait(j)
	}
}

// wait has a job wait in the lane of its kind.
func (c *Core) wait(j *job) {
	j.lane = c.laneFor(j)
	c.lanes[j.lane].push(j)
}

// dispatch starts jobs while there is room.
func (c *Core) dispatch() {
	for _, i := range [...]int{little, making, calling, working} {
		c.start(&c.lanes[i])
	}
	c.recall()
}

func (c *Core) start(l *lane) {
	for j := l.next(); j != nil; j = l.next() {
		switch {
		case j.code != nil && j.code.pins == 0: // those who needed it have left
			c.removeCode(j.code)
		case j.req != nil && j.req.deadline <= c.now:
			j.unlist()
			c.expire(j.req)
			c.discard(j)
			c.settle(j.req)
		case l.kind == little && c.laneFor(j) != little: // states have joined it
			c.wait(j)
		default:
			c.launch(j)
		}
	}
}

func (c *Core) launch(j *job) {
	c.lastJob++
	j.start.Job, j.start.Left = c.lastJob, compileTime
	j.start.Client, j.start.Owner, j.start.Small = j.client.peer, j.client.owner.name, j.lane == little
	if j.req != nil {
		j.start.Left = j.req.deadline - c.now
	}
	if j.cargo != nil {
		c.board(j)
	}
	j.running, j.started = true, c.now
	c.jobs[j.start.Job] = j
	c.lanes[j.lane].enter(j.client)
	c.effect(&j.start)
}

// stop ends the jobs of a request. Parcels of running ones stay in hand until
// their Finished, because their memory is in use.
func (c *Core) stop(r *request) {
	waiting := make([]*job, 0, len(r.jobs))
	for _, j := range r.jobs {
		if j.running {
			c.effect(&Stop{Job: j.start.Job})
		} else {
			waiting = append(waiting, j)
		}
	}
	for _, j := range waiting {
		if !c.leave(j) {
			c.lanes[j.lane].drop(j)
		}
		j.unlist()
		c.discard(j)
	}
}

// unlist takes a job out of its request's.
func (j *job) unlist() {
	if i := slices.Index(j.req.jobs, j); i >= 0 {
		j.req.jobs = slices.Delete(j.req.jobs, i, i+1)
	}
}

// discard gives up what a job holds.
func (c *Core) discard(j *job) {
	if j.held != nil {
		c.release(j.held)
	}
	if j.cargo != nil {
		c.dismiss(j.cargo)
	}
	for _, g := range j.more {
		c.dismiss(g)
	}
}

// finished takes the end of a job.
func (c *Core) finished(f *Finished) {
	j := c.jobs[f.Job]
	if j == nil {
		c.counts.dropped[unexpected]++
		return
	}
	delete(c.jobs, f.Job)
	c.lanes[j.lane].exit(j.client, f.used())
	if f.Job == c.recalling {
		c.recalling = 0
	}
	if j.code != nil {
		c.compiled(j.code, f)
		return
	}
	j.unlist()
	switch {
	case j.req.over:
		c.discard(j)
	case j.cargo != nil:
		// While other states of the request run here, those that leave may wait
		// for these to travel together, but only until the next job ends.
		waited := len(j.req.leaving) > 0
		c.follow(j)
		c.advanced(j, f)
		if waited {
			c.depart(j.req)
		}
		if c.dispatch(); !j.req.runs() {
			c.depart(j.req)
		}
	case j.held.Kind == parcel.Send:
		c.discard(j)
		c.called(j, f)
	case f.Err != nil:
		c.fail(j.req, j.held.Code, failure(f.Err))
		c.discard(j)
	case j.req.fan != nil:
		c.join(j.req.fan, j.part, c.outcome(j, f))
		c.discard(j)
	default:
		c.finish(j.held, c.outcome(j, f))
		c.discard(j)
	}
	c.settle(j.req)
}

// used is the time that a job had processors.
func (f *Finished) used() int64 {
	if f.Used > 0 {
		return f.Used
	}
	return int64(f.Timing.Run) + int64(f.Timing.Verify) + int64(f.Timing.Compile)
}

// runs reports whether a job of the request is running.
func (r *request) runs() bool {
	return slices.ContainsFunc(r.jobs, func(j *job) bool { return j.running })
}

// outcome is a job's answer with what the job took.
func (c *Core) outcome(j *job, f *Finished) *parcel.Answer {
	a := f.Answer
	if a == nil {
		a = new(parcel.Answer)
	}
	a.Faults = LeastFaults(a.Faults, f.Faults)
	a.Steps = max(a.Steps, f.Steps)
	a.Micros = j.timing(j.held, f)
	return a
}

// timing is where this node spent the time of a job for a parcel. What the
// parcel waited for its kernel is not queueing.
func (j *job) timing(h *held, f *Finished) parcel.Timing {
	t := h.compile
	t.Verify += f.Timing.Verify // of a package whose worker had to be started anew
	t.Run = f.Timing.Run
	t.Queue = uint32(min(max(j.started-j.queued, 0), 1<<32-1))
	return t
}

// failure is the failure that a job's error stands for.
func failure(err error) *parcel.Failure {
	f := &parcel.Failure{Reason: parcel.Internal, Shard: -1, Detail: err.Error()}
	var w *WorkError
	if errors.As(err, &w) && w.Reason.Valid() {
		f.Reason = w.Reason
		if w.Set != 0 {
			f.Set, f.Shard = w.Set, int32(w.Shard)
		}
	}
	return f
}
