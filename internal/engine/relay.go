package engine

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/totals"
)

// In: a job whose kernel carries state by a law, and stretches of its outer indices, which workers take in order. Out: what
// one worker alone leaves: the same bits, faults and states. A worker first runs the kernel of totals over its stretch, which
// brings what both read into its cache; as soon as the workers of all stretches before have done that too, it knows the
// states with which to run the kernel itself. Invariant: the states at an outer index become known once, in order; whoever
// waits waits for an earlier stretch, and is woken if that fails.

// relay is what the workers of a job have in common that carries state.
type relay struct {
	law    *totals.Law
	ahead  *Job    // of the kernel of totals
	bases  []int64 // of the states' regions, by state
	arena  *mem.Arena
	states []kernel.State
	sizes  []int64

	mu      sync.Mutex
	change  *sync.Cond
	at      int64    // the outer index at which the states are known
	state   []uint64 // there
	joined  int      // workers that have had a stretch
	running int      // of them, those that run the kernel itself, the states behind being known
	serial  bool     // stores might meet: one stretch after the other
	failed  int64    // the earliest stretch that failed
}

// errEarlier is for a stretch that cannot run because one before it failed.
var errEarlier = errors.New("engine: an earlier stretch failed")

// Relay has the job run by several workers, from outer index lo on, though its kernel carries state. bases are those of a run by one
// worker. It reports false where there is no law, or no kernel of totals yet. It comes after Under and before
// Worker; Settle must follow when all workers are closed.
func (j *Job) Relay(ctx context.Context, bases []int64, lo int64) (bool, error) {
	t, err := j.c.totals(ctx, j.sizes)
	if errors.Is(err, errNoTotals) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c := &relay{law: j.c.Law(), arena: j.c.arena, states: j.c.Kernel.State, sizes: j.sizes, at: lo, failed: math.MaxInt64}
	c.ahead = j.e.NewJob(t, j.sizes, j.scalars).Under(j.claim)
	c.change = sync.NewCond(&c.mu)
	for _, s := range c.states {
		c.bases = append(c.bases, bases[s.Region])
	}
	c.state = c.read(c.bases)
	j.relay = c
	return true, nil
}

// Settle writes the states behind the last stretch to where one worker would have left them.
func (j *Job) Settle() {
	if c := j.relay; c != nil {
		c.write(c.bases, c.state)
		c.ahead.c.Release()
	}
}

// Totals is the kernel that goes ahead of a job with a relay; nil of others.
func (j *Job) Totals() *Compiled {
	if j.relay == nil {
		return nil
	}
	return j.relay.ahead.c
}

// Fail says that the stretch from lo on does not run, for whatever reason. Those behind will fail too.
func (j *Job) Fail(lo int64) {
	if c := j.relay; c != nil {
		c.fail(lo)
	}
}

func (c *relay) fail(lo int64) {
	c.mu.Lock()
	c.failed = min(c.failed, lo)
	c.mu.Unlock()
	c.change.Broadcast()
}

// cell is where a state rests.
func (c *relay) cell(base int64, i int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.arena.All())), base)), c.states[i].Kind.Size())
}

func (c *relay) read(bases []int64) []uint64 {
	out := make([]uint64, len(bases))
	for i, b := range bases {
		out[i] = column.Get(c.states[i].Kind, c.cell(b, i), 0)
	}
	return out
}

func (c *relay) write(bases []int64, state []uint64) {
	for i, b := range bases {
		column.Put(c.states[i].Kind, c.cell(b, i), 0, state[i])
	}
}

// leg is a worker's part in a relay: a worker of the kernel of totals, and where the states of both rest.
type leg struct {
	relay      *relay
	ahead      *Worker
	joined     bool // it has had a stretch
	span       mem.Span
	own, other []int64 // bases of the states, of the worker and of ahead
}

// cellBytes is enough for a value of any kind.
const cellBytes = 8

func (w *Worker) join(ctx context.Context, c *relay) (err error) {
	l := &leg{relay: c}
	if l.span, err = c.arena.AllocSmall(int64(2 * cellBytes * len(c.states))); err != nil {
		return err
	}
	if l.ahead, err = c.ahead.Worker(ctx); err != nil {
		c.arena.Free(l.span)
		return err
	}
	for i := range c.states {
		l.own, l.other = append(l.own, l.span.Off+int64(2*i*cellBytes)), append(l.other, l.span.Off+int64((2*i+1)*cellBytes))
		w.args.Bases[c.states[i].Region] = l.own[i]
		l.ahead.args.Bases[c.ahead.c.Kernel.State[i].Region] = l.other[i]
	}
	w.leg = l
	return nil
}

