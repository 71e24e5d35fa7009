package daemon

import (
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data/column"
)

// In: a recipe and a parcel that fits it. Out: the parcel's answer, or how it went else. Invariant: nothing is allocated, and what comes of a run that was
// not followed to its end is seen by nobody.

// swiftTime is what a kernel takes at most that runs while its connection waits. One run in swiftLooks is timed, and what took
// longer in one of four has no recipe for the next swiftPause parcels like it.
const (
	swiftTime  = 20 * time.Microsecond
	swiftLooks = 64
)

// ending is how it went to follow a recipe.
type ending int

const (
	followed ending = iota
	unsuited        // this parcel is not as others
	stale           // the recipe is of another time
	slow            // the kernel takes long
)

// follow answers a parcel that fits, with its header.
func (d *Daemon) follow(r *recipe, h *parcel.Header, b, room []byte) ([]byte, ending) {
	for i := range r.values {
		m := &r.values[i]
		v := b[m.from:][:m.size]
		if m.bound >= 0 {
			for j := range int64(r.states.States) {
				if column.Get(m.kind, v, j) >= uint64(m.bound) {
					return nil, unsuited
				}
			}
		}
		copy(m.arena, v)
	}
	for i := range r.states.States {
		if want := r.states.Want(i); want < r.lo || want >= r.hi || i > 0 && r.states.ID(i) < r.states.ID(i-1) {
			return nil, unsuited
		}
	}
	if !d.columns.again(r.held) {
		return nil, stale
	}
	end := d.pass(r, h)
	if end == followed {
		end = d.swiftRun(r)
		if end == followed {
			room = append(room, r.answer...)
			parcel.Readdress(room, h)
			for i := range r.values {
				if m := &r.values[i]; m.to >= 0 {
					copy(room[m.to:], m.arena)
				}
			}
		}
		d.leave(r, len(room), end)
	}
	for _, c := range r.held {
		d.columns.release(c)
	}
	if end != followed {
		return nil, end
	}
	return room, end
}

// pass has the core count the parcel in.
func (d *Daemon) pass(r *recipe, h *parcel.Header) (end ending) {
	d.drive.Between(func() {
		if !d.core.Enter(r.pass, h) {
			end = unsuited
			if !d.core.Lasts(r.pass) {
				end = stale
			}
		}
	})
	return end
}

// leave has the core count it out.
func (d *Daemon) leave(r *recipe, answer int, end ending) {
	if end != followed {
		answer = 0
	}
	waiting := false
	d.drive.Between(func() { waiting = d.core.Leave(r.pass, answer) })
	if waiting {
		d.drive.Step(&node.Tick{})
	}
}

// swiftRun runs the kernel over the states in kernel memory.
func (d *Daemon) swiftRun(r *recipe) (end ending) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("bug: a small job panicked", "kernel", r.c.Hash.Short(), "panic", p)
			end = stale
		}
	}()
	timed := r.runs%swiftLooks == 0
	var start time.Time
	if timed {
		start = time.Now()
	}
	r.runs++
	good, err := r.c.RunSwift(&r.args, int64(r.states.States))
	if err != nil || !r.unchanged() {
		return stale // the ordinary way says what is wrong
	}
	if timed && r.slow(time.Since(start)) {
		return slow
	}
	if !good {
		return unsuited
	}
	for i := range r.states.States {
		if r.states.Want(i) != -1 {
			return unsuited // it goes on to another shard, or has not come to its end
		}
	}
	return followed
}

// unchanged reports that nobody has written to the files of columns that are mapped.
func (r *recipe) unchanged() bool {
	return !slices.ContainsFunc(r.held, func(c *resident) bool { return c.changed() != nil })
}

// slow reports that too many of the runs that were timed took long, the last one that long: now and then it is another process that took the time.
func (r *recipe) slow(took time.Duration) bool {
	if took > swiftTime {
		r.long++
	}
	return took > swiftTime && r.long > 2 && r.long > r.runs/swiftLooks/4
}
