package engine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// old is a worker that has been at work for long enough to wait for its turn.
func old(c *Claim) *Turn {
	t := c.Turn()
	t.began = time.Now().Add(-time.Minute)
	return t
}

func took(t *testing.T, w *Turn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := w.Take(ctx); err != nil {
		t.Fatalf("no turn: %v", err)
	}
}

func refuses(t *testing.T, w *Turn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := w.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("there was a turn: %v", err)
	}
}

func empty(t *testing.T, s *Share) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.owners) != 0 || s.count != 0 {
		t.Errorf("%d owners and %d clients are left", len(s.owners), s.count)
	}
}

// A client has as many turns as there are processors, over all its jobs; another one
// does not wait for any of them.
func TestShareOfClients(t *testing.T) {
	s := NewShare(2, nil)
	a, b, other := s.Join("x", 1), s.Join("x", 1), s.Join("y", 2)
	one, two := old(a), old(b)
	took(t, one)
	took(t, two)
	refuses(t, old(a))
	refuses(t, old(b))
	mine := old(other)
	took(t, mine)
	one.Give()
	three := old(b)
	took(t, three)
	for _, w := range []*Turn{two, three, mine} {
		w.Give()
	}
	if a.Used() <= 0 || other.Used() <= 0 {
		t.Errorf("%v and %v were used, expected some time", a.Used(), other.Used())
	}
	for _, c := range []*Claim{a, b, other} {
		c.Leave()
	}
	empty(t, s)
}

// Clients of one owner have turns of their own, but all together not more than crowd
// times as many as there are processors.
func TestShareOfOwners(t *testing.T) {
	s := NewShare(1, nil)
	var held []*Turn
	for i := range uint32(crowd) {
		w := old(s.Join("x", i))
		took(t, w)
		held = append(held, w)
	}
	late := old(s.Join("x", crowd))
	refuses(t, late)
	other := old(s.Join("y", 0))
	took(t, other)
	held[0].Give()
	took(t, late)
}

// Of an owner's clients the one that has least is next, and of one client's workers the
// one that has waited longest.
func TestShareOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShare(1, nil)
		a := s.Join("x", 1)
		first := old(a)
		took(t, first)
		var order []int
		for i := range 3 {
			go func() {
				w := old(a)
				took(t, w)
				order = append(order, i)
				w.Give()
			}()
			synctest.Wait()
		}
		first.Give()
		synctest.Wait()
		if len(order) != 3 || order[0] != 0 || order[1] != 1 || order[2] != 2 {
			t.Errorf("the order was %v", order)
		}
		time.Sleep(2 * rest) // until no sweep is due
	})
}

// A young worker waits for nobody of its own client, unless others want processors too.
func TestShareAlone(t *testing.T) {
	s := NewShare(1, nil)
	a := s.Join("x", 1)
	took(t, old(a))
	took(t, a.Turn())
	if a.Shared() {
		t.Error("a client that is alone shares")
	}
	b := s.Join("y", 2)
	if !a.Shared() || !b.Shared() {
		t.Error("two clients do not share")
	}
	refuses(t, a.Turn())
	b.Leave()
	took(t, a.Turn())
}

// Workers that stop waiting lose no turn, whenever they stop.
func TestShareCancelled(t *testing.T) {
	s := NewShare(2, nil)
	var all sync.WaitGroup
	var most, turns atomic.Int64
	for client := range uint32(3) {
		c := s.Join("x", client)
		var held atomic.Int64
		var workers sync.WaitGroup
		for seed := range uint64(8) {
			workers.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(client)))
				w := old(c)
				for range 300 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(100))*time.Microsecond)
					if w.Take(ctx) == nil {
						n := held.Add(1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
						turns.Add(1)
						time.Sleep(time.Duration(r.IntN(30)) * time.Microsecond)
						held.Add(-1)
						w.Give()
					}
					cancel()
				}
			})
		}
		all.Go(func() {
			workers.Wait()
			took(t, old(c)) // all turns are there
			took(t, old(c))
			refuses(t, old(c))
		})
	}
	all.Wait()
	if most.Load() > 2 || turns.Load() == 0 {
		t.Errorf("a client had %d turns at a time, expected at most 2; %d in all", most.Load(), turns.Load())
	}
}

// Await takes nothing.
func TestShareAwait(t *testing.T) {
	s := NewShare(1, nil)
	a, b := s.Join("x", 1), s.Join("y", 1)
	for range 3 {
		if err := a.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	took(t, old(a))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := a.Await(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a job did not wait: %v", err)
	}
	if err := b.Await(t.Context()); err != nil {
		t.Error(err)
	}
}

// The threads of many clients of one owner weigh about as much as those of one.
func TestLift(t *testing.T) {
	for n := 1; n <= crowd; n++ {
		weight := float64(n) * math.Pow(1.25, -float64(lift(n)))
		if weight < 0.88 || weight > 1.13 {
			t.Errorf("%d threads weigh as %.2f at nice %d", n, weight, lift(n))
		}
	}
}

// Whoever is at work for long is told of, and when that is over.
func TestShareLong(t *testing.T) {
	told := make(chan bool, 4)
	s := NewShare(1, func(long bool) { told <- long })
	w := s.Join("x", 1).Turn()
	took(t, w)
	for _, want := range []bool{true, false} {
		select {
		case got := <-told:
			if got != want {
				t.Fatalf("told %v, expected %v", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("not told %v", want)
		}
		if want {
			w.Give()
		}
	}
}
