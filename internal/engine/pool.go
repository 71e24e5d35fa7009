package engine

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Pool is a fixed number of goroutines that work for one caller at a time:
// the caller itself and helpers that wait in between. Waking a helper takes
// tens of microseconds, so the caller never waits for one that has not begun, and a helper may stay awake
// for as long as that after its work, see KeepAwake.
type Pool struct {
	size    int
	begin   sync.Once // starts the helpers when there is work for two
	helpers []*helper
	done    sync.WaitGroup
	awake   time.Duration
	resting atomic.Int32 // helpers that are awake without work
	woken   atomic.Int32 // how often a helper had to be woken
	closed  atomic.Bool
}

// helper is where a helper finds its work.
type helper struct {
	next  atomic.Pointer[shift]
	slept atomic.Bool   // whoever makes it false sends to wake
	wake  chan struct{} // of one element
}

// shift is one call of Do.
type shift struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	f      func(ctx context.Context, worker int) error

	mu       sync.Mutex
	over     bool // nobody may begin any more
	panicked any  // what the first worker that panicked did so with
	working  sync.WaitGroup
}

// errPanicked ends the other workers' work; callers see the panic itself.
var errPanicked = errors.New("engine: a worker panicked")

// errGone is for a worker whose goroutine was ended, as by testing.T.FailNow in a callback.
var errGone = errors.New("engine: a callback ended the goroutine that called it")

// NewPool gives a pool of n workers; Close ends it.
func NewPool(n int) *Pool { return &Pool{size: max(n, 1)} }

// mostAwake bounds how long a helper stays awake for nothing.
const mostAwake = 200 * time.Microsecond

// KeepAwake has helpers look for more work for a time after each, at most 200 µs, before they sleep: about as long as it takes to
// wake one loses least in the worst case. Where other goroutines want their processors, these have them. It is for before the first Do.
func (p *Pool) KeepAwake(d time.Duration) {
	if p.size <= runtime.GOMAXPROCS(0) {
		p.awake = min(d, mostAwake)
	}
}

// Awake reports that all helpers are awake, and have no work.
func (p *Pool) Awake() bool { return p.size > 1 && int(p.resting.Load()) == p.size-1 }

// Woken is how often a helper that slept was woken.
func (p *Pool) Woken() int { return int(p.woken.Load()) }

func (p *Pool) start() {
	p.helpers = make([]*helper, p.size-1)
	for i := range p.helpers {
		h := &helper{wake: make(chan struct{}, 1)}
		p.helpers[i] = h
		p.done.Go(func() {
			for s := p.await(h); s != nil; s = p.await(h) {
				s.help(i + 1)
			}
		})
	}
}

// await gives a helper's next work; nil if there will be none.
func (p *Pool) await(h *helper) *shift {
	if s := p.watch(h); s != nil {
		return s
	}
	for !p.closed.Load() {
		h.slept.Store(true)
		if h.next.Load() == nil && !p.closed.Load() || !h.slept.CompareAndSwap(true, false) {
			<-h.wake
		}
		if s := h.next.Swap(nil); s != nil {
			return s
		}
	}
	return nil
}

// looks is how often a helper looks for work before it asks what time it is, some hundreds of nanoseconds.
const looks = 256

// watch is await while the helper stays awake; nil if it had better sleep.
func (p *Pool) watch(h *helper) *shift {
	if p.awake <= 0 {
		return h.next.Swap(nil)
	}
	p.resting.Add(1)
	defer p.resting.Add(-1)
	for start, n := time.Now(), 0; ; n++ {
		if h.next.Load() != nil {
			return h.next.Swap(nil)
		}
		if n%looks != 0 {
			continue
		}
		if p.closed.Load() || time.Since(start) > p.awake {
			return nil
		}
		if n%(16*looks) == 0 {
			runtime.Gosched()
		}
	}
}

// give has a helper take part in a shift, unless it is over before. What it was given before is over.
func (p *Pool) give(h *helper, s *shift) {
	h.next.Store(s)
	if h.slept.CompareAndSwap(true, false) {
		p.woken.Add(1)
		h.wake <- struct{}{}
	}
}

// Size is the number of workers, the caller included.
func (p *Pool) Size() int { return p.size }

// Began reports that helpers have been at work, so that the pool cannot be used after Close.
func (p *Pool) Began() bool { return p.helpers != nil }

// Close waits until all helpers have ended.
func (p *Pool) Close() {
	p.closed.Store(true)
	for _, h := range p.helpers {
		if h.slept.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
	p.done.Wait()
}

// Do calls f on up to n workers at once, numbered from 0, which is the
// caller; each shall return when there is nothing left to begin. The first
// error cancels the context of the others and is returned. A panic, on whichever worker, is one of the caller's,
// once no worker is at work any more.
func (p *Pool) Do(ctx context.Context, n int, f func(ctx context.Context, worker int) error) error {
	n = min(n, p.Size())
	if n <= 1 {
		return f(ctx, 0)
	}
	p.begin.Do(p.start)
	s := &shift{f: f}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	for _, h := range p.helpers[:n-1] {
		p.give(h, s)
	}
	func() {
		defer s.end() // also where a callback ends this goroutine
		s.run(0)
	}()
	err := context.Cause(s.ctx)
	s.cancel(nil)
	if s.panicked != nil {
		panic(s.panicked)
	}
	return err
}

// end lets nobody begin any more, and waits for those who have.
func (s *shift) end() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.working.Wait()
}

func (s *shift) help(worker int) {
	s.mu.Lock()
	begin := !s.over
	if begin {
		s.working.Add(1)
	}
	s.mu.Unlock()
	if begin {
		defer s.working.Done()
		s.run(worker)
	}
}

func (s *shift) run(worker int) {
	returned := false
	defer func() {
		if !returned {
			s.broken(recover())
		}
	}()
	err := s.f(s.ctx, worker)
	returned = true
	if err != nil {
		s.cancel(err)
	}
}

// broken notes that a worker did not return: it panicked with v, or its goroutine ends.
func (s *shift) broken(v any) {
	if v == nil {
		s.cancel(errGone)
		return
	}
	s.mu.Lock()
	if s.panicked == nil {
		s.panicked = v
	}
	s.mu.Unlock()
	s.cancel(errPanicked)
}
