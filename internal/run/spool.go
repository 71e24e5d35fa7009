package run

import (
	"bytes"
	"cmp"
	"io"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: launches that write columns of the result which nothing reads. Out: these columns in files, as they
// come: from elsewhere piece by piece, from here in parts of about spoolPart bytes. So a result need not fit
// into memory.

// Spool gives room outside of memory for the bytes of a column.
type Spool func() (Spooled, error)

// Spooled is such room. What was not written reads as zero.
type Spooled interface {
	io.ReaderAt
	io.WriterAt
	// Bytes gives the first n bytes when all are written.
	Bytes(n int64) ([]byte, error)
}

const (
	// spoolFrom is the size from which on a column is spooled: less is quicker in memory.
	spoolFrom = 64 << 20
	// spoolPart is about how many bytes are computed here at a time: so few that they are in the processor's
	// caches when the kernel of the system copies them into the page cache.
	spoolPart = 4 << 20
)

// writtenOnce reports that all that uses a buffer, besides the result, is a launch outside of loops that writes it.
func (p *Program) writtenOnce(b int) bool {
	uses := p.uses[b]
	return len(uses) == 2 && uses[0].Launch != nil && !uses[0].Looped && uses[0].Launch.Kernel.Regions[uses[0].Region].Access == kernel.Write
}

// spools reports that a buffer of n elements is spooled.
func (r *runner) spools(b int, n int64) bool {
	return r.opt.Spool != nil && r.about[b].spoolable && n >= r.opt.SpoolFrom/int64(r.about[b].kind.Size())
}

// spoolRoom is room for such a buffer.
func (r *runner) spoolRoom(b int, n int64) error {
	if r.buffers[b].spool != nil {
		return nil
	}
	s, err := r.opt.Spool()
	if err != nil {
		return err
	}
	r.buffers[b] = buffer{here: true, n: n, spool: s}
	return nil
}

// spool stores bytes of a spooled buffer, from byte off on; own ones may be changed.
func (r *runner) spool(b int, elements []byte, off int64, own bool) error {
	if buf := &r.s.Buffers[b]; buf.Kind.IsFloat() && !buf.Canonical {
		if !own {
			elements = bytes.Clone(elements)
		}
		column.CanonicalNaN(buf.Kind, elements)
	}
	_, err := r.buffers[b].spool.WriteAt(elements, off)
	return err
}

// spooled lists the regions of a launch that are spooled.
func (p *launching) spooled() ([]int, error) {
	var list []int
	for i, b := range p.l.Regions {
		if b < 0 || !p.r.about[b].spoolable || !p.c.Streams(i) {
			continue
		}
		n, err := p.r.eval(p.r.s.Buffers[b].Len)
		if err != nil {
			return nil, err
		}
		if p.r.spools(b, n) {
			list = append(list, i)
		}
	}
	return list, nil
}

// inParts executes outer indices lo..hi here: in parts if some of what they write is spooled.
func (p *launching) inParts(lo, hi int64) error {
	regions, err := p.spooled()
	if err != nil {
		return err
	}
	if len(regions) == 0 {
		return p.here(lo, hi, nil)
	}
	each := int64(1)
	for _, i := range regions {
		first, end := p.c.Reach(i, p.Sizes, lo, lo+1)
		each += (end - first) * int64(p.l.Kernel.Regions[i].Elem.Size())
	}
	w := spoolWriter{p: p}
	defer w.abandon()
	for step := max(1, min(spoolPart, p.r.opt.Resident/8)/each); lo < hi && err == nil; lo += step {
		w.begun = &rowsOf{lo: lo, hi: min(lo+step, hi), bases: make([]int64, len(p.l.Regions))}
		err = w.next(p.spoolPart(regions, w.begun))
	}
	return cmp.Or(w.wait(), err)
}

// spoolWriter writes a part while the next is computed, if there are threads for both.
type spoolWriter struct {
	p       *launching
	begun   *rowsOf // that are being computed
	rows    *rowsOf // that are being written
	written chan error
}

// next waits for the part before, and begins to write what was begun, unless there was an error.
func (w *spoolWriter) next(err error) error {
	if err = cmp.Or(w.wait(), err); err != nil {
		return err
	}
	rows := w.begun
	w.begun, w.rows, w.written = nil, rows, make(chan error, 1)
	write := func() { w.written <- rows.spool(w.p.r) }
	if w.p.r.pool.Size() > 1 {
		go write()
		return nil
	}
	write()
	return w.wait()
}

func (w *spoolWriter) wait() error {
	if w.rows == nil {
		return nil
	}
	err := <-w.written
	w.rows.free(w.p.r)
	w.rows = nil
	return err
}

// abandon gives back what an error or a panic has left.
func (w *spoolWriter) abandon() {
	_ = w.wait()
	if w.begun != nil {
		w.begun.free(w.p.r)
	}
}

// spoolPart executes the outer indices of rows, with room for what they write of the spooled regions in memory and in files.
func (p *launching) spoolPart(regions []int, rows *rowsOf) error {
	for _, i := range regions {
		b, size := p.l.Regions[i], int64(p.l.Kernel.Regions[i].Elem.Size())
		if err := p.r.roomFor(b, true); err != nil {
			return err
		}
		first, end := p.c.Reach(i, p.Sizes, rows.lo, rows.hi)
		if n := p.r.buffers[b].n; first < 0 || first > end || end > n {
			return bug("launch %q: elements %d to %d of region %d, which has %d", p.l.Label, first, end, i, n)
		}
		if err := rows.add(p.r, i, b, first*size, (end-first)*size); err != nil {
			return err
		}
	}
	return p.here(rows.lo, rows.hi, rows)
}
