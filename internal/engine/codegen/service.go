package codegen

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// Service compiles. It is safe for concurrent use. The child starts with the
// first request or Warm, whichever is first, and is started again at most a few
// times a minute when it dies.
//
// Jobs run one after the other in the order in which they came. A job during which
// the child died or had to be stopped is not tried again by this Service.
type Service struct {
	opt  Options
	disk *disk

	mu        sync.Mutex
	queue     []*call
	inflight  map[key]*call
	bad       map[key]error
	info      *Info
	missing   error // why there is no LLVM; final
	working   bool  // a goroutine takes from queue
	closed    bool
	unstarted bool // the system could not start the last child
	child     *process
	starts    []time.Time // of the last children
	done      sync.WaitGroup
}

// New makes a service. It starts nothing.
func New(opt Options) *Service {
	if opt.Limit == 0 {
		opt.Limit = 256 << 20
	}
	if opt.CPU == 0 {
		opt.CPU = 10 * time.Second
	}
	if opt.Timeout == 0 {
		opt.Timeout = time.Minute
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		opt:      opt,
		disk:     newDisk(opt.Dir, opt.Limit, opt.Log),
		missing:  llvm.Off(),
		inflight: map[key]*call{},
		bad:      map[key]error{},
	}
}

// Another is a service like this one, with a child of its own. What one of them compiles the others find where it Keeps.
func (s *Service) Another() *Service { return New(s.opt) }

// Keeps reports that objects are kept on disk.
func (s *Service) Keeps() bool { return s.opt.Dir != "" }

// Warm starts the child in the background, and has it compile a small kernel, so
// that the first real one does not pay for what is set up once.
func (s *Service) Warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing == nil && !s.closed {
		s.push(&call{kind: askCompile, job: Job{Form: IR, Source: []byte(warmUp), Optimise: true}, waiters: 1})
	}
}

// Info says what the child has; it starts the child. It fails with an error that
// wraps ErrMissing where libLLVM is not installed.
func (s *Service) Info(ctx context.Context) (*Info, error) {
	s.mu.Lock()
	if s.info != nil {
		defer s.mu.Unlock()
		return s.info, nil
	}
	c, err := s.join(key{}, &call{kind: askInfo})
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if _, err := s.wait(ctx, c); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info, nil
}

// Compile compiles, or finds the result of an earlier compilation on disk. The
// key of a result is the hash of the source, its form, the target with all its
// features, and the versions of the compiler and of package llvmir. An object that
// is damaged on disk is compiled again. The error wraps ErrMissing, ErrCrashed,
// ErrTimeout, ErrClosed or what ctx ended with, or is a *SourceError with what LLVM
// said. Others that wait for the same result share one compilation, which goes on
// when ctx ends.
func (s *Service) Compile(ctx context.Context, j Job) (*Result, error) {
	if err := j.check(); err != nil {
		return nil, &SourceError{err.Error()}
	}
	info, ok := s.recall()
	if !ok {
		var err error
		if info, err = s.Info(ctx); err != nil {
			return nil, err
		}
	}
	own := j.on(info)
	k := keyOf(&own, info)
	if object, ok := s.disk.get(k); ok {
		return &Result{Object: object, Cached: true}, nil
	}
	s.mu.Lock()
	c, err := s.join(k, &call{kind: askCompile, job: j, keep: true})
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return s.wait(ctx, c)
}

// Cached is Compile that only looks on disk: in well under a millisecond, and
// without the child (this machine's target and the compiler's version are
// remembered in Dir from the last time the child ran on the same processor).
func (s *Service) Cached(j Job) (*Result, bool) {
	info, ok := s.recall()
	if !ok || j.check() != nil {
		return nil, false
	}
	j = j.on(info)
	object, ok := s.disk.get(keyOf(&j, info))
	if !ok {
		return nil, false
	}
	return &Result{Object: object, Cached: true}, true
}

// Running reports that the child runs.
func (s *Service) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.child != nil
}

// Kept reports that there is an object on disk under the name of a job's, whatever is in it.
func (s *Service) Kept(j Job) bool {
	info, ok := s.recall()
	if !ok || j.check() != nil {
		return false
	}
	j = j.on(info)
	return s.disk.has(keyOf(&j, info))
}

// on is the job with its target spelled out.
func (j Job) on(i *Info) Job {
	if j.Target == (Target{}) {
		j.Target = i.Host
	}
	return j
}

// Close ends the child. Jobs that wait end with ErrClosed.
func (s *Service) Close() error {
	s.mu.Lock()
	s.closed = true
	if s.child != nil {
		_ = s.child.cmd.Process.Kill() // whoever waits for its answer goes on
	}
	s.mu.Unlock()
	s.done.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child != nil {
		s.child.kill()
		s.child = nil
	}
	return nil
}

// wait waits for a call that this caller joined.
func (s *Service) wait(ctx context.Context, c *call) (*Result, error) {
	select {
	case <-c.done:
		return c.result, c.err
	case <-ctx.Done():
		s.mu.Lock()
		c.waiters--
		s.mu.Unlock()
		return nil, fmt.Errorf("compile: %w", context.Cause(ctx))
	}
}

// join gives the call under a key that is under way, or queues c as that. The lock
// is held.
func (s *Service) join(k key, c *call) (*call, error) {
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.missing != nil:
		return nil, s.missing
	case s.bad[k] != nil:
		return nil, fmt.Errorf("it is not compiled again: %w", s.bad[k])
	}
	if first := s.inflight[k]; first != nil {
		first.waiters++
		return first, nil
	}
	c.key, c.waiters = k, 1
	s.inflight[k] = c
	s.push(c)
	return c, nil
}

var errAbandoned = errors.New("nobody waits for it any more")
