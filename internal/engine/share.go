package engine

import (
	"context"
	"slices"
	"sync"
	"time"
)

// In: workers of many clients that want a processor for a slice. Out: who goes on. A
// client has as many turns at a time as there are processors, and no client waits for
// another: those who work at the same time share the processors as the operating system
// shares them between threads. That is why a slice may be as long as it likes.

// Share divides processors between clients. Clients of one owner, such as connections
// with one certificate, have at most crowd times as many turns as there are processors;
// when they have more than once as many, their threads get a lower priority, so that all
// of them together weigh about as much as one client of another owner.
type Share struct {
	procs int

	mu     sync.Mutex
	owners map[string]*crew
	count  int // clients that have joined
	order  uint64
	sweeps bool // a sweep is due
	long   bool // somebody has been at work for long, or had until a moment ago
	rests  time.Time
	onLong func(bool)
}

// crowd is how many clients of one owner can have all their turns at the same time.
const crowd = 8

// lookFrom is how long a worker may be at work before its priority is looked at: threads
// that are lowered are not used again, which is too expensive for what is over sooner.
const lookFrom = 10 * time.Millisecond

// After so long at work a worker yields to what is over soon: to other jobs of the node, and to
// whatever else the machine runs, such as a client that begins, a member of etcd or a shell.
const (
	yieldAfter = 100 * time.Millisecond
	yield      = 10 // nice values, as many as nice(1) takes: a tenth of the weight
)

// crew is the clients of an owner that have joined.
type crew struct {
	clients []*client
	held    []*Turn // under way
}

// client is one of those who share.
type client struct {
	share  *Share
	crew   *crew
	owner  string
	number uint32
	jobs   int // claims
	held   int // turns under way
	queue  []*waiting
}

// waiting is a worker that waits for its turn.
type waiting struct {
	order uint64
	ready chan struct{} // closed when the turn is its own
}

// rest is how long nobody must have been at work for long until that is over.
const rest = time.Second

// NewShare shares so many processors. onLong, if it is not nil, is told when somebody has
// been at work for longer than a moment, and when that is over.
func NewShare(procs int, onLong func(bool)) *Share {
	return &Share{procs: max(procs, 1), owners: map[string]*crew{}, onLong: onLong}
}

// Join gives a claim for one job of a client, until Leave.
func (s *Share) Join(owner string, number uint32) *Claim {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.owners[owner]
	if w == nil {
		w = new(crew)
		s.owners[owner] = w
	}
	i := slices.IndexFunc(w.clients, func(c *client) bool { return c.number == number })
	if i < 0 {
		i = len(w.clients)
		w.clients = append(w.clients, &client{share: s, crew: w, owner: owner, number: number})
		s.count++
	}
	w.clients[i].jobs++
	return &Claim{c: w.clients[i]}
}

func (s *Share) leave(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.jobs--; c.jobs > 0 {
		return
	}
	s.count--
	c.crew.clients = slices.DeleteFunc(c.crew.clients, func(o *client) bool { return o == c })
	if len(c.crew.clients) == 0 {
		delete(s.owners, c.owner)
	}
}

// take waits for a turn. The caller counts as at work when it returns without an error.
// Who is young waits for nobody of the same client while there is no other client: to
// hand turns over costs more than a short job gains.
func (c *client) take(ctx context.Context, young bool) error {
	s := c.share
	s.mu.Lock()
	if len(c.queue) == 0 && s.room(c) || young && s.count == 1 {
		c.held++
		c.crew.held = append(c.crew.held, nil)
		s.mu.Unlock()
		return nil
	}
	s.order++
	w := &waiting{s.order, make(chan struct{})}
	c.queue = append(c.queue, w)
	s.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(c.queue, w); i >= 0 {
		c.queue = slices.Delete(c.queue, i, i+1)
	} else { // it came at the same moment
		c.give(nil)
	}
	return context.Cause(ctx)
}

// room reports whether a client may have one more turn.
func (s *Share) room(c *client) bool {
	return c.held < s.procs && len(c.crew.held) < crowd*s.procs
}

// settle makes known whose a turn is that take has given.
func (s *Share) settle(t *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := t.claim.c.crew
	w.held[slices.Index(w.held, nil)] = t
	if !s.sweeps {
		s.sweeps = true
		time.AfterFunc(lookFrom, s.sweep)
	}
}

// give ends a turn, and lets those go on for whom there is room now: of all clients of
// the owner the one with the fewest turns, then who has waited longest.
func (c *client) give(t *Turn) {
	w := c.crew
	c.held--
	i := slices.Index(w.held, t)
	w.held = slices.Delete(w.held, i, i+1)
	for {
		var next *client
		for _, o := range w.clients {
			if len(o.queue) > 0 && c.share.room(o) && (next == nil || o.before(next)) {
				next = o
			}
		}
		if next == nil {
			return
		}
		first := next.queue[0]
		next.queue = slices.Delete(next.queue, 0, 1)
		next.held++
		w.held = append(w.held, nil)
		close(first.ready)
	}
}

func (c *client) before(o *client) bool {
	if c.held != o.held {
		return c.held < o.held
	}
	return c.queue[0].order < o.queue[0].order
}

// sweep looks at the turns of workers that have been at work for a while. While there
// are several clients, their threads get the priority that suits the number of others of
// the same owner. Those that are old yield besides.
func (s *Share) sweep() {
	s.mu.Lock()
	now, long, any := time.Now(), false, false
	for _, w := range s.owners {
		level := 0
		if s.count > 1 {
			level = lift((len(w.held) + s.procs - 1) / s.procs)
		}
		for _, t := range w.held {
			if any = true; t != nil && now.Sub(t.began) >= lookFrom {
				long = true
				t.lower(level + t.yields(now))
			}
		}
	}
	if long {
		s.rests = now.Add(rest)
	}
	long = now.Before(s.rests)
	changed := long != s.long
	s.long, s.sweeps = long, any || long
	if s.sweeps {
		time.AfterFunc(lookFrom, s.sweep)
	}
	s.mu.Unlock()
	if changed && s.onLong != nil {
		s.onLong(long)
	}
}

// lift is the nice value at which n threads weigh about as much as one at 0: every step
// is a factor of 1.25.
func lift(n int) int {
	level := 0
	for weight := float64(n); weight > 1.12; weight /= 1.25 {
		level++
	}
	return level
}
