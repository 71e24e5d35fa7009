package store

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// What a store takes must leave free space on the disk, for the cluster's records and logs
// that lie there too. Nothing else of a store needs space: reading, dropping and setting
// aside go on when there is none.

// maxReserve bounds the space that is left free by default.
const maxReserve = 1 << 30

// FullError says that there is no room. Nothing was lost.
type FullError struct {
	Dir         string
	Need        int64 // bytes
	Used, Limit int64 // of the shards; Limit is 0 if the disk itself is full
	// Free is what is free on the disk, and Reserve what of it the store leaves, as
	// far as that was looked at.
	Free, Reserve int64
	Memory        bool // shards lie in memory
}

func (e *FullError) Error() string {
	switch {
	case e.Memory:
		return fmt.Sprintf("the memory for data sets has no room for %d bytes: %d of %d are in use; drop data sets, or start the node again with more (--size), which loses what it holds", e.Need, e.Used, e.Limit)
	case e.Limit != 0:
		return fmt.Sprintf("%s has no room for %d bytes: %d of %d are in use; drop data sets, or give the node more space", e.Dir, e.Need, e.Used, e.Limit)
	case e.Reserve != 0:
		return fmt.Sprintf("the disk of %s is full: %d bytes are needed, %d are free, of which %d stay free for the cluster's records and logs; make space, it is used at once",
			e.Dir, e.Need, e.Free, e.Reserve)
	}
	return fmt.Sprintf("the disk of %s is full: %d bytes are needed; make space, it is used at once", e.Dir, e.Need)
}

// full says in the store's own words that a disk is full.
func full(dir string, err error, need int64) error {
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return &FullError{Dir: dir, Need: need}
	case errors.Is(err, unix.ENOMEM):
		return fmt.Errorf("the system has no memory for %d bytes of %s: %w; end other processes, or give the machine more", need, dir, err)
	}
	return err
}

// room says why n bytes of shards are not taken. Called with mu held.
func (s *Store) room(n int64) error {
	limit, err := s.limit()
	if err != nil {
		return err
	}
	if n > limit-s.used {
		return &FullError{Dir: s.dir, Need: n, Used: s.used, Limit: limit, Memory: s.opt.Memory}
	}
	if s.opt.Memory {
		return nil
	}
	return s.spare(n + s.promised)
}

// spare says why n bytes are not written to the disk.
func (s *Store) spare(n int64) error {
	free, reserve, err := s.free()
	if err == nil && n > free-reserve {
		err = &FullError{Dir: s.dir, Need: n, Free: free, Reserve: reserve}
	}
	return err
}

// free is the free space of the disk, and what of it is not for the store.
func (s *Store) free() (free, reserve int64, err error) {
	var d unix.Statfs_t
	if err := unix.Statfs(s.dir, &d); err != nil {
		return 0, 0, fmt.Errorf("cannot tell the free space of %s: %w", s.dir, err)
	}
	reserve = s.opt.Reserve
	if reserve == 0 {
		reserve = min(maxReserve, int64(d.Blocks)*d.Bsize/20)
	}
	return int64(d.Bavail) * d.Bsize, max(0, reserve), nil
}

// limit is the most that shards take. Where none is configured it follows the disk: space
// that comes back is used.
func (s *Store) limit() (int64, error) {
	if s.opt.Bytes > 0 {
		return s.opt.Bytes, nil
	}
	if s.opt.Memory {
		var m unix.Sysinfo_t
		if err := unix.Sysinfo(&m); err != nil {
			return 0, fmt.Errorf("cannot tell the size of memory: %w", err)
		}
		return int64(m.Totalram) * int64(m.Unit) / 2, nil
	}
	free, _, err := s.free()
	return (free + s.used) / 10 * 9, err
}
