package store

import (
	"crypto/sha256"
	"errors"
	"io"
	"sync"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/digest"
)

// In: the parts of a file, in the order in which they are written. Out: its SHA-256 and the sums of its blocks,
// of what lies there, when the last part has come. What comes in order is taken from memory; what came before
// its turn is read again while it is still in the page cache. So sealing has nothing left to read.

// digesting is the sums of the first bytes of an upload.
type digesting struct {
	mu  sync.Mutex
	at  int64 // of so many
	sha interface {
		io.Writer
		Sum([]byte) []byte
	}
	sums data.Summing
}

// digestMost is how many bytes are taken at a time: whoever does it for others has an answer to give.
const digestMost = 16 << 20

// digest takes a part that was just written, and what follows it and is there already. Whoever is at it
// does so for all. whole says that b is what lies at offset.
func (s *Store) digest(u *upload, offset int64, b []byte, whole bool) {
	d := &u.digesting
	if !d.mu.TryLock() {
		return
	}
	defer d.mu.Unlock()
	for most := d.at + digestMost; d.at < most; {
		if whole && d.at >= offset && d.at < offset+int64(len(b)) {
			d.take(b[d.at-offset:])
			continue
		}
		end := s.there(u, d.at)
		if end = min(end, most); end <= d.at || d.read(u, end) != nil { // sealing tries again
			return
		}
	}
}

// there is the end of the bytes that have arrived from an offset on.
func (s *Store) there(u *upload, at int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range u.got {
		if x.lo <= at && at < x.hi {
			return x.hi
		}
	}
	return at
}

func (d *digesting) take(b []byte) {
	if d.sha == nil {
		d.sha = sha256.New()
	}
	d.sha.Write(b)
	_, _ = d.sums.Write(b)
	d.at += int64(len(b))
}

// read takes bytes up to end from the file.
func (d *digesting) read(u *upload, end int64) error {
	b := make([]byte, min(end-d.at, 1<<20))
	for d.at < end {
		n, err := u.f.ReadAt(b[:min(end-d.at, int64(len(b)))], d.at)
		d.take(b[:n])
		if n == 0 {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
	}
	return nil
}

// summed gives the sums of an upload of which all has arrived, if it has its SHA-256. If parts were written twice
// at the same time, the file decides which bytes count.
func (u *upload) summed() (data.Sums, error) {
	d := &u.digesting
	d.mu.Lock()
	defer d.mu.Unlock()
	if u.twice {
		d.at, d.sha, d.sums = 0, nil, data.Summing{}
	}
	if err := d.read(u, u.Bytes); err != nil {
		return data.Sums{}, err
	}
	if got := [32]byte(d.sha.Sum(nil)); got != u.Sum {
		return data.Sums{}, u.wrong("the file has SHA-256 %s, expected %s", digest.Short(got), digest.Short(u.Sum))
	}
	return d.sums.Sums(), nil
}

// examine opens what is to be a shard, which looks at its form.
func (s *Store) examine(u *upload, path string, sums data.Sums) error {
	h, err := s.openPath(u.File, path, sums)
	if err != nil {
		return u.wrong("%v", err)
	}
	return h.Source.Close()
}
