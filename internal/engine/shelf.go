package engine

import (
	"container/list"
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/engine/mem"
)

// In: kernels as they are compiled, grow, are used and forgotten. Out: which of them are forgotten so that
// they take no more than a limit: those that no run holds and that nobody has used since they were last in question, the
// oldest first. A run finds such a kernel by its name no more, and compiles it again.
//
// Who uses a kernel takes no lock, which all calls of a process would take: it leaves a mark. A kernel with a mark loses that and
// its place, where the least recently used would go, and is the newest.
//
// Locks: a shelf's mu comes before that of a Compiled, never the other way round. It is not held
// together with an engine's.

const (
	// leastShelf has room for what some hundred small functions need.
	leastShelf = 16 << 20
	// mostShelf keeps the mappings of code, one or two of some 8 KiB for a small kernel, well below 65530,
	// which is what Linux allows a process.
	mostShelf = 1 << 30
	// shelfShare is the part of the free memory that kernels may take.
	shelfShare = 256
)

// Shelf limits the bytes that the kernels of one or several engines take.
type Shelf struct {
	over atomic.Bool // more is here than limit, since runs hold it

	mu     sync.Mutex
	limit  int64 // 0 while it does not matter: to look up what is free takes longer than a small call
	bytes  int64
	recent list.List // of *Compiled, the newest first
}

// onShelf is a kernel's place there, guarded by the shelf's mu but for the mark.
type onShelf struct {
	used  atomic.Bool
	shelf *Shelf // nil: the kernel is kept until it is forgotten
	place *list.Element
	bytes int64
}

// NewShelf makes a shelf for a number of bytes; 0 for a part of what the machine has free when kernels first take
// more than the smallest shelf holds.
func NewShelf(limit int64) *Shelf { return &Shelf{limit: limit} }

// put takes a kernel that is new.
func (s *Shelf) put(c *Compiled) {
	if s == nil {
		return
	}
	s.mu.Lock()
	c.shelved.place = s.recent.PushFront(c)
	c.shelved.bytes = c.size()
	s.bytes += c.shelved.bytes
	s.mu.Unlock()
	s.trim()
}

// full reports that more is there than the limit. The shelf's mu is held.
func (s *Shelf) full() bool {
	if s.limit == 0 && s.bytes > leastShelf {
		s.limit = min(max(mem.Available()/shelfShare, leastShelf), mostShelf)
	}
	return s.limit > 0 && s.bytes > s.limit
}

// touch notes that the kernel is used.
func (o *onShelf) touch() {
	if !o.used.Load() { // to read it leaves it in the caches of all processors
		o.used.Store(true)
	}
}

// grow notes that a kernel takes n bytes more, or fewer.
func (s *Shelf) grow(c *Compiled, n int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	if c.shelved.place != nil {
		c.shelved.bytes += n
		s.bytes += n
	}
	s.mu.Unlock()
	if n > 0 {
		s.trim()
	}
}

// remove takes a kernel from the shelf, if it is there.
func (s *Shelf) remove(c *Compiled) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take(c)
}

func (s *Shelf) take(c *Compiled) {
	if p := c.shelved.place; p != nil {
		s.recent.Remove(p)
		s.bytes -= c.shelved.bytes
		c.shelved.place = nil
	}
}

// trim forgets kernels that no run holds until the others are within the limit.
func (s *Shelf) trim() {
	for _, c := range s.excess() {
		c.engine.evict(c)
	}
}

// excess takes from the shelf what is to be forgotten. Where the first look at all of them only took marks, a second one forgets.
func (s *Shelf) excess() (list []*Compiled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over.Store(s.full()) // before the looks: who lets go of a kernel that is seen as held comes here
	for range 2 {
		for p := s.recent.Back(); p != nil && s.full(); {
			c := p.Value.(*Compiled)
			p = p.Prev()
			switch {
			case c.held():
			case c.shelved.used.Swap(false):
				s.recent.MoveToFront(c.shelved.place)
			default:
				s.take(c)
				list = append(list, c)
			}
		}
	}
	s.over.Store(s.full())
	return list
}

// A kernel and the proofs about it take this much of Go's heap, about: its nodes, and the same for each byte of
// the canonical form.
const (
	kernelBytes     = 4 << 10
	kernelBytesEach = 64
)

// size is about what a kernel takes beside the threads of its code.
func (c *Compiled) size() int64 {
	n, _ := c.code.Load().code.Bytes()
	return kernelBytes + kernelBytesEach*int64(c.Safe.Bytes) + n
}
