package store

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data/regular"
)

// In: shards that are read, and not any more. Out: open files for those that are read, and for no
// more than Options.Files others, the ones that were read last. So a node can hold more shards
// than it may have files open, and has descriptors left for connections. Shards in memory have no
// name to be opened by: their number is bounded.

// maxIdle bounds the files that are kept open by default: to open one takes some microseconds.
const maxIdle = 4096

// descriptors is how many files this process may have open.
func descriptors() int {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return maxIdle
	}
	return int(min(l.Cur, 4*maxIdle))
}

// enter has a shard that was opened count. Called with mu held, or at start.
func (s *Store) enter(h *Shard) {
	s.shards[h.key()] = h
	s.used += h.Bytes
	s.rest(h)
}

// busy takes a shard from those whose files may be closed. Called with mu held, as what follows.
func (s *Store) busy(h *Shard) {
	if h.resting != nil {
		s.resting.Remove(h.resting)
		h.resting = nil
	}
}

// rest notes that nobody reads a shard any more.
func (s *Store) rest(h *Shard) {
	if !s.opt.Memory && h.file != nil {
		h.resting = s.resting.PushBack(h)
		s.park(s.opt.Files)
	}
}

// park closes files that nobody reads, those first that were not read for the longest time, until
// so many are left. It reports whether there were any.
func (s *Store) park(left int) (some bool) {
	for s.resting.Len() > left {
		h := s.resting.Remove(s.resting.Front()).(*Shard)
		h.resting, h.file = nil, nil
		_ = h.Source.Park() // it was only read from
		some = true
	}
	return some
}

// reopen opens the file of a shard that is here, if it is not open.
func (s *Store) reopen(h *Shard) error {
	if h.file != nil {
		return nil
	}
	path := s.path(h.key())
	file, err := regular.Open(path)
	if errors.Is(err, unix.EMFILE) && s.park(0) {
		file, err = regular.Open(path)
	}
	if err != nil {
		return h.unread("its file", err)
	}
	if err := h.same(file); err != nil {
		return errors.Join(err, file.Close())
	}
	h.file = file
	h.Source.Unpark(file)
	return nil
}

// same is an error if another file lies in a shard's place. One that got the number of the old
// one is compared with the sums, block by block, as every file that was changed.
func (h *Shard) same(file *os.File) error {
	now, err := file.Stat()
	if err == nil && !os.SameFile(now, h.as) {
		err = h.check.Damage("another file lies in its place")
	}
	return err
}

// beyondFiles says why no other shard is taken into memory, where each holds a descriptor for as
// long as it is there: half of all are for others. Called with mu held.
func (s *Store) beyondFiles() error {
	n, most := len(s.shards)+len(s.uploads), 2*s.opt.Files
	if !s.opt.Memory || n < most {
		return nil
	}
	return fmt.Errorf("the node holds %d shards in memory, each with an open file, of which it may have %d (half of ulimit -n): drop data sets, load with fewer shards, keep shards on the disk, or start it again with a higher limit", n, most)
}
