package measure

import (
	"bytes"
	"context"
	"os"
	"sync"
	"time"

	"github.com/godwit-run/godwit"
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

// LeastMillis is how long it takes to read from memory what a call reads of
// its files, if nothing else had to be done: the limit of a Contest in ms.
// The bandwidth is measured over the file at path, as it stays in the cache
// that its size allows.
func LeastMillis(ctx context.Context, f *godwit.Func, args godwit.Args, path string, threads int) (Number, error) {
	dir, err := os.MkdirTemp("", "godwit-bench-")
	if err != nil {
		return unknown, err
	}
	defer os.RemoveAll(dir)
	s := &session{dir: dir, report: &Report{}}
	defer s.close()
	if err := s.startPeer(ctx); err != nil {
		return unknown, err
	}
	return s.leastRead(ctx, f, args, path, threads)
}

func (s *session) leastRead(ctx context.Context, f *godwit.Func, args godwit.Args, path string, threads int) (Number, error) {
	res, err := f.Call(ctx, args)
	if err != nil {
		return unknown, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return unknown, err
	}
	bandwidth, err := s.bandwidth(threads, region{path: path, bytes: st.Size() &^ 7})
	return Number(float64(res.Stats().BytesRead)/1e6) / bandwidth, err
}
