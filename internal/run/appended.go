package run

import (
	"slices"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a launch that appends to columns of the result, as a filter does, and counts what it has appended. Out: these columns in memory that is not
// zeroed before. Invariant: nobody sees an element that was not stored: what is behind the count is zeroed if the result has it.

// appends reports that a launch is all that uses a column of the result, appends to it, and has appended nothing yet.
func (p *launching) appends(region, b int) bool {
	count, ok := p.c.Appends(region)
	if !ok || !p.r.about[b].spoolable {
		return false
	}
	n, ok := p.counted(count)
	return ok && n == 0
}

// counted is what a region of one element has.
func (p *launching) counted(region int) (n int64, ok bool) {
	b := p.l.Regions[region]
	if b < 0 || p.c.Kernel.Regions[region].Elem != num.I64 || !p.r.buffers[b].here || p.r.buffers[b].n < 1 {
		return 0, false
	}
	return p.r.count(b), true
}

// count is the number in a buffer.
func (r *runner) count(b int) int64 { return int64(column.Get(num.I64, r.bytes(b), 0)) }

// countAppended notes how many elements were appended.
func (p *launching) countAppended() error {
	for i, b := range p.l.Regions {
		if b < 0 || !p.r.buffers[b].appended {
			continue
		}
		count, ok := p.c.Appends(i)
		if n, known := p.counted(count); ok && known {
			p.r.buffers[b].stored = n
			continue
		}
		return bug("launch %q does not count what it appends to %s", p.l.Label, p.r.name(b))
	}
	return nil
}

// appendedTo is the buffer that counts what a launch appends to a column of the result; -1 if none does.
func (r *runner) appendedTo(b int) int {
	u := r.p.uses[b][0]
	if u.Launch == nil || !r.about[b].spoolable {
		return -1
	}
	c, err := r.compile(u.Launch.Kernel)
	if err != nil {
		return -1
	}
	if region, ok := c.Appends(u.Region); ok {
		return u.Launch.Regions[region]
	}
	return -1
}

// beginAppended makes sure that a launch in a frame has appended nothing yet: a launch before it sets the count to 0.
func (r *runner) beginAppended(l *schedule.Launch) error {
	for _, g := range r.frame.results {
		if r.appendsIn(l, &g) && r.count(g.count) != 0 {
			return bug("launch %q appends behind %d elements of %s", l.Label, r.count(g.count), r.name(g.buffer))
		}
	}
	return nil
}

// endAppended notes how many elements a launch in a frame has appended.
func (r *runner) endAppended(l *schedule.Launch) {
	for _, g := range r.frame.results {
		if r.appendsIn(l, &g) {
			r.buffers[g.buffer].stored = r.count(g.count)
		}
	}
}

// appendsIn reports a launch that appends to a column of the result.
func (r *runner) appendsIn(l *schedule.Launch, g *given) bool {
	return r.buffers[g.buffer].appended && slices.Contains(l.Regions, g.buffer)
}
