package run

import (
	"sync/atomic"
)

// In: launches that go over the same long arrays one after the other. Out: in which direction each of them goes: it begins where the one
// before has ended, since what that has touched last is still in a cache. Invariant: only outer indices that need nothing of each other
// go backwards, so nobody sees in which order they ran.

// sweep is where the last launch that went over a buffer has ended.
type sweep uint8

const (
	nowhere sweep = iota
	atEnd
	atBeginning
)

const (
	// sweepFrom is from how many bytes on a direction is worth anything: less is in a cache from one end to the other.
	sweepFrom = 4 << 20
	// sweepSlices is into how many slices at least outer indices are cut that are taken from the last on. Within a slice the code goes
	// forwards.
	sweepSlices = 64
)

// turn has the launch begin where another one has ended.
func (p *launching) turn() {
	p.backwards = false
	if p.c.Sequential() {
		return
	}
	var over []int // buffers
	for i, b := range p.l.Regions {
		if b < 0 || !p.c.Streams(i) || p.r.about[b].bytes(p.lens[i]) < sweepFrom {
			continue
		}
		over = append(over, b)
		p.backwards = p.backwards || p.r.swept[b] == atEnd
	}
	ends := atEnd
	if p.backwards {
		ends = atBeginning
	}
	for _, b := range over {
		p.r.swept[b] = ends
	}
}

// bytes is what so many elements of a buffer take.
func (a *about) bytes(n int64) int64 { return n * int64(a.kind.Size()) }

// claimBack takes outer indices for a worker, the last ones first.
func (p *pass) claimBack(next *atomic.Int64) (lo, hi int64, ok bool) {
	for {
		at := next.Load()
		if at >= p.hi {
			return 0, 0, false
		}
		n := min(p.job.Slice(), (p.hi-p.lo)/sweepSlices, (p.hi-at+int64(2*p.workers)-1)/int64(2*p.workers))
		if to := min(p.hi, at+max(n, 1)); next.CompareAndSwap(at, to) {
			return p.lo + p.hi - to, p.lo + p.hi - at, true
		}
	}
}
