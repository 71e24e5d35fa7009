package codegen

import (
	"errors"
	"fmt"
	"time"
)

// call is a request with those who wait for it.
type call struct {
	kind kind
	key  key
	job  Job
	keep bool // the result goes to disk

	waiters int           // under the service's lock
	blamed  bool          // the child died or was stopped because of it
	done    chan struct{} // closed when result and err are there
	result  *Result
	err     error
}

// startsPerMinute bounds how often a child that dies is replaced.
const startsPerMinute = 5

// warmUp uses what most kernels use: vectors, a loop, a call of an intrinsic.
const warmUp = `define void @warm(ptr noalias %p, i64 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr <16 x float>, ptr %p, i64 %i
  %a = load <16 x float>, ptr %q, align 4
  %b = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %a)
  %c = fcmp ogt <16 x float> %b, zeroinitializer
  %d = select <16 x i1> %c, <16 x float> %a, <16 x float> zeroinitializer
  store <16 x float> %d, ptr %q, align 4
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare <16 x float> @llvm.sqrt.v16f32(<16 x float>)
`

// push queues a call and sees that somebody works. The lock is held.
func (s *Service) push(c *call) {
	c.done = make(chan struct{})
	s.queue = append(s.queue, c)
	if !s.working {
		s.working = true
		s.done.Add(1)
		go s.work()
	}
}

// work performs calls until none is left.
func (s *Service) work() {
	defer s.done.Done()
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.working = false
			s.mu.Unlock()
			return
		}
		c := s.queue[0]
		s.queue = s.queue[1:]
		switch {
		case s.closed:
			c.err = ErrClosed
		case s.missing != nil:
			c.err = s.missing
		case c.waiters == 0:
			c.err = errAbandoned
			delete(s.inflight, c.key) // while nobody can join it any more
		}
		s.mu.Unlock()
		if c.err == nil {
			c.result, c.err = s.perform(c)
		}
		s.finish(c)
	}
}

func (s *Service) finish(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed && c.err != nil {
		c.err = ErrClosed
	} else if c.blamed {
		s.bad[c.key] = c.err
	}
	if s.inflight[c.key] == c {
		delete(s.inflight, c.key)
	}
	close(c.done)
	if c.err != nil && c.waiters > 0 {
		s.opt.Log.Warn("native code was not compiled", "err", c.err)
	}
}

// perform does a call in the child, which it starts if need be.
func (s *Service) perform(c *call) (*Result, error) {
	p, info, err := s.ready()
	if err != nil || c.kind == askInfo {
		return nil, err
	}
	job := c.job.on(info)
	a, err := p.ask(&request{kind: askCompile, job: job}, &s.opt)
	if err != nil {
		s.drop(p)
		c.blamed = true
		return nil, err
	}
	if a.status != done {
		return nil, &SourceError{string(a.body)}
	}
	if c.keep {
		s.disk.put(keyOf(&job, info), a.body)
	}
	return &Result{Object: a.body, Micros: a.micros}, nil
}

// ready gives the child, and what it is, after starting it if there is none.
func (s *Service) ready() (*process, *Info, error) {
	s.mu.Lock()
	if s.child != nil && s.child.gone() { // killed while it was idle
		s.child.kill()
		s.child = nil
	}
	if s.child != nil {
		defer s.mu.Unlock()
		return s.child, s.info, nil
	}
	if err := s.mayStart(time.Now()); err != nil {
		s.mu.Unlock()
		return nil, nil, err
	}
	s.mu.Unlock()
	p, err := start(s.opt.Program)
	s.mu.Lock()
	if s.unstarted = err != nil; err != nil {
		s.mu.Unlock()
		return nil, nil, fmt.Errorf("%w: %w", ErrCrashed, err)
	}
	s.child = p // so that Close finds it
	closed := s.closed
	s.mu.Unlock()
	var info *Info
	if err = ErrClosed; !closed {
		info, err = p.info(&s.opt)
	}
	if err != nil {
		s.drop(p)
		if errors.Is(err, ErrMissing) {
			s.rememberAbsence()
			s.mu.Lock()
			s.missing = err
			s.mu.Unlock()
		}
		return nil, nil, err
	}
	s.mu.Lock()
	s.info = info
	s.mu.Unlock()
	s.remember(info)
	return p, info, nil
}

// drop forgets a child that is of no more use.
func (s *Service) drop(p *process) {
	s.mu.Lock()
	s.child = nil
	s.mu.Unlock()
	p.kill()
}

// mayStart counts a start. The lock is held.
func (s *Service) mayStart(now time.Time) error {
	recent := s.starts[:0]
	for _, t := range s.starts {
		if now.Sub(t) < time.Minute {
			recent = append(recent, t)
		}
	}
	s.starts = recent
	if len(recent) == startsPerMinute {
		again := recent[0].Add(time.Minute).Sub(now).Round(time.Second)
		return fmt.Errorf("%w: it was started %d times within a minute; it is tried again in %s", ErrCrashed, startsPerMinute, again)
	}
	s.starts = append(recent, now)
	return nil
}
