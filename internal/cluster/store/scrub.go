package store

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/regular"
)

// scrubPiece is how many bytes a scrub reads at a time.
const scrubPiece = 64 * data.Block

// Scrubbing is how a scrub goes about it. What it calls is called one after the other.
type Scrubbing struct {
	// Rate is bytes a second; as fast as the disk if 0.
	Rate int64
	// Newest begins with the shards that were written last.
	Newest bool
	// Read, if it is not nil, is told of bytes that were read.
	Read func(bytes int64)
	// Report is told of every shard, with what is wrong with it, a *DamageError, or why
	// that cannot be told; nil if it is whole.
	Report func(File, error)
}

// Scrub reads all shards that are here, from the disk and around the page cache where the
// file system can, and compares all their blocks with the checksums, and the file of the
// name with the one that is open. It sets nothing aside, and writes again what is
// wrong beside a shard. Its error is the context's.
func (s *Store) Scrub(ctx context.Context, how Scrubbing) error {
	buf, err := unix.Mmap(-1, 0, scrubPiece, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON) // aligned to pages
	if err != nil {
		return err
	}
	defer func() { _ = unix.Munmap(buf) }()
	p := &pace{rate: how.Rate, start: time.Now()}
	for _, f := range s.inOrder(how.Newest) {
		h, ok := s.unopened(f.key())
		if !ok {
			continue
		}
		err := h.scrub(ctx, buf, p, how.Read)
		here := s.here(h)
		_ = h.Release()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if here { // what was dropped meanwhile may be missing
			how.Report(h.File, err)
		}
	}
	return nil
}

// inOrder lists the shards in the order in which they are read.
func (s *Store) inOrder(newest bool) []File {
	list := s.Shards()
	if !newest {
		return list
	}
	written := map[key]time.Time{}
	for _, f := range list {
		if st, err := os.Lstat(s.path(f.key())); err == nil {
			written[f.key()] = st.ModTime()
		}
	}
	slices.SortStableFunc(list, func(a, b File) int { return written[b.key()].Compare(written[a.key()]) })
	return list
}

// here reports that a shard is still the one that is given to readers.
func (s *Store) here(h *Shard) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shards[h.key()] == h
}

func (h *Shard) scrub(ctx context.Context, buf []byte, p *pace, read func(int64)) error {
	file, err := h.again()
	if err != nil {
		return err
	}
	defer file.Close()
	for off := int64(0); off < h.Bytes; {
		n, err := h.check.Recheck(file, buf, off)
		if off += int64(n); read != nil {
			read(int64(n))
		}
		if err != nil {
			return err
		}
		if err := p.wait(ctx, int64(n)); err != nil {
			return err
		}
	}
	return nil
}

// again opens a shard's file once more, by its name, and looks at what lies beside it.
func (h *Shard) again() (*os.File, error) {
	if h.s.opt.Memory {
		return dup(h.file)
	}
	h.described()
	path := h.s.path(h.key())
	file, err := regular.OpenFile(path, os.O_RDONLY|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) { // the file system has no such thing
		file, err = regular.Open(path)
	}
	if err != nil {
		return nil, h.unread("its file", err)
	}
	if err := h.same(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func dup(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// described compares what lies beside the shard with what is known of it. What was damaged
// or lost there is written again: the file itself is compared with it.
func (h *Shard) described() {
	if f, err := h.s.describe(h.key()); (err != nil || f != h.File) && !data.Passing(err) && h.s.here(h) {
		_ = h.s.rewrite(h.s.sidecar(h.key()), h.sidecar())
	}
	b, err := h.readSums(h.s.sumsPath(h.key()))
	if err == nil {
		_, err = h.decodeSums(b)
	}
	if err != nil && !data.Passing(err) && h.s.here(h) {
		_ = h.s.rewrite(h.s.sumsPath(h.key()), h.encodeSums(h.check.Sums()))
	}
}

// unread is the error of what cannot be read beside a shard.
func (h *Shard) unread(what string, err error) error {
	if data.Passing(err) {
		return err
	}
	return h.check.Damage("%s cannot be read: %v", what, err)
}

// pace keeps to a rate.
type pace struct {
	rate  int64
	start time.Time
	done  int64 // since then
}

// wait waits until n more bytes are due. Time that was lost is not made up for.
func (p *pace) wait(ctx context.Context, n int64) error {
	if p.rate <= 0 {
		return context.Cause(ctx)
	}
	p.done += n
	left := time.Duration(float64(p.done)/float64(p.rate)*1e9) - time.Since(p.start)
	if left < -time.Second {
		p.start, p.done = time.Now(), 0
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(max(0, left)):
		return nil
	}
}
