package engine

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
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
