package run

import (
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
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
	return int64(column.Get(num.I64, p.r.bytes(b), 0)), true
}

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
