package run

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
)

// rawWindow is the number of bytes of all raw inputs together that a worker
// reads at a time: half of a core's own cache, so that the kernel finds there
// what read() has just put there, or what was walked over to compare it.
const rawWindow = 512 << 10

// stretch is how many windows on raw inputs a worker takes at a time. What is mapped is brought
// in and left a stretch at a time: to leave pages interrupts the other processors.
const stretch = 8

// hand is one worker of a launch, with windows of its own on raw inputs.
type hand struct {
	p     *pass
	w     *engine.Worker
	bases []int64
	slots []slot
}

// slot is memory for a window on one raw input.
type slot struct {
	feed
	span  mem.Span
	pages []byte // of the input's mapping, present for a stretch; nil if windows are read
	from  int64  // bytes of the column before pages
}

func (p *pass) hand(ctx context.Context) (*hand, error) {
	w, err := p.job.Worker(ctx)
	if err != nil {
		return nil, err
	}
	h := &hand{p: p, w: w, bases: append([]int64(nil), p.Bases...)}
	for _, f := range p.feeds {
		if f.in.raw != nil {
			h.slots = append(h.slots, slot{feed: f})
		}
	}
	return h, nil
}

func (h *hand) close() {
	h.w.Close()
	for _, s := range h.slots {
		h.p.m.eng.Arena().Free(s.span)
	}
}

// rawOuters is how many outer indices a window on the raw inputs serves; 0
// when there are none.
func (p *pass) rawOuters() int64 {
	var bytes, most int64 // per outer index; longest window in outer indices
	any := false
	for _, f := range p.feeds {
		if f.in.raw == nil {
			continue
		}
		any = true
		lo, hi := p.c.Reach(f.region, p.Sizes, p.lo, p.lo+1)
		bytes += (hi - lo) * int64(f.in.kind.Size())
		if rows := max(1, (hi-lo)/max(1, f.in.width)); p.m.opt.WindowRows > 0 {
			most = max(most, p.m.opt.WindowRows/rows, 1)
		}
	}
	switch {
	case !any:
		return 0
	case most > 0:
		return most
	}
	return max(1, rawWindow/max(1, bytes))
}

// span executes outer indices lo..hi; the inputs that are not raw are in place. What a way takes is all that it costs:
// to leave pages interrupts the other processors, and takes as long as to bring them in.
func (h *hand) span(ctx context.Context, lo, hi int64) error {
	if !h.canMap() {
		return h.windows(ctx, byRead, lo, hi)
	}
	w, start := h.p.ways.next(), time.Now()
	if err := h.windows(ctx, w, lo, hi); err != nil {
		return err
	}
	h.p.ways.took(w, time.Since(start), hi-lo)
	return nil
}

// windows executes outer indices window by window, and leaves no page of a mapping behind.
func (h *hand) windows(ctx context.Context, w way, lo, hi int64) error {
	n := hi - lo
	h.mapWhole(w, lo, hi)
	defer h.leave()
	if h.p.window > 0 && !h.p.unwindowed() && h.looks() {
		n = min(h.p.window, n)
	}
	for at := lo; at < hi; at += n {
		if err := h.window(ctx, at, min(at+n, hi)); err != nil {
			return err
		}
	}
	return nil
}

// window brings in what outer indices lo..hi need of the raw inputs, and executes them.
func (h *hand) window(ctx context.Context, lo, hi int64) error {
	for i := range h.slots {
		if err := h.fetch(&h.slots[i], lo, hi); err != nil {
			return err
		}
	}
	h.w.SetBases(h.bases)
	return h.w.Run(ctx, lo, hi)
}

// canMap reports that windows may lie in mappings of the files.
func (h *hand) canMap() bool {
	for i := range h.slots {
		if in := h.slots[i].in; !(in.mappable() && h.p.reachesAll()) && !in.present() {
			return false
		}
	}
	return len(h.slots) > 0
}

// looks reports that somebody walks over an input before the kernel, which finds it in the cache if windows are short.
func (h *hand) looks() bool {
	return slices.ContainsFunc(h.slots, func(s slot) bool { return s.pages == nil && !s.in.present() || s.in.looked() })
}

// mapWhole gets at the mapping, and perhaps makes present, what outer indices lo..hi need of the inputs, if that is the way.
func (h *hand) mapWhole(w way, lo, hi int64) {
	for i := range h.slots {
		s := &h.slots[i]
		if w == byRead || s.in.present() || !h.p.m.mapped(s.in) {
			continue
		}
		if from, to := h.p.reach(s, lo, hi); from < to {
			from, to = s.in.blocks(from, to)
			s.pages, s.from = s.in.file.bytes(from+s.in.raw.Offset, to+s.in.raw.Offset), from
			if w == byMapping && s.in.raw.Pages == nil {
				mem.Bring(s.pages)
			}
		}
	}
}

// leave lets go of what mapWhole has made present.
func (h *hand) leave() {
	for i := range h.slots {
		if s := &h.slots[i]; s.pages != nil && s.in.raw.Pages == nil {
			mem.Leave(s.pages)
		}
		h.slots[i].pages = nil
	}
}

