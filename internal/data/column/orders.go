package column

import "sync"

// In: a value that is an argument again and again. Out: its columns of text in order, which are found once. Invariant: the value does not change
// meanwhile.

// Orders keeps what Ordered gave for columns of one value. The zero value is ready, and safe for concurrent use; nil keeps nothing.
type Orders struct {
	mu   sync.Mutex
	have map[Ordering]Column
}

// Ordering is all that the order of a value's text depends on: what is not looked at has no entry. Programs that declare the value
// otherwise look at other rows.
type Ordering struct {
	Column   int
	Rows     int64
	Optional bool // the column before says where there is text
}

// Of is a column in order.
func (o *Orders) Of(i Ordering, order func() Column) Column {
	if o == nil {
		return order()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	c, ok := o.have[i]
	if !ok {
		if o.have == nil {
			o.have = map[Ordering]Column{}
		}
		c = order()
		o.have[i] = c
	}
	return c
}

// Drop forgets all.
func (o *Orders) Drop() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.have = nil
}
