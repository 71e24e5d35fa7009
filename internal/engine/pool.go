package engine

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Pool is a fixed number of workers for one caller at a time:
// the caller itself and helpers, a team of which comes when there is work for two. Waking a helper takes
// tens of microseconds, so the caller never waits for one that has not begun, and a helper may stay awake
// for as long as that after its work, see KeepAwake.
type Pool struct {
	size    int
	standby *standby // where its team comes from and goes to; nil for a team of its own
	awake   time.Duration
	team    *team // nil before there is work for two, and after Close
	woken   int   // how often helpers of the team had been woken before
	began   bool
}

// shift is one call of Do.
type shift struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	f      func(ctx context.Context, worker int) error

	mu       sync.Mutex
	over     bool  // nobody may begin any more
	panicked any   // what the first worker that panicked did so with
	more     error // what ended the work, and more
	working  sync.WaitGroup
	busy     atomic.Int32 // of working
	asleep   atomic.Bool  // the caller, which waits for them
}

// errPanicked ends the other workers' work; callers see the panic itself.
var errPanicked = errors.New("engine: a worker panicked")

// errGone is for a worker whose goroutine was ended, as by testing.T.FailNow in a callback.
var errGone = errors.New("engine: a callback ended the goroutine that called it")

// NewPool gives a pool of n workers, which ends with Close.
func NewPool(n int) *Pool { return &Pool{size: max(n, 1)} }

// NewPool gives a pool of n workers whose helpers stay with the engine for a while after Close, for the next pool.
func (e *Engine) NewPool(n int) *Pool { return &Pool{size: max(n, 1), standby: &e.standby} }

// mostAwake bounds how long a helper stays awake for nothing.
const mostAwake = 200 * time.Microsecond

// KeepAwake has helpers look for more work for a time after each, at most 200 µs, before they sleep: about as long as it takes to
// wake one loses least in the worst case. Only where calls run beside each other do others have their processors meanwhile. It is for before the first Do.
func (p *Pool) KeepAwake(d time.Duration) {
	if p.size <= runtime.GOMAXPROCS(0) {
		p.awake = min(d, mostAwake)
	}
}

// Awake reports that all helpers are awake, and have no work.
func (p *Pool) Awake() bool { return p.team != nil && int(p.team.resting.Load()) == p.size-1 }

// Woken is how often a helper that slept was woken.
func (p *Pool) Woken() int {
	if p.team == nil {
		return 0
	}
	return int(p.team.woken.Load()) - p.woken
}

// begin has a team come.
func (p *Pool) begin() {
	if p.team = p.standby.take(p.size - 1); p.team == nil {
		p.team = newTeam(p.size - 1)
	}
	p.team.awake.Store(int64(p.awake))
	p.woken, p.began = int(p.team.woken.Load()), true
}

// Size is the number of workers, the caller included.
func (p *Pool) Size() int { return p.size }

// Began reports that helpers have been at work, so that the pool cannot be used after Close.
func (p *Pool) Began() bool { return p.began }

// Close lets the helpers go. None is at work any more.
func (p *Pool) Close() {
	if p.team == nil {
		return
	}
	t := p.team
	if p.team = nil; !p.standby.keep(t) {
		t.end()
	}
}

// Do calls f on up to n workers at once, numbered from 0, which is the
// caller; each shall return when there is nothing left to begin. The first
// error cancels the context of the others and is returned, or a later one that has it in itself. A panic, on whichever worker, is one of the caller's,
// once no worker is at work any more.
func (p *Pool) Do(ctx context.Context, n int, f func(ctx context.Context, worker int) error) error {
	n = min(n, p.Size())
	if n <= 1 {
		return f(ctx, 0)
	}
	if p.team == nil {
		p.begin()
	}
	s := &shift{f: f}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	beside.begin()
	defer beside.end()
	p.team.give(s, n-1)
	func() {
		defer s.end(p.awake) // also where a callback ends this goroutine
		s.run(0)
	}()
	err := context.Cause(s.ctx)
	s.cancel(nil)
	if s.panicked != nil {
		panic(s.panicked)
	}
	if s.more != nil {
		return s.more
	}
	return err
}

// end lets nobody begin any more, and waits for those who have: awake for a while, as they end at about the same time. Who sleeps is woken on the
// processor of a helper, whose thread may then wait for that processor, though another one has nothing to do; see bell_linux.go.
func (s *shift) end(awake time.Duration) {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	for start, n := time.Since(began), 1; s.busy.Load() > 0; n++ {
		if n%looks == 0 && (time.Since(began)-start >= awake || beside.under.Load() > 1) {
			s.asleep.Store(true)
			s.working.Wait()
			return
		}
	}
}

func (s *shift) help(worker int) {
	s.mu.Lock()
	begin := !s.over
	if begin {
		s.working.Add(1)
		s.busy.Add(1)
	}
	s.mu.Unlock()
	if begin {
		defer s.done()
		s.run(worker)
	}
}

func (s *shift) done() {
	s.busy.Add(-1) // before who sleeps goes on
	s.working.Done()
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
		s.tell(err)
		s.cancel(err)
	}
}

// tell keeps an error that has what ended the work in it, and more: whoever waited for somebody else only knows that it has ended.
func (s *shift) tell(err error) {
	cause := context.Cause(s.ctx)
	if cause == nil || !errors.Is(err, cause) || reflect.TypeOf(cause).Comparable() && err == cause { // callers' errors may be slices
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.more == nil {
		s.more = err
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
