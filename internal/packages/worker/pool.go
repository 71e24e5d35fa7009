package worker

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Pool starts workers and keeps them warm. It is safe for concurrent use.
type Pool struct {
	opt     Options
	spawner spawner

	mu      sync.Mutex
	slots   map[string]*slot // by the ID of the program
	uses    uint64
	closed  bool
	closing chan struct{} // closed by Close
	watch   watcher
	dropped atomic.Int64   // bytes of text of workers that are in no log
	changed chan struct{}  // closed and replaced when a worker becomes idle or goes
	spare   spare          // a process started ahead
	pending sync.WaitGroup // what runs in the background
}

// slot is the place of one program in the pool.
type slot struct {
	loading context.Context
	cancel  context.CancelFunc
	ready   chan struct{} // closed once process or err is set, and times
	process *process
	err     error
	times   Times

	// Guarded by Pool.mu.
	dropped bool
	calls   int    // under way or waiting
	used    uint64 // the value of Pool.uses when it was last used
}

// New makes a pool. It starts nothing.
func New(opt Options) *Pool {
	opt.Limits = opt.Limits.withDefaults()
	if opt.Most <= 0 {
		opt.Most = 16
	}
	if opt.Memory <= 0 {
		opt.Memory = min(4<<30, machineMemory()/2)
	}
	return &Pool{
		opt: opt, slots: map[string]*slot{}, changed: make(chan struct{}),
		closing: make(chan struct{}), watch: watcher{wake: make(chan struct{}, 1)},
	}
}

// Load starts the worker of a program, links the object in it and closes the
// sandbox. A missing library, an unknown symbol and a missing X_main are errors that
// name them. Loading the same ID again gives the worker that is there.
func (p *Pool) Load(ctx context.Context, prog *Program) (Times, error) {
	for {
		s, first, wait, err := p.reserve(ctx, prog.ID)
		if err != nil {
			return Times{}, err
		}
		if first {
			p.fill(s, prog)
			return s.times, s.err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return Times{}, &Error{ID: prog.ID, Name: prog.Name, How: "not loaded, because workers are busy: " + ctx.Err().Error(), Cause: ctx.Err()}
		}
		// Whoever was first to load it may have had less patience.
		if s != nil && !(isContext(s.err) && ctx.Err() == nil) {
			return s.times, s.err
		}
	}
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// reserve finds the slot of a program and what to wait for until it is ready, or
// makes a slot for the caller to fill. There is no slot, but still something to
// wait for, if all workers are in calls.
func (p *Pool) reserve(ctx context.Context, id string) (s *slot, first bool, wait chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, nil, ErrClosed
	}
	if s := p.live(id); s != nil {
		return s, false, s.ready, nil
	}
	if len(p.slots) >= p.opt.Most && !p.evict() {
		return nil, false, p.changed, nil
	}
	p.uses++
	s = &slot{ready: make(chan struct{}), used: p.uses}
	s.loading, s.cancel = context.WithTimeout(ctx, loadTime)
	p.slots[id] = s
	return s, true, nil, nil
}

// live gives the slot of a program if its worker has not ended, and notes that it
// is used.
func (p *Pool) live(id string) *slot {
	s := p.slots[id]
	if s == nil {
		return nil
	}
	if s.filled() && s.process.exited() {
		delete(p.slots, id)
		return nil
	}
	p.uses++
	s.used = p.uses
	return s
}

func (s *slot) filled() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}

// fill starts the process of a slot and loads the program.
func (p *Pool) fill(s *slot, prog *Program) {
	w, times, err := p.start(s.loading, prog)
	s.cancel()
	p.mu.Lock()
	if s.dropped { // Drop waits until the slot is ready, and ends the process if there is one
		err = &Error{ID: prog.ID, Name: prog.Name, How: "the package was dropped while it was loaded"}
	}
	s.process, s.times, s.err = w, times, err
	if err != nil && p.slots[prog.ID] == s {
		delete(p.slots, prog.ID)
	}
	p.tell()
	p.mu.Unlock()
	close(s.ready)
}