// reach is which bytes of an input's column outer indices lo..hi need.
func (p *pass) reach(s *slot, lo, hi int64) (from, to int64) {
	first, end := p.c.Reach(s.region, p.Sizes, lo, hi)
	size := int64(s.in.kind.Size())
	return (first - s.in.first()) * size, (end - s.in.first()) * size
}

// fetch brings in what outer indices lo..hi need of one input.
func (h *hand) fetch(s *slot, lo, hi int64) error {
	lo, hi = h.p.reach(s, lo, hi) // bytes from here on
	if lo >= hi {
		return nil
	}
	h.p.m.read.Add(s.in.raw.outside(hi - lo))
	if base, ok := h.p.inPlace(s.in); ok {
		h.bases[s.region] = base
		return s.in.checkBound(s.in.raw.Bytes[lo:hi], lo/int64(s.in.kind.Size()))
	}
	from, to := s.in.blocks(lo, hi)
	b, err := h.bytes(s, from, to)
	if err != nil {
		return err
	}
	b = b[lo-from : hi-from]
	size := int64(s.in.kind.Size())
	if err := s.in.checkBound(b, lo/size); err != nil {
		return err
	}
	off, _ := h.p.m.eng.Offset(b)
	h.bases[s.region] = off - lo - s.in.first()*size
	return nil
}

// bytes are bytes from..to of an input's column in memory. They are whole blocks if these
// have checksums, which are compared the first time.
func (h *hand) bytes(s *slot, from, to int64) ([]byte, error) {
	if s.pages == nil {
		b, err := h.memory(s, to-from)
		if err != nil {
			return nil, err
		}
		return b, s.in.raw.read(b, from)
	}
	b := s.pages[from-s.from : to-s.from]
	if c := s.in.raw.Check; c != nil {
		return b, c.Seen(b, from+s.in.raw.Offset)
	}
	return b, nil
}

// memory is n bytes of a slot, with anything in them; it grows if it must.
func (h *hand) memory(s *slot, n int64) ([]byte, error) {
	arena := h.p.m.eng.Arena()
	if s.span.Len < n {
		arena.Free(s.span)
		s.span = mem.Span{}
		span, err := arena.AllocUsed(n) // what is read fills it
		if err != nil {
			return nil, err
		}
		s.span = span
	}
	return arena.Bytes(s.span.Off, n), nil
}

// runPresent executes a launch whose inputs are present or raw. The first window
// that fails, by outer index, gives the error: those before it are seen through.
func (p *pass) runPresent(threads int) error {
	p.workers = int(min(int64(threads), p.hi-p.lo))
	var next atomic.Int64
	next.Store(p.lo)
	var bad failures
	err := p.m.pool.Do(p.m.ctx, p.workers, func(ctx context.Context, _ int) error {
		h, err := p.hand(ctx)
		if err != nil {
			return err
		}
		defer h.close()
		for bad.first() == nil {
			lo, hi, ok := p.claim(&next)
			if !ok {
				return nil
			}
			tier, start := p.c.Tier(), time.Now()
			if p.c.Trying() {
				tier = engine.Stepper // which tells nothing of the tier
			}
			switch err := h.span(ctx, lo, hi); {
			case err == nil:
				p.paces.spent(tier, p.c.Tier(), time.Since(start), hi-lo)
				p.done(hi - lo)
			case ctx.Err() != nil:
				return err
			default:
				bad.add(int(lo), err)
				p.job.Fail(lo)
			}
		}
		return nil
	})
	if err == nil {
		err = bad.first()
	}
	return err
}

// leastWindow is which part of a window is worth being brought by itself, so that all workers end together.
const leastWindow = 8

// portion is how many of the outer indices that are left a worker takes at a time: whole windows while there are many, and towards the end, or
// where there are few at all, less than one.
func (p *pass) portion(left int64) int64 {
	n := left / int64(2*p.workers)
	if p.workers > 1 && n < p.window {
		return max(n, p.window/leastWindow, 1)
	}
	return max(p.window, min(n/p.window*p.window, stretch*p.window))
}

// claim takes outer indices for a worker: a window's worth if there are raw
// inputs, otherwise a slice's.
func (p *pass) claim(next *atomic.Int64) (lo, hi int64, ok bool) {
	window := p.window
	if p.stretch > 0 { // a window is a stretch, if there are windows
		if window > 0 && !p.unwindowed() {
			return engine.ClaimStretch(next, min(window, p.stretch), p.hi)
		}
		return engine.ClaimStretch(next, p.stretch, p.hi)
	}
	switch {
	case window == 0 && p.backwards:
		return p.claimBack(next)
	case window == 0 || p.unwindowed():
		return p.job.Claim(next, p.hi, p.workers)
	}
	for {
		lo = next.Load()
		hi = min(p.hi, lo+p.portion(p.hi-lo))
		if lo >= p.hi || next.CompareAndSwap(lo, hi) {
			return lo, hi, lo < p.hi
		}
	}
}
