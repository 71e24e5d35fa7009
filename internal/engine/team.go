package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// In: shifts, one after the other. Out: goroutines that take part in them, each from when it is awake. Invariant: whoever gives a shift
// waits for nobody, and what was given before is over.

// team is a number of helpers, which wait for work until end.
type team struct {
	helpers []*helper
	done    sync.WaitGroup
	awake   atomic.Int64 // nanoseconds for which they look for more work before they sleep
	resting atomic.Int32 // helpers that are awake without work
	woken   atomic.Int32 // how often a helper had to be woken
	ended   atomic.Bool
	since   time.Time    // since when it stands by
	from    int          // the processor where it was made
	begun   atomic.Int32 // helpers that have begun
}

// helper is where a goroutine of a team finds its work.
type helper struct {
	next  atomic.Pointer[shift]
	slept atomic.Bool // whoever makes it false rings
	bell  bell
}

// bell wakes one goroutine. Who is going to wait arms it first, and disarms it where it does not; a ring that comes between is not lost.
type bell interface {
	arm()
	disarm()
	ring()
	wait()
}

// chime is a bell of Go's own.
type chime chan struct{}

func newChime() chime { return make(chime, 1) }

func (chime) arm() {}

func (chime) disarm() {}

func (c chime) ring() { c <- struct{}{} }

func (c chime) wait() { <-c }

// beside knows of the shifts of all pools of this process.
var beside overlaps

// overlaps is when there were shifts at the same time.
type overlaps struct {
	under atomic.Int32 // way
	last  atomic.Int64 // nanoseconds after began when one began or ended beside another; 0: never
}

// begin is told of a shift, and end of its end.
func (o *overlaps) begin() {
	if o.under.Add(1) > 1 {
		o.last.Store(int64(time.Since(began)))
	}
}

func (o *overlaps) end() {
	if o.under.Add(-1) > 0 {
		o.last.Store(int64(time.Since(began)))
	}
}

// lately is for how long calls that had others beside them are taken to go on having some.
const lately = 100 * time.Millisecond

// recent says whether there are any, or were lately.
func (o *overlaps) recent() bool {
	last := time.Duration(o.last.Load())
	return o.under.Load() > 1 || last > 0 && time.Since(began)-last < lately
}

// newTeam starts n helpers, and sees that they begin elsewhere.
func newTeam(n int) *team {
	t := &team{helpers: make([]*helper, n), from: processor()}
	for i := range t.helpers {
		h := &helper{bell: newChime()}
		if n < runtime.GOMAXPROCS(0) { // else the helpers alone would keep all of Go's processors
			h.bell = newBell()
		}
		t.helpers[i] = h
		t.done.Go(func() {
			depart(t.from)
			t.begun.Add(1)
			t.serve(h, i+1)
		})
	}
	for start := time.Since(began); departs && n < runtime.GOMAXPROCS(0) && int(t.begun.Load()) < n && time.Since(began)-start < mostAwake && !beside.recent(); {
		stepBack()
	}
	return t
}

// serve takes part in shifts until the end. Where a callback ends the goroutine, another one takes its place.
func (t *team) serve(h *helper, worker int) {
	ended := false
	defer func() {
		if !ended {
			t.done.Go(func() { t.serve(h, worker) })
		}
	}()
	for s := t.await(h); s != nil; s = t.await(h) {
		if s.help(worker); s.asleep.Load() {
			runtime.Gosched() // the caller was woken on this processor
		}
	}
	ended = true
}

// await gives a helper's next work; nil if there will be none.
func (t *team) await(h *helper) *shift {
	if s := t.watch(h); s != nil {
		return s
	}
	for !t.ended.Load() {
		h.bell.arm()
		h.slept.Store(true)
		if h.next.Load() == nil && !t.ended.Load() || !h.slept.CompareAndSwap(true, false) {
			h.bell.wait()
		} else {
			h.bell.disarm()
		}
		if s := h.next.Swap(nil); s != nil {
			return s
		}
	}
	return nil
}

// looks is how often a helper looks for work before it asks what time it is, some hundreds of nanoseconds.
const looks = 256

// watch is await while the helper stays awake; nil if it had better sleep.
func (t *team) watch(h *helper) *shift {
	awake := time.Duration(t.awake.Load())
	if awake <= 0 {
		return h.next.Swap(nil)
	}
	t.resting.Add(1)
	defer t.resting.Add(-1)
	for start, n := time.Now(), 0; ; n++ {
		if h.next.Load() != nil {
			return h.next.Swap(nil)
		}
		if n%looks != 0 {
			continue
		}
		if t.ended.Load() || time.Since(start) > awake {
			return nil
		}
		if n%(16*looks) == 0 && beside.recent() { // others want this processor
			runtime.Gosched()
		}
	}
}

// give has n helpers take part in a shift, unless it is over before.
func (t *team) give(s *shift, n int) {
	for _, h := range t.helpers[:n] {
		h.next.Store(s)
		if h.slept.CompareAndSwap(true, false) {
			t.woken.Add(1)
			h.bell.ring()
		}
	}
}

// end waits until all helpers have ended.
func (t *team) end() {
	t.ended.Store(true)
	for _, h := range t.helpers {
		if h.slept.CompareAndSwap(true, false) {
			h.bell.ring()
		}
	}
	t.done.Wait()
}
