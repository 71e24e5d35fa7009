package drive_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/drive"
)

// calls is a caller whose core keeps what it is told, with the beginning of operations.
func calls(t *testing.T) (*drive.Caller, *heard, func(caller.ID) caller.Input) {
	c, core := &drive.Caller{}, &heard{}
	c.Driver = drive.Driver[caller.Input, caller.Effect]{Core: core, Now: func() int64 { return 0 }, Ctx: t.Context(), Do: c.CarryOut}
	return c, core, func(id caller.ID) caller.Input { return &caller.Fan{ID: id} }
}

// abandoned are the operations of which a core was told that nobody wants their results.
func (c *heard) abandoned() (list []caller.ID) {
	for _, in := range c.inputs {
		if a, ok := in.(*caller.Abandon); ok {
			list = append(list, a.ID)
		}
	}
	slices.Sort(list)
	return list
}

// Each operation has a number of its own, and its end is told once, to who began it.
func TestDeliver(t *testing.T) {
	c, core, input := calls(t)
	told := map[caller.ID]int{}
	then := func(d *caller.Deliver) { told[d.ID]++ }
	first, second := c.Begin(then, input), c.Begin(then, input)
	if first == second || len(core.inputs) != 2 {
		t.Fatalf("operations %d and %d, and the core is told of %d", first, second, len(core.inputs))
	}
	for range 2 {
		c.CarryOut(&caller.Deliver{ID: first})
	}
	c.Abandon(second)
	c.CarryOut(&caller.Deliver{ID: second})
	if told[first] != 1 || told[second] != 0 {
		t.Errorf("%d is told %d times of its end, expected once, and %d, which was abandoned, %d times", first, told[first], second, told[second])
	}
	if got := core.abandoned(); !slices.Equal(got, []caller.ID{second}) {
		t.Errorf("the core is told to abandon %v, expected %v", got, second)
	}
}

// Wait gives what comes, or why nobody waits any more, and then the core is told to abandon what was asked.
func TestWait(t *testing.T) {
	c, core, input := calls(t)
	gone, late := errors.New("gone"), errors.New("late")
	c.Do = func(caller.Effect) caller.Input { return nil }
	for _, want := range []error{nil, gone} {
		d, err := c.Wait(t.Context(), func(id caller.ID) caller.Input {
			go c.Deliver(&caller.Deliver{ID: id, Err: want})
			return input(id)
		})
		if err != want || d == nil || d.Err != want {
			t.Errorf("%+v, %v; expected an end with %v", d, err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	var id caller.ID
	d, err := c.Wait(ctx, func(i caller.ID) caller.Input { id = i; return input(i) })
	if d != nil || err != late {
		t.Errorf("%+v, %v; expected that it ends with %v", d, err, late)
	}
	if got := core.abandoned(); !slices.Equal(got, []caller.ID{id}) {
		t.Errorf("the core is told to abandon %v, expected %v", got, id)
	}
}

// EndAll ends what is under way and nothing else; after Close nothing begins, and who tries is told why.
func TestClose(t *testing.T) {
	c, core, input := calls(t)
	lost, closed := errors.New("lost"), errors.New("closed")
	told := map[caller.ID][]error{}
	begin := func() caller.ID {
		return c.Begin(func(d *caller.Deliver) { told[d.ID] = append(told[d.ID], d.Err) }, input)
	}
	first, second := begin(), begin()
	c.EndAll(lost)
	third := begin()
	c.Close(closed)
	heard := len(core.inputs)
	fourth := begin()
	c.CarryOut(&caller.Deliver{ID: fourth}) // nobody waits for it
	for id, want := range map[caller.ID]error{first: lost, second: lost, third: closed, fourth: closed} {
		if !slices.Equal(told[id], []error{want}) {
			t.Errorf("%d ends with %v, expected %v once", id, told[id], want)
		}
	}
	if got := core.abandoned(); !slices.Equal(got, []caller.ID{first, second, third}) {
		t.Errorf("the core is told to abandon %v, expected those that were under way: %v", got, []caller.ID{first, second, third})
	}
	if len(core.inputs) != heard {
		t.Errorf("the core is told of what begins after the end: %v", core.inputs[heard:])
	}
}
