package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestPanicOfAWorker shows that a panic is the caller's, whichever worker has it, once all have ended; the pool stays usable.
func TestPanicOfAWorker(t *testing.T) {
	p := NewPool(3)
	defer p.Close()
	for bad := range 3 {
		var begun, ended atomic.Int32
		got := func() (v any) {
			defer func() { v = recover() }()
			_ = p.Do(context.Background(), 3, func(ctx context.Context, worker int) error {
				begun.Add(1)
				defer ended.Add(1)
				for begun.Load() < 3 {
					runtime.Gosched()
				}
				if worker == bad {
					panic(bad)
				}
				<-ctx.Done()
				return nil
			})
			return nil
		}()
		if got != bad || ended.Load() != 3 {
			t.Errorf("worker %d panics: recovered %v after %d of %d workers", bad, got, ended.Load(), begun.Load())
		}
	}
	if err := p.Do(context.Background(), 3, func(context.Context, int) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestWorkerThatGoes shows that a worker whose goroutine is ended is an error, and no result.
func TestWorkerThatGoes(t *testing.T) {
	p := NewPool(2)
	defer p.Close()
	for turn := range 2 {
		begun := make(chan struct{})
		err := p.Do(context.Background(), 2, func(ctx context.Context, worker int) error {
			if worker == 1 {
				close(begun)
				runtime.Goexit()
			}
			if turn == 0 {
				<-begun
			}
			return nil
		})
		if want := turn == 0; errors.Is(err, errGone) != want {
			t.Errorf("turn %d: %v", turn, err)
		}
	}
}

// TestKeptAwake shows that a helper that has just worked has its next work without being woken, sleeps when there is none for
// long, and keeps nobody waiting for it to end.
func TestKeptAwake(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("SKIPPED: one processor, so nobody stays awake")
	}
	p := NewPool(2)
	p.KeepAwake(time.Hour) // cut to mostAwake
	both := func() {
		var begun atomic.Int32
		_ = p.Do(context.Background(), 2, func(context.Context, int) error {
			begun.Add(1)
			for begun.Load() < 2 {
				runtime.Gosched()
			}
			return nil
		})
	}
	both()
	handed := 0
	for range 200 {
		for start := time.Now(); !p.Awake() && time.Since(start) < mostAwake; {
		}
		if before := p.Woken(); p.Awake() {
			both()
			if p.Woken() == before {
				handed++
			}
			continue
		}
		both()
	}
	if handed == 0 {
		t.Error("of 200 shifts, one soon after the other, a helper had to be woken for each")
	}
	for start := time.Now(); p.Awake(); {
		if time.Since(start) > time.Second {
			t.Fatal("a helper without work is awake for ever")
		}
		runtime.Gosched()
	}
	time.Sleep(20 * time.Millisecond) // it goes to sleep
	before := p.Woken()
	both()
	if p.Woken() != before+1 {
		t.Errorf("a helper that sleeps was woken %d times, expected once", p.Woken()-before)
	}
	p.Close()
	many := NewPool(runtime.GOMAXPROCS(0) + 1)
	defer many.Close()
	if many.KeepAwake(time.Hour); many.awake != 0 {
		t.Error("more workers than processors stay awake, in each other's way")
	}
}

// TestCallerThatGoes shows that a caller whose goroutine is ended, as by a callback, does not leave before the others are done.
func TestCallerThatGoes(t *testing.T) {
	p := NewPool(2)
	defer p.Close()
	var done atomic.Bool
	left := make(chan bool)
	go func() {
		defer func() { left <- done.Load() }()
		begun := make(chan struct{})
		_ = p.Do(context.Background(), 2, func(_ context.Context, worker int) error {
			if worker == 1 {
				close(begun)
				time.Sleep(20 * time.Millisecond)
				done.Store(true)
				return nil
			}
			<-begun
			runtime.Goexit()
			return nil
		})
	}()
	if !<-left {
		t.Error("the caller is gone while a helper works")
	}
}

// several is an error that cannot be compared, as those of callers may be.
type several []string

func (s several) Error() string { return strings.Join(s, ", ") }

func (s several) Is(target error) bool { _, ok := target.(several); return ok }

// TestPoolTellsMore: an error that has in it what ended the work comes before the bare end, whichever worker is first; errors that cannot be compared are
// none to stumble over.
func TestPoolTellsMore(t *testing.T) {
	p := NewPool(2)
	defer p.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the work is over")
	both := make(chan struct{}, 2)
	told := fmt.Errorf("%w: node n1 is silent", over)
	err := p.Do(ctx, 2, func(ctx context.Context, worker int) error {
		both <- struct{}{}
		for len(both) < 2 { // until both are at work
			time.Sleep(time.Millisecond)
		}
		cancel(over)
		if worker == 0 {
			return context.Cause(ctx)
		}
		time.Sleep(5 * time.Millisecond)
		return told
	})
	if err != told {
		t.Errorf("%v, expected %v", err, told)
	}
	var list several
	begun := make(chan struct{}, 2)
	if err := p.Do(t.Context(), 2, func(ctx context.Context, worker int) error {
		begun <- struct{}{}
		for len(begun) < 2 {
			time.Sleep(time.Millisecond)
		}
		if worker == 0 {
			return several{"a", "b"}
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}); !errors.As(err, &list) {
		t.Error(err)
	}
}

// TestEndWaits: a shift ends when its helpers have, whether the caller waits for them awake, asleep, or awake in vain.
func TestEndWaits(t *testing.T) {
	for _, awake := range []time.Duration{0, 100 * time.Microsecond, time.Minute} {
		s := &shift{}
		s.working.Add(1)
		s.busy.Add(1)
		var ended atomic.Bool
		go func() {
			time.Sleep(3 * time.Millisecond)
			ended.Store(true)
			s.done()
		}()
		if s.end(awake); !ended.Load() {
			t.Errorf("awake for %v, the caller did not wait", awake)
		}
		if s.help(1); s.busy.Load() != 0 {
			t.Error("a helper begins after the end")
		}
	}
}

// TestEndBesideOthers: who waits for helpers while others make calls sleeps, and says so.
func TestEndBesideOthers(t *testing.T) {
	defer beside.last.Store(0)
	beside.begin()
	beside.begin()
	defer beside.end()
	defer beside.end()
	s := &shift{}
	s.working.Add(1)
	s.busy.Add(1)
	go func() {
		for late := time.Now().Add(10 * time.Second); !s.asleep.Load() && time.Now().Before(late); time.Sleep(time.Millisecond) {
		}
		s.done()
	}()
	if s.end(time.Minute); !s.asleep.Load() {
		t.Error("it waits awake")
	}
}
