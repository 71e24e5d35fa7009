package node

import "slices"

// In: jobs of many clients. Out: which is next. No kind of work waits behind another
// kind, and no client behind another one's jobs, however many these are.

// The lanes do not take each other's places.
const (
	working = iota // what takes long, or nobody knows
	little         // what is over in a moment, by the proofs and the parcel; reports
	making         // kernels and packages that are compiled
	calling        // packages, which are at work in processes of their own
	lanes
)

// lane is the jobs of one kind.
type lane struct {
	kind    int
	most    int // places
	spare   int // places beside, for those who have none
	each    int // the most that one client has; 0 for no bound
	running int
	queued  int
	clock   int64    // the time of the owner that was served last
	owners  []*owner // of whom jobs wait
}

// standing is that of an owner among owners, or of a client among those of its owner.
// Who has the least time is next. Time is the microseconds that it was given by weight;
// who had nothing to do does not save them up.
type standing struct {
	time    int64
	running int
	waiting int
	clock   int64    // of an owner: the time of its client that was served last
	clients []*party // of an owner: those whose jobs wait
}

const (
	// quantum is what a start counts before it is known how long the job takes.
	quantum = 100
	// debt bounds how far somebody is put behind for time used earlier.
	debt = 1_000_000
)

// wake is the time of somebody who has something to do again.
func (s *standing) wake(clock int64) { s.time = min(max(s.time, clock), clock+debt) }

// push has a job wait for its turn.
func (l *lane) push(j *job) {
	k := j.client
	o := &k.owner.in[l.kind]
	mine := &k.in[l.kind]
	if o.waiting == 0 {
		o.wake(l.clock)
		l.owners = append(l.owners, k.owner)
	}
	if mine.waiting == 0 {
		mine.wake(o.clock)
		o.clients = append(o.clients, k)
	}
	k.jobs[l.kind].push(j)
	l.waits(k, 1)
}

func (l *lane) waits(k *party, n int) {
	l.queued += n
	k.in[l.kind].waiting += n
	k.owner.in[l.kind].waiting += n
}

// drop takes a job out that waits.
func (l *lane) drop(j *job) {
	j.client.jobs[l.kind].drop(j)
	l.left(j.client)
}

// left counts a job that waits no longer.
func (l *lane) left(k *party) {
	l.waits(k, -1)
	o := &k.owner.in[l.kind]
	if k.in[l.kind].waiting == 0 {
		o.clients = slices.DeleteFunc(o.clients, func(x *party) bool { return x == k })
	}
	if o.waiting == 0 {
		l.owners = slices.DeleteFunc(l.owners, func(x *owner) bool { return x == k.owner })
	}
}

// next takes the job whose turn it is, nil if there is none or no place for it.
func (l *lane) next() *job {
	var best *party
	for _, o := range l.owners {
		if best != nil && o.in[l.kind].time >= best.owner.in[l.kind].time {
			continue
		}
		if k := l.of(o); k != nil {
			best = k
		}
	}
	if best == nil {
		return nil
	}
	j := best.jobs[l.kind].pop()
	l.clock = best.owner.in[l.kind].time
	best.owner.in[l.kind].clock = best.in[l.kind].time
	l.left(best)
	return j
}

// of is the client of an owner that is next, nil if there is no place for any.
func (l *lane) of(o *owner) (best *party) {
	for _, k := range o.in[l.kind].clients {
		if l.room(k) && (best == nil || k.in[l.kind].time < best.in[l.kind].time) {
			best = k
		}
	}
	return best
}

// room reports whether there is a place for a job. A client with no job running may use half
// of the spare places, an owner with none all of them.
func (l *lane) room(k *party) bool {
	places := l.most
	switch mine := k.in[l.kind].running; {
	case l.each > 0 && mine >= l.each:
		return false
	case k.owner.in[l.kind].running == 0:
		places += l.spare
	case mine == 0:
		places += l.spare / 2
	}
	return l.running < places
}

// enter gives a job its place.
func (l *lane) enter(k *party) {
	l.running++
	k.in[l.kind].running++
	k.owner.in[l.kind].running++
	l.charge(k, quantum)
}

// exit takes the place back from a job that used processors for so many microseconds.
func (l *lane) exit(k *party, used int64) {
	l.running--
	k.in[l.kind].running--
	k.owner.in[l.kind].running--
	k.used += used
	l.charge(k, max(used-quantum, 0))
}

func (l *lane) charge(k *party, micros int64) {
	micros = micros * clientWeight / k.weight()
	k.in[l.kind].time += micros
	k.owner.in[l.kind].time += micros
}
