package mem

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// In: memory of Fresh that a run has given back. Out: the same memory for runs that follow soon, without what it takes to map it and to have the system zero
// it, which is more than many a kernel takes. Invariants: memory is given to one owner at a time; what waits for the next one may be taken by the system at any
// time, if it is short of memory, and nothing waits for longer than keepTime after the last was given back.

const (
	// keepTime is how long memory waits for the next run.
	keepTime = time.Second
	// leastKept is the least memory that waits: a huge page, below which there is little to be zeroed.
	leastKept = hugePage
	// keptPart is which part of what the machine has free may wait.
	keptPart = 8
)

// waiting is the memory that waits. There is one for the process, as runtimes come and go.
var waiting struct {
	mu    sync.Mutex
	list  [][]byte // the oldest first
	bytes int64
	idle  idle
}

// idle is the time since something was kept. Whoever has it holds a mutex.
type idle struct {
	since time.Time
	timer *time.Timer
}

// begin begins anew. drop is called when keepTime is over, and asks whether it is.
func (t *idle) begin(drop func()) {
	t.since = time.Now()
	if t.timer == nil {
		t.timer = time.AfterFunc(keepTime, drop)
	}
}

// over reports that keepTime has passed since it began last; else drop is called again.
func (t *idle) over() bool {
	if left := keepTime - time.Since(t.since); left > 0 {
		t.timer.Reset(left)
		return false
	}
	t.timer = nil
	return true
}

var mostWaiting = sync.OnceValue(func() int64 { return Available() / keptPart })

// Again gives at least n bytes that Keep was given, with anything in them, or nil. Of what is there at most half stays unused.
func Again(n int64) []byte {
	if n < leastKept/2 {
		return nil
	}
	w := &waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	best := -1
	for i, b := range w.list {
		if size := int64(len(b)); size >= n && size/2 <= n && (best < 0 || size < int64(len(w.list[best]))) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	b := w.list[best]
	w.list = slices.Delete(w.list, best, best+1)
	w.bytes -= int64(len(b))
	return spoil(b)
}

// Keep takes back what Fresh or Again has given. Nothing may use it afterwards.
func Keep(b []byte) error {
	n := int64(len(b))
	if n < leastKept || n > mostWaiting() || unix.Madvise(b, unix.MADV_FREE) != nil {
		return Unmap(b)
	}
	w := &waiting
	w.mu.Lock()
	w.list, w.bytes = append(w.list, b), w.bytes+n
	var old [][]byte
	for w.bytes > mostWaiting() {
		old, w.bytes, w.list = append(old, w.list[0]), w.bytes-int64(len(w.list[0])), slices.Delete(w.list, 0, 1)
	}
	w.idle.begin(dropWaiting)
	w.mu.Unlock()
	return unmapAll(old)
}

// dropWaiting gives all that waits back to the system, if no run has for some time.
func dropWaiting() {
	w := &waiting
	w.mu.Lock()
	var old [][]byte
	if w.idle.over() {
		old, w.list, w.bytes = w.list, nil, 0
	}
	w.mu.Unlock()
	_ = unmapAll(old) // they were mapped as they are
}

func unmapAll(list [][]byte) (err error) {
	for _, b := range list {
		if wrong := Unmap(b); err == nil {
			err = wrong
		}
	}
	return err
}