// start gives a process with the program loaded, or none.
func (p *Pool) start(ctx context.Context, prog *Program) (*process, Times, error) {
	began := time.Now()
	w, err := p.take()
	if err != nil {
		return nil, Times{}, err
	}
	w.said.countIn(&p.dropped)
	link, err := w.load(ctx, prog, p.opt)
	if err != nil {
		return nil, Times{}, err
	}
	return w, Times{Start: max(time.Since(began)-link, 0), Link: link}, nil
}

// evict ends the worker that has not been used for longest and is in no call.
func (p *Pool) evict() bool {
	oldest := ""
	for id, s := range p.slots {
		if s.calls == 0 && s.filled() && (oldest == "" || s.used < p.slots[oldest].used) {
			oldest = id
		}
	}
	s := p.slots[oldest]
	if s == nil {
		return false
	}
	delete(p.slots, oldest)
	p.pending.Go(func() { s.end("its worker made room for another one") })
	return true
}

// end kills the process of a slot that is no longer in the pool.
func (s *slot) end(how string) {
	s.cancel()
	<-s.ready // soon, because loading was cancelled
	if s.process != nil {
		s.process.kill(how, nil)
		s.process.gone()
	}
}

// tell wakes those who wait for a place.
func (p *Pool) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// Call runs a program that is loaded. When ctx ends first, the worker is killed.
// The error is ErrNotLoaded, or an *Error which says how the worker ended ("null
// pointer at …", "stack overflow", "system call socket is forbidden", "out of
// memory", "ran for 10 s"). Calls of one program run one after the other.
func (p *Pool) Call(ctx context.Context, id string, c *Call) (*Outcome, error) {
	if err := p.check(id, c); err != nil {
		return nil, err
	}
	p.mu.Lock()
	s := p.live(id)
	if s == nil || p.closed {
		p.mu.Unlock()
		return nil, ErrNotLoaded
	}
	s.calls++
	p.watched()
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		s.calls--
		p.tell()
		p.mu.Unlock()
	}()
	select {
	case <-s.ready:
	case <-ctx.Done():
		return nil, &Error{ID: id, How: "not started: " + ctx.Err().Error(), Cause: ctx.Err()}
	}
	if s.process == nil {
		return nil, ErrNotLoaded
	}
	return s.process.call(ctx, c)
}

// Drop ends the worker of a program, even in the middle of a call.
func (p *Pool) Drop(id string) {
	p.mu.Lock()
	s := p.slots[id]
	delete(p.slots, id)
	if s != nil {
		s.dropped = true
		p.tell()
	}
	p.mu.Unlock()
	if s != nil {
		s.end("its worker was ended, because the package may not run any more")
	}
}

// Close ends all workers.
func (p *Pool) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	close(p.closing)
	all := p.slots
	p.slots = map[string]*slot{}
	for _, s := range all {
		s.dropped = true
	}
	p.tell()
	p.mu.Unlock()
	for _, s := range all {
		p.pending.Go(func() { s.end("its worker was ended, because the node ends") })
	}
	p.pending.Wait()
	p.discard()
	p.spawner.close()
	return nil
}

// Status is what a pool can tell about its workers.
type Status struct {
	Workers    int   `json:"workers"`
	Held       int64 `json:"held_bytes"`  // memory that they hold, when they were last looked at
	Limit      int64 `json:"limit_bytes"` // of that
	Ended      int64 `json:"ended"`       // for what they did between calls, or to make room
	Dropped    int64 `json:"dropped_text_bytes"`
	Unconfined bool  `json:"unconfined"` // there is no filter of system calls
}

// Status tells how the workers are.
func (p *Pool) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Status{
		Workers: len(p.slots), Held: p.watch.held, Limit: p.opt.Memory, Ended: p.watch.ended,
		Dropped: p.dropped.Load(), Unconfined: p.opt.Unconfined,
	}
	return s
}
