package run

import (
	"context"
	"errors"
	"sync"

	"github.com/godwit-run/godwit/internal/engine/mem"
)

// pipeline runs a pass over decoded windows. Every worker does whatever
// there is to do: execute a slice of the earliest window that is ready, or
// decode a chunk for a later one.
type pipeline struct {
	p     *pass
	list  []*stream
	ws    []window
	state []progressOf    // per window
	slots []mem.Span      // window i uses slot i modulo their number
	areas []int64         // capacity in rows, per stream
	ahead context.Context // of what will be decoded

	mu      sync.Mutex
	change  *sync.Cond
	begun   int  // windows whose decoding has begun
	tasks   int  // of those
	first   int  // the earliest window with outer indices left to hand out
	serial  bool // a sequential kernel is at work
	failed  int  // the earliest window of which something failed; their number if none
	stopped bool
}

// progressOf is how far a window has got.
type progressOf struct {
	tasks   []windowTask
	handed  int // tasks handed out
	decoded int // tasks finished
	carried bool
	next    int64 // first outer index not handed out
	left    int64 // outer indices not finished
	// bad has failures of decoding, by number of the task, or of execution,
	// which comes after all decoding, by outer index.
	bad failures
}

// windowTask is a task of one of a window's streams.
type windowTask struct {
	task
	stream int
	number int // in the order of handing out
}

func (p *pass) runDecoded() error {
	p.workers = p.m.pool.Size()
	pl := &pipeline{p: p, list: p.streams()}
	pl.change = sync.NewCond(&pl.mu)
	pl.ws = p.planWindows(pl.list)
	pl.state, pl.failed = make([]progressOf, len(pl.ws)), len(pl.ws)
	if err := pl.allocate(); err != nil {
		return err
	}
	defer pl.free()
	ctx, cancel := context.WithCancel(p.m.ctx)
	defer cancel()
	pl.ahead = ctx
	err := p.m.pool.Do(p.m.ctx, p.workers, pl.work)
	if pl.failed < len(pl.ws) {
		return pl.state[pl.failed].bad.first()
	}
	return err
}

// mostSlots is how many windows are in flight, where decoding and computing overlap.
const mostSlots = 4

// allocate makes the slots: as many as the limit allows, two at least where
// one alone does not exceed it, so that decoding and computing overlap. One worker does one thing after the other, in memory that it has just used.
func (pl *pipeline) allocate() error {
	pl.areas = make([]int64, len(pl.list))
	for i := range pl.ws {
		for j, v := range pl.ws[i].views {
			pl.areas[j] = max(pl.areas[j], v.end-v.first)
		}
	}
	size := int64(0)
	for j, s := range pl.list {
		for _, f := range s.feeds {
			s.d.add(f.in, area{off: size})
			s.at = append(s.at, size)
			size += (pl.areas[j]*f.in.rowBytes() + 63) &^ 63
		}
	}
	n := min(int64(len(pl.ws)), max(1, min(mostSlots, pl.p.m.opt.Windows/max(1, size))))
	if pl.p.workers == 1 {
		n = min(n, 1)
	}
	for range n {
		s, err := pl.p.m.eng.Arena().AllocUsed(size) // chunks are decoded before anybody looks
		if err != nil {
			if len(pl.slots) > 0 {
				break // fewer windows in flight
			}
			return &SpaceError{Name: "a window on " + pl.list[0].d.src.Path(), Need: size, Limit: pl.p.m.opt.Windows, Crowded: errors.As(err, new(*mem.FullError)),
				Why: " because its chunks are large", Help: "write the file with smaller row groups or batches"}
		}
		pl.slots = append(pl.slots, s)
	}
	return nil
}

func (pl *pipeline) free() {
	for _, s := range pl.slots {
		pl.p.m.eng.Arena().Free(s)
	}
}

func (pl *pipeline) slot(w int) int64 { return pl.slots[w%len(pl.slots)].Off }

// work is what each worker does until nothing is left.
func (pl *pipeline) work(ctx context.Context, _ int) error {
	h, err := pl.p.hand(ctx)
	if err != nil {
		pl.stop()
		return err
	}
	defer h.close()
	// A worker that waits for others must hear of a cancellation.
	defer context.AfterFunc(ctx, pl.stop)()
	pl.mu.Lock()
	defer pl.mu.Unlock()
	for {
		switch did, err := pl.one(ctx, h); {
		case err != nil:
			pl.stopped = true
			pl.change.Broadcast()
			return err
		case pl.stopped || pl.first >= pl.failed:
			return context.Cause(ctx)
		case !did:
			pl.change.Wait()
		}
	}
}

func (pl *pipeline) stop() {
	pl.mu.Lock()
	pl.stopped = true
	pl.change.Broadcast()
	pl.mu.Unlock()
}

