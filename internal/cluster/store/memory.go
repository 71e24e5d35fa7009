package store

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// newMemory makes a file that lies in memory and has no name. So shards in
// memory are files to everything above, and can be mapped.
func newMemory(f File) (*os.File, error) {
	name := fmt.Sprintf("godwit-%d-%d", f.Set, f.Shard)
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot make a file in memory: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// Absent says why a shard is not here that was never found to be damaged. What lies in memory alone is gone with the process that held it.
func (s *Store) Absent() error {
	if s.opt.Memory {
		return fmt.Errorf("it is not on this node, which holds data in memory alone and began without any at %s: what it held before is lost", s.began.UTC().Format(time.RFC3339))
	}
	return errors.New("it is not on this node")
}

// settleMemory opens an upload once more, for reading only: a file that nobody
// can write may be mapped without copying.
func (s *Store) settleMemory(u *upload) (*Shard, error) {
	f, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", u.f.Fd()))
	if err != nil {
		return nil, err
	}
	sums, err := u.summed()
	if err != nil {
		f.Close()
		return nil, err
	}
	h, err := s.openShard(u.File, fmt.Sprintf("memory:%d/%d.arrow", u.Set, u.Shard), f, sums)
	if err != nil {
		return nil, u.wrong("%v", err)
	}
	if err := h.Source.Lay(); err != nil { // else each run would map it, and unmap it again
		return nil, errors.Join(fmt.Errorf("cannot map %v: %w", &u.File, err), h.Source.Close())
	}
	return h, nil
}
