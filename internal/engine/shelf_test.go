package engine

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

func shelved(t *testing.T, tier Tier, s *Shelf) *Engine {
	t.Helper()
	e, err := New(Options{Tier: tier, Memory: 1 << 26, Shelf: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func held(t *testing.T, e *Engine, k *kernel.Kernel) *Compiled {
	t.Helper()
	c, err := e.Hold(context.Background(), checked(t, k))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func checked(t *testing.T, k *kernel.Kernel) *verify.Safe {
	t.Helper()
	s, err := verify.Check(k)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLeastRecentlyUsedGoes(t *testing.T) {
	s := NewShelf(1 << 40)
	one, other := shelved(t, Stepper, s), shelved(t, Stepper, s) // which share it
	var list []*Compiled
	for i, e := range []*Engine{one, other, one} {
		c := held(t, e, fresh(i))
		c.Release()
		list = append(list, c)
	}
	held(t, one, fresh(0)).Release()
	s.limit = s.bytes
	list = append(list, held(t, other, fresh(3)))
	for i, e := range []*Engine{one, other, one, other} {
		if _, ok := e.Lookup(list[i].Hash); ok != (i != 1) {
			t.Errorf("kernel %d is kept: %v", i, ok)
		}
	}
	if s.bytes != s.limit || s.recent.Len() != 3 {
		t.Errorf("%d bytes of %d kernels, expected %d of 3", s.bytes, s.recent.Len(), s.limit)
	}
	if again := held(t, other, fresh(1)); again == list[1] {
		t.Error("a kernel that was dropped came back")
	}
}

func TestHeldKernelsStay(t *testing.T) {
	s := NewShelf(1)
	e := shelved(t, Stepper, s)
	a, b := held(t, e, fresh(0)), held(t, e, fresh(1))
	code := &counted{}
	a.swap(Stepper, code)
	for _, c := range []*Compiled{a, b} {
		if found, ok := e.Lookup(c.Hash); !ok || found != c {
			t.Error("dropped while it was held")
		}
		if _, err := c.Once(context.Background(), []int64{0}, nil, []int64{0, 0}, 0, 0); err != nil {
			t.Error(err)
		}
	}
	a.Release()
	if _, ok := e.Lookup(a.Hash); ok || code.closes != 1 {
		t.Errorf("found: %v, closed %d times, although nobody holds it and there is no room", ok, code.closes)
	}
	if _, ok := e.Lookup(b.Hash); !ok {
		t.Error("the other is gone too")
	}
	b.Release()
	if s.bytes != 0 || s.recent.Len() != 0 || s.over.Load() {
		t.Errorf("%d bytes of %d kernels are left", s.bytes, s.recent.Len())
	}
}

// heavy is code that takes memory.
type heavy struct{ counted }

func (*heavy) Bytes() (code, thread int64) { return 5000, 300 }

func TestKernelsGrow(t *testing.T) {
	ctx := context.Background()
	s := NewShelf(1 << 40)
	e := shelved(t, Stepper, s)
	idle, c := held(t, e, fresh(0)), held(t, e, fresh(1))
	idle.Release()
	before := s.bytes
	c.swap(Stepper, &heavy{})
	t1, err1 := c.code.Load().take(ctx)
	t2, err2 := c.code.Load().take(ctx)
	if err := errors.Join(err1, err2); err != nil || s.bytes != before+5600 {
		t.Errorf("%d bytes more, expected 5600 (%v)", s.bytes-before, err)
	}
	c.code.Load().put(t1)
	c.code.Load().put(t2)
	s.limit = s.bytes
	c.swap(Stepper, &heavy{})
	if _, ok := e.Lookup(idle.Hash); ok {
		t.Error("code that grew made nothing leave")
	}
	c.Release()
	e.Forget(c.Hash)
	if s.bytes != 0 {
		t.Errorf("%d bytes are left", s.bytes)
	}
}

// Kernels for which there is no room come and go while others want them.
func TestHeldByMany(t *testing.T) {
	e := shelved(t, Wasm, NewShelf(1))
	in, _, err := e.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	before := e.Arena().InUse()
	list := []*verify.Safe{checked(t, fresh(0)), checked(t, fresh(1)), checked(t, fresh(2))}
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			for j := range 30 {
				c, err := e.Hold(context.Background(), list[(i+j)%3])
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := c.Once(context.Background(), []int64{0}, nil, []int64{in.Off, in.Off}, 0, 1); err != nil {
					t.Error(err)
				}
				c.Release()
			}
		})
	}
	done.Wait()
	if n := len(e.Kernels()); n != 0 || e.Arena().InUse() != before {
		t.Errorf("%d kernels and %d bytes of arguments are left", n, e.Arena().InUse()-before)
	}
}

// What the shelf counts is what kernels take of Go's heap, within a factor of two, for small kernels and large ones.
func TestShelfCountsTheHeap(t *testing.T) {
	for name, steps := range map[string]int{"small": 1, "large": 200} {
		t.Run(name, func(t *testing.T) {
			s := NewShelf(1 << 40)
			e := shelved(t, Wasm, s)
			held(t, e, squares()).Release()
			before, counted := heap(), s.bytes
			const n = 50
			outside := int64(0)
			for i := range n {
				c := held(t, e, chain(steps, i))
				ts, err := c.code.Load().take(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				c.code.Load().put(ts)
				code, _ := c.code.Load().code.Bytes()
				outside += code + mem.Page
			}
			took, said := heap()-before, s.bytes-counted-outside
			if said > 2*took || took > 2*said {
				t.Errorf("%d kernels take %d bytes of the heap, the shelf says %d", n, took, said)
			}
		})
	}
}

// heap is what Go's heap holds.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Calls of a kernel that is there do not wait for each other at the shelf.
func TestUseTakesNoLock(t *testing.T) {
	s := NewShelf(1 << 40)
	e := shelved(t, Stepper, s)
	held(t, e, fresh(0)).Release()
	again := checked(t, fresh(0))
	s.mu.Lock()
	defer s.mu.Unlock()
	used := make(chan error, 1)
	go func() {
		c, err := e.Hold(context.Background(), again)
		if err == nil {
			c.Release()
		}
		used <- err
	}()
	select {
	case err := <-used:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for the shelf's lock")
	}
}
