package engine

import (
	"sync"
	"sync/atomic"
)

// most is how many things a Recent keeps.
const most = 8

// Recent keeps what was worked out last, for whoever asks for the same again. It is safe for
// concurrent use, and to find something takes no lock. What is kept must not change.
type Recent[T any] struct {
	mu   sync.Mutex // held to add
	list atomic.Pointer[[]*T]
}

// Find gives the newest that is such; nil if there is none.
func (c *Recent[T]) Find(such func(*T) bool) *T {
	if list := c.list.Load(); list != nil {
		for _, x := range *list {
			if such(x) {
				return x
			}
		}
	}
	return nil
}

// Add keeps x, in place of the oldest if there are many.
func (c *Recent[T]) Add(x *T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []*T{x}
	if old := c.list.Load(); old != nil {
		list = append(list, (*old)[:min(len(*old), most-1)]...)
	}
	c.list.Store(&list)
}
