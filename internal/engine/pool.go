package engine

import (
	"context"
	"errors"
	"sync"
)

// Pool is a fixed number of goroutines that work for one caller at a time:
// the caller itself and helpers that wait in between. Waking a helper takes
// tens of microseconds, so the caller never waits for one that has not begun.
type Pool struct {
	size  int
	begin sync.Once     // starts the helpers when there is work for two
	wake  []chan *shift // per helper
	done  sync.WaitGroup
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

func (p *Pool) start() {
	p.wake = make([]chan *shift, p.size-1)
	for i := range p.wake {
		p.wake[i] = make(chan *shift, 1)
		p.done.Go(func() {
			for s := range p.wake[i] {
				s.help(i + 1)
			}
		})
	}
}

// Size is the number of workers, the caller included.
func (p *Pool) Size() int { return p.size }

// Began reports that helpers have been at work, so that the pool cannot be used after Close.
func (p *Pool) Began() bool { return p.wake != nil }

// Close waits until all helpers have ended.
func (p *Pool) Close() {
	for _, c := range p.wake {
		close(c)
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
	for _, c := range p.wake[:n-1] {
		select {
		case <-c: // from a shift that is over, not yet noticed
		default:
		}
		c <- s
	}
	s.run(0)
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.working.Wait()
	err := context.Cause(s.ctx)
	s.cancel(nil)
	if s.panicked != nil {
		panic(s.panicked)
	}
	return err
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
