package engine

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// together runs a shift in which all workers take part, and reports what they did.
func together(t *testing.T, p *Pool) {
	t.Helper()
	var begun atomic.Int32
	late := time.Now().Add(10 * time.Second)
	_ = p.Do(context.Background(), p.Size(), func(context.Context, int) error {
		begun.Add(1)
		for int(begun.Load()) < p.Size() && time.Now().Before(late) {
			runtime.Gosched()
		}
		return nil
	})
	if n := int(begun.Load()); n != p.Size() {
		t.Fatalf("%d of %d workers have begun within 10 s", n, p.Size())
	}
}

// asleep waits until all helpers are.
func asleep(t *testing.T, p *Pool) {
	t.Helper()
	late := time.Now().Add(10 * time.Second)
	for _, h := range p.team.helpers {
		for !h.slept.Load() {
			if time.Now().After(late) {
				t.Fatal("a helper without work does not sleep")
			}
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// TestTeamsStandBy shows that the helpers of a pool serve the next one, whether they sleep or are awake, that those nobody wants end
// soon, and all with the engine, with the descriptors of their bells.
func TestTeamsStandBy(t *testing.T) {
	e, err := New(Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	files, routines := descriptors(t), runtime.NumGoroutine()
	var first *team
	var closed time.Time
	for i := range 20 {
		p := e.NewPool(5)
		p.KeepAwake(mostAwake)
		together(t, p)
		if p.team != first && time.Since(closed) < idleFor {
			t.Fatal("a pool that came soon has another team than the one before")
		}
		first = p.team
		if i%2 == 0 {
			asleep(t, p)
			before := p.Woken()
			together(t, p)
			if n := p.Woken() - before; n != 4 {
				t.Errorf("%d of 4 helpers that slept were woken", n)
			}
		}
		closed = time.Now()
		p.Close()
	}
	other := e.NewPool(3)
	together(t, other)
	if other.team == first {
		t.Error("a pool of three has the team of a pool of five")
	}
	other.Close()
	eventuallyFew(t, files, routines)

	p := e.NewPool(4)
	together(t, p)
	p.Close()
	late := e.NewPool(4)
	together(t, late)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	late.Close() // nobody is there to keep its team
	eventuallyFew(t, files, routines)
}

// TestHelpersThatGo shows that a helper whose goroutine was ended by a callback has a successor, also in the pools that follow, and that nothing of
// them is left.
func TestHelpersThatGo(t *testing.T) {
	e, err := New(Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	files, routines := descriptors(t), runtime.NumGoroutine()
	for range 10 {
		p := e.NewPool(4)
		var begun atomic.Int32
		err := p.Do(context.Background(), 4, func(_ context.Context, worker int) error {
			begun.Add(1)
			for begun.Load() < 4 {
				runtime.Gosched()
			}
			if worker > 0 {
				runtime.Goexit()
			}
			return nil
		})
		if !errors.Is(err, errGone) {
			t.Errorf("helpers whose goroutines ended: %v", err)
		}
		p.Close()
		p = e.NewPool(4)
		together(t, p)
		asleep(t, p)
		together(t, p)
		p.Close()
	}
	eventuallyFew(t, files, routines)
}

// TestManyTeams shows that pools at the same time have teams of their own, and that no more than a few stand by afterwards.
func TestManyTeams(t *testing.T) {
	e, err := New(Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	files, routines := descriptors(t), runtime.NumGoroutine()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for range 30 {
				p := e.NewPool(2 + i%4)
				together(t, p)
				p.Close()
			}
		})
	}
	all.Wait()
	e.standby.mu.Lock()
	n := len(e.standby.idle)
	e.standby.mu.Unlock()
	if n > mostIdle {
		t.Errorf("%d teams stand by, expected no more than %d", n, mostIdle)
	}
	eventuallyFew(t, files, routines)
}

func eventuallyFew(t *testing.T, files, routines int) {
	t.Helper()
	for late := time.Now().Add(10 * time.Second); descriptors(t) > files || runtime.NumGoroutine() > routines; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%d descriptors and %d goroutines are left, %d and %d before", descriptors(t), runtime.NumGoroutine(), files, routines)
		}
	}
}

// descriptors is how many are open; 0 where nobody tells.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
