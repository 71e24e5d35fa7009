package run

import "slices"

// stream is a source whose rows pass through windows: its chunks are decoded
// in order, each once, into the window that needs it first. Rows that the
// next window needs again are copied there.
type stream struct {
	d     decoding
	feeds []feed
	at    []int64 // of each feed's area in a slot, in bytes
	param int
	// The source has rows origin..origin+rows of the regions. Elsewhere rows are
	// counted from the source's first.
	origin, rows int64
}

// streams groups the decoded inputs of a launch by source.
func (p *pass) streams() []*stream {
	var list []*stream
	for _, f := range p.feeds {
		if f.in.raw != nil {
			continue
		}
		i := slices.IndexFunc(list, func(s *stream) bool {
			return s.d.src == f.in.b.Source && s.param == f.in.param && s.origin == f.in.origin
		})
		if i < 0 {
			i = len(list)
			list = append(list, &stream{d: decoding{m: p.m, src: f.in.b.Source, workers: p.workers}, param: f.in.param, origin: f.in.origin, rows: f.in.rows})
		}
		list[i].feeds = append(list[i].feeds, f)
	}
	for _, s := range list {
		s.prune(p)
	}
	return list
}

// need is the rows that outer indices lo..hi want of a stream.
func (s *stream) need(p *pass, lo, hi int64) (first, end int64) {
	first = s.rows
	for _, f := range s.feeds {
		a, b := p.c.Reach(f.region, p.Sizes, lo, hi)
		if a >= b {
			continue
		}
		w := max(1, f.in.width)
		first, end = min(first, a/w-s.origin), max(end, (b+w-1)/w-s.origin)
	}
	return min(first, end), end
}

// rowBytes is what a row takes in a window.
func (s *stream) rowBytes() int64 {
	n := int64(0)
	for _, f := range s.feeds {
		n += f.in.rowBytes()
	}
	return n
}

// view is a stream's part of a window: rows first..end, of which chunks
// lo..hi are decoded for it; those before are in the window before.
type view struct {
	first, end int64
	lo, hi     int
}

// window is a run of outer indices with the rows they need.
type window struct {
	lo, hi int64
	views  []view // per stream
}

// planWindows cuts the outer loop where chunks end.
func (p *pass) planWindows(list []*stream) []window {
	var ws []window
	before := make([]view, len(list))
	for i, s := range list {
		before[i] = s.beforePart(p)
	}
	for lo := p.lo; lo < p.hi; {
		w := p.nextWindow(list, before, lo)
		ws = append(ws, w)
		before, lo = w.views, w.hi
	}
	return ws
}

// beforePart is an empty view behind the chunks that a part of a launch has no
// use for.
func (s *stream) beforePart(p *pass) (v view) {
	if p.lo == 0 {
		return v
	}
	first, _ := s.need(p, p.lo, p.hi)
	for chunks := s.d.src.Chunks(); v.hi < len(chunks) && chunks[v.hi].Hi <= first; v.hi++ {
		v.end = chunks[v.hi].Hi
	}
	return view{v.end, v.end, v.hi, v.hi}
}

// nextWindow begins with as many outer indices as the target size holds,
// completes the chunks that they need, and takes in what these then allow.
func (p *pass) nextWindow(list []*stream, before []view, lo int64) window {
	w := window{lo: lo, hi: min(p.hi, lo+p.targetOuters(list, lo)), views: make([]view, len(list))}
	for i, s := range list {
		first, end := s.need(p, lo, w.hi)
		v := view{first: before[i].end, end: before[i].end, lo: before[i].hi, hi: before[i].hi}
		if first < end {
			v.first = min(first, v.first)
		}
		for chunks := s.d.src.Chunks(); v.hi < len(chunks) && v.end < end; v.hi++ {
			v.end = chunks[v.hi].Hi
		}
		w.views[i] = v
	}
	w.hi = p.lastServed(list, w)
	return w
}

// lastServed is the end of the outer indices that a window's rows serve.
func (p *pass) lastServed(list []*stream, w window) int64 {
	served := func(hi int64) bool {
		for i, s := range list {
			if _, end := s.need(p, w.lo, hi); end > w.views[i].end {
				return false
			}
		}
		return true
	}
	lo, hi := w.hi, p.hi
	for lo < hi {
		if mid := lo + (hi-lo+1)/2; served(mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// windowTarget is the size of a decoded window: enough for all workers to
// have chunks, little enough to stay in a shared cache where chunks allow.
const windowTarget = 16 << 20

func (p *pass) targetOuters(list []*stream, lo int64) int64 {
	var bytes, rows int64
	for _, s := range list {
		first, end := s.need(p, lo, lo+1)
		bytes += (end - first) * s.rowBytes()
		rows = max(rows, end-first)
	}
	if p.m.opt.WindowRows > 0 {
		return max(1, p.m.opt.WindowRows/max(1, rows))
	}
	return max(1, min(windowTarget, p.m.opt.Windows/2)/max(1, bytes))
}

// prune asks the source which chunks cannot hold a row that matters.
func (s *stream) prune(p *pass) {
	for _, pr := range p.pruning {
		if pr.in.param == s.param && pr.in.b.Source == s.d.src {
			s.d.preds = append(s.d.preds, pr.pred)
		}
	}
	if len(s.d.preds) > 0 {
		s.d.pruned = s.d.src.Prune(s.d.preds)
	}
}
