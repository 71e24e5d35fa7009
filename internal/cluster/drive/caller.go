package drive

import (
	"context"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/caller"
)

// In: operations that somebody begins, and what a caller's core delivers. Out: what the core is told, and to whoever began an operation its end.
// Invariant: the end of an operation is told once at most, and always unless it was abandoned: Close and EndAll end what the core does not.

// Caller drives a caller's core, and tells whoever began an operation of its end.
type Caller struct {
	Driver[caller.Input, caller.Effect]

	mu   sync.Mutex // guards what follows
	then map[caller.ID]func(*caller.Deliver)
	next caller.ID
	over error // why nothing begins any more
}

// Begin starts an operation, of which input is told the number. then is called once, on
// whatever goroutine the answer arrives or everything ends, and must not block.
func (c *Caller) Begin(then func(*caller.Deliver), input func(caller.ID) caller.Input) caller.ID {
	c.mu.Lock()
	c.next++
	id, over := c.next, c.over
	if over == nil {
		if c.then == nil {
			c.then = map[caller.ID]func(*caller.Deliver){}
		}
		c.then[id] = then
	}
	c.mu.Unlock()
	if over != nil {
		then(&caller.Deliver{ID: id, Err: over})
	} else {
		c.Step(input(id))
	}
	return id
}

// Wait runs an operation and gives its result. When the context ends first, it abandons the operation.
func (c *Caller) Wait(ctx context.Context, input func(caller.ID) caller.Input) (*caller.Deliver, error) {
	done := make(chan *caller.Deliver, 1)
	id := c.Begin(func(d *caller.Deliver) { done <- d }, input)
	select {
	case d := <-done:
		return d, d.Err
	case <-ctx.Done():
		c.Abandon(id)
		return nil, context.Cause(ctx)
	}
}

// CarryOut does what the core wants.
func (c *Caller) CarryOut(e caller.Effect) caller.Input {
	switch e := e.(type) {
	case *caller.Send:
		return c.Send(e.To, e.Bytes, nil)
	case *caller.Deliver:
		c.Deliver(e)
	}
	return nil
}

// Deliver tells the end of an operation to who began it, unless nobody wants it any more.
func (c *Caller) Deliver(d *caller.Deliver) {
	if then := c.take(d.ID); then != nil {
		then(d)
	}
}

// Abandon ends an operation whose result nobody wants any more.
func (c *Caller) Abandon(id caller.ID) {
	c.take(id)
	c.Step(&caller.Abandon{ID: id})
}

func (c *Caller) take(id caller.ID) func(*caller.Deliver) {
	c.mu.Lock()
	defer c.mu.Unlock()
	then := c.then[id]
	delete(c.then, id)
	return then
}

// Close ends everything, and what begins later.
func (c *Caller) Close(why error) {
	c.mu.Lock()
	c.over = why
	c.mu.Unlock()
	c.EndAll(why)
}

// EndAll tells everybody who waits for an answer that there will be none: a core that is not stepped
// any more, or that nobody answers, ends nothing.
func (c *Caller) EndAll(why error) {
	c.mu.Lock()
	then := c.then
	c.then = nil
	c.mu.Unlock()
	for id, f := range then {
		c.Step(&caller.Abandon{ID: id})
		f(&caller.Deliver{ID: id, Err: why})
	}
}
