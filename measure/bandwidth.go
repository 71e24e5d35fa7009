package measure

import (
	"bytes"
	"sync"
	"time"
)

// bandwidth is how many GB/s this machine reads from memory with so many
// threads: the best of several tries, as a limit is one.
func (s *session) bandwidth(threads int, slot region) (Number, error) {
	best := time.Duration(1 << 62)
	n := slot.bytes / 8
	if s.peer == nil {
		n = 1 << 24
		return rate(8*n, reading(threads, 8*n)), nil
	}
	if err := s.peer.hold(0, slot); err != nil {
		return unknown, err
	}
	for range 6 {
		for _, how := range []string{"ram:1024", "ram:4096"} {
			d, _, err := s.peer.run(form{"touch", how}, threads, n)
			if err != nil {
				return unknown, err
			}
			best = min(best, d)
		}
	}
	return rate(8*n, best), s.peer.drop(0)
}

func rate(bytes int64, d time.Duration) Number { return Number(float64(bytes) / d.Seconds() / 1e9) }

// reading stands in for the C reference: a search in vain, which the
// standard library does with vectors.
func reading(threads int, n int64) time.Duration {
	b := bytes.Repeat([]byte{1, 2, 3}, int(n/3))
	best := time.Duration(1 << 62)
	for range 6 {
		start := time.Now()
		var all sync.WaitGroup
		for i := range threads {
			part := b[len(b)*i/threads : len(b)*(i+1)/threads]
			all.Go(func() { bytes.IndexByte(part, 0) })
		}
		all.Wait()
		best = min(best, time.Since(start))
	}
	return best
}