func (l *leg) close() {
	l.ahead.Close()
	l.relay.arena.Free(l.span)
}

// setBases places the regions but those of states.
func (l *leg) setBases(w *Worker, bases []int64) {
	for i, s := range l.relay.states {
		w.args.Bases[s.Region] = l.own[i]
	}
	for i, r := range l.relay.law.Regions {
		if l.ahead.job.c.Kernel.Regions[i].Access != kernel.Scratch {
			l.ahead.args.Bases[i] = bases[r]
		}
	}
	for i, s := range l.ahead.job.c.Kernel.State {
		l.ahead.args.Bases[s.Region] = l.other[i]
	}
}

// run executes a stretch. One of no outer indices changes nothing, and is not in the order.
func (l *leg) run(ctx context.Context, w *Worker, lo, hi int64) (err error) {
	if lo >= hi {
		return nil
	}
	c, known, done := l.relay, false, false
	first := c.begin(l, lo)
	defer func() {
		if known {
			c.end()
		}
		if !done { // also when what the caller gave panics
			c.fail(lo)
		}
	}()
	var before []uint64
	if !first {
		c.write(l.other, c.law.Identity())
		if err := l.ahead.run(ctx, lo, hi); err != nil {
			return err
		}
	}
	if before, known, err = c.await(ctx, lo, hi, c.read(l.other), first); err != nil {
		return err
	}
	c.write(l.own, before)
	if err := w.run(ctx, lo, hi); err != nil {
		return err
	}
	if done = true; !known {
		c.advance(hi, c.read(l.own))
	}
	return nil
}

// begin takes part with a stretch. It reports that the kernel itself may run at once, because nobody else has come who
// would have to wait for it, or because one stretch has to run after the other.
func (c *relay) begin(l *leg, lo int64) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !l.joined {
		l.joined = true
		c.joined++
	}
	return c.joined == 1 && c.at == lo || c.serial
}

// end is for a stretch behind which the states were known before it ran.
func (c *relay) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 && c.serial {
		c.change.Broadcast()
	}
}

// await waits for the states before a stretch. known says that those behind it are known too, by its totals; otherwise the
// worker says so when it is done.
func (c *relay) await(ctx context.Context, lo, hi int64, sums []uint64, first bool) (before []uint64, known bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.until(ctx, lo, func() bool { return c.at == lo }); err != nil {
		return nil, false, err
	}
	before = c.state
	if !first && !c.serial {
		if behind := c.law.Join(before, sums); c.law.Disjoint(c.sizes, before, behind) {
			c.running++
			c.at, c.state = hi, behind
			c.change.Broadcast()
			return before, true, nil
		}
		c.serial = true
	}
	return before, false, c.until(ctx, lo, func() bool { return !c.serial || c.running == 0 })
}

// until waits while it is not so, and fails if an earlier stretch has.
func (c *relay) until(ctx context.Context, lo int64, so func() bool) error {
	if !so() {
		defer context.AfterFunc(ctx, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.change.Broadcast()
		})()
	}
	for !so() {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case c.failed < lo:
			return errEarlier
		}
		c.change.Wait()
	}
	return nil
}

// advance makes the states behind a stretch known.
func (c *relay) advance(hi int64, state []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.state = hi, state
	c.change.Broadcast()
}

// stretchBytes is how much of what is read in order a stretch has: half of a core's own cache holds it, so that the kernel finds there
// what the kernel of totals has walked over.
const stretchBytes = 512 << 10

// Stretch is the number of outer indices that a worker of a job with a relay takes at a time, of lo..hi: as many as leave each several.
func (j *Job) Stretch(lo, hi int64, workers int) int64 {
	t, bytes := j.relay.ahead.c, int64(0)
	for i, r := range t.Kernel.Regions {
		if r.Access == kernel.Read && t.Streams(i) {
			first, end := t.Reach(i, j.sizes, lo, lo+1)
			bytes += (end - first) * int64(r.Elem.Size())
		}
	}
	most := max(1, (hi-lo)/int64(4*workers))
	if bytes == 0 {
		return most
	}
	return min(most, max(1, stretchBytes/bytes))
}

// ClaimStretch takes the next stretch of n outer indices up to end.
func ClaimStretch(next *atomic.Int64, n, end int64) (lo, hi int64, ok bool) {
	hi = next.Add(n)
	lo = hi - n
	return lo, min(hi, end), lo < end
}