// one does one thing, if there is one to do. The lock is held at the
// beginning and at the end.
func (pl *pipeline) one(ctx context.Context, h *hand) (bool, error) {
	if pl.stopped {
		return false, nil
	}
	for w := pl.first; w < min(pl.begun, pl.failed) && pl.state[w].ready(); w++ {
		if lo, hi, ok := pl.claim(w); ok {
			return true, pl.execute(ctx, h, w, lo, hi)
		}
	}
	for pl.begin() {
	}
	for w := pl.first; w < min(pl.begun, pl.failed); w++ {
		if st := &pl.state[w]; st.handed < len(st.tasks) {
			t := st.tasks[st.handed]
			st.handed++
			return true, pl.decode(ctx, w, t)
		}
	}
	return false, nil
}

func (st *progressOf) ready() bool { return st.carried && st.decoded == len(st.tasks) }

// claim takes a slice of a window.
func (pl *pipeline) claim(w int) (lo, hi int64, ok bool) {
	st := &pl.state[w]
	left := pl.ws[w].hi - st.next
	if left == 0 || pl.serial {
		return 0, 0, false
	}
	n := min(pl.p.job.Slice(), (left+int64(pl.p.workers)-1)/int64(pl.p.workers))
	switch {
	case pl.p.stretch > 0:
		n = min(left, pl.p.stretch)
	case pl.p.c.Sequential():
		n, pl.serial = left, true
	}
	lo = st.next
	st.next += n
	return lo, lo + n, true
}

// execute runs a slice without holding the lock.
func (pl *pipeline) execute(ctx context.Context, h *hand, w int, lo, hi int64) error {
	err := pl.unlocked(func() error {
		for j, s := range pl.list {
			for i, f := range s.feeds {
				h.bases[f.region] = pl.slot(w) + s.at[i] - (s.origin+pl.ws[w].views[j].first)*f.in.rowBytes()
			}
		}
		err := h.span(ctx, lo, hi)
		pl.p.done(hi - lo)
		return err
	})
	pl.serial = false
	if err != nil {
		pl.p.job.Fail(lo)
		return pl.fail(ctx, w, int(lo), err)
	}
	st := &pl.state[w]
	st.left -= hi - lo
	for pl.first < pl.begun && pl.state[pl.first].ready() && pl.state[pl.first].left == 0 {
		pl.first++
	}
	pl.change.Broadcast()
	return nil
}

// unlocked calls f without the lock, which is held again afterwards, also when what the caller gave panics in f.
func (pl *pipeline) unlocked(f func() error) error {
	pl.mu.Unlock()
	defer pl.mu.Lock()
	return f()
}

// fail notes what failed of window w. Nothing more is begun there and behind,
// but what is before is seen through, so that the first bad row is the one that
// is reported. A run that was cancelled just ends.
func (pl *pipeline) fail(ctx context.Context, w, number int, err error) error {
	if ctx.Err() != nil {
		return err
	}
	pl.state[w].bad.add(number, err)
	pl.failed = min(pl.failed, w)
	pl.change.Broadcast()
	return nil
}

// begin starts the decoding of the next window if its slot is free.
func (pl *pipeline) begin() bool {
	w := pl.begun
	if w == len(pl.ws) || w-pl.first >= len(pl.slots) || pl.failed < len(pl.ws) {
		return false
	}
	st := &pl.state[w]
	st.next, st.left = pl.ws[w].lo, pl.ws[w].hi-pl.ws[w].lo
	for j, s := range pl.list {
		v := pl.ws[w].views[j]
		tasks := s.d.tasks(v.lo, v.hi)
		s.d.soon(pl.ahead, tasks)
		for _, t := range tasks {
			st.tasks = append(st.tasks, windowTask{t, j, pl.tasks})
			pl.tasks++
		}
	}
	pl.begun++
	pl.carry(w)
	return true
}

// carry copies the rows that window w shares with the one before, as soon as
// that is decoded and w's slot is w's. With a single slot they move within
// it, before anything is decoded behind them.
func (pl *pipeline) carry(w int) {
	if w >= pl.begun || pl.state[w].carried {
		return
	}
	if w > 0 && !pl.state[w-1].ready() {
		return
	}
	pl.state[w].carried = true
	if w == 0 {
		return
	}
	for j, s := range pl.list {
		now, old := pl.ws[w].views[j], pl.ws[w-1].views[j]
		if n := old.end - now.first; n > 0 {
			pl.carryRows(s, w, now.first-old.first, n)
		}
	}
}

func (pl *pipeline) carryRows(s *stream, w int, from, n int64) {
	arena := pl.p.m.eng.Arena()
	for i, f := range s.feeds {
		b := f.in.rowBytes()
		copy(arena.Bytes(pl.slot(w)+s.at[i], n*b), arena.Bytes(pl.slot(w-1)+s.at[i]+from*b, n*b))
	}
}

// decode runs a task without holding the lock.
func (pl *pipeline) decode(ctx context.Context, w int, t windowTask) error {
	err := pl.unlocked(func() error {
		return pl.list[t.stream].d.run(ctx, t.task, pl.slot(w), pl.ws[w].views[t.stream].first)
	})
	if err != nil {
		return pl.fail(ctx, w, t.number, err)
	}
	pl.state[w].decoded++
	for i := w + 1; i < pl.begun && pl.state[i-1].ready(); i++ {
		pl.carry(i)
	}
	pl.change.Broadcast()
	return nil
}
