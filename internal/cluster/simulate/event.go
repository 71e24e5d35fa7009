package simulate

import (
	"container/heap"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
)

// event is something that will happen; events of one time happen in the order
// in which they were planned.
type event struct {
	at    int64
	order uint64
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	(*e)[last] = event{}
	*e = (*e)[:last]
	return x
}

// after plans something for a time from now, in microseconds.
func (w *world) after(wait int64, do func()) {
	w.order++
	heap.Push(&w.events, event{w.now + wait, w.order, do})
}

// trace is what happened: the hash of all of it, and the end in words.
type trace struct {
	hash  hash.Hash64
	tail  []string
	lines int
}

// tailLines is how much of a trace is kept for messages.
const tailLines = 60

// maxLines is far more than happens in a world that comes to rest.
const maxLines = 200_000

func newTrace() trace { return trace{hash: fnv.New64a()} }

func (w *world) note(format string, args ...any) {
	line := fmt.Sprintf("%10d ", w.now) + fmt.Sprintf(format, args...)
	if w.trace.lines++; w.trace.lines == maxLines {
		w.failure = errors.New("the cluster does not come to rest")
	}
	w.trace.hash.Write([]byte(line))
	if len(w.trace.tail) == 2*tailLines {
		w.trace.tail = append(w.trace.tail[:0], w.trace.tail[tailLines:]...)
	}
	w.trace.tail = append(w.trace.tail, line)
}
