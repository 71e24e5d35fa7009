package store

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// In: parts of uploads that come. Out: space for them. An upload has the space of what has
// arrived and a little ahead, never that of what it claims: a claim costs its sender nothing,
// so it takes nothing from others. Space counts under Store.mu, and is allocated without it.

// extend reserves what an upload needs beyond what it has, for n more bytes. It says how much
// is to be allocated. Called with mu held.
func (s *Store) extend(u *upload, n int64) (more int64, err error) {
	more = min(u.Bytes, u.have+u.writing+n+s.opt.Ahead) - u.space
	if more <= 0 {
		return 0, nil
	}
	if err := s.roomBeside(u, more); err != nil {
		return 0, err
	}
	u.space += more
	s.used += more
	s.promised += more
	return more, nil
}

// allocate takes from the disk what extend has reserved. Without it a disk that others fill
// is full in the midst of an upload; file systems that cannot do it are full then.
func (s *Store) allocate(u *upload, more int64) error {
	if more == 0 {
		return nil
	}
	s.mu.Lock()
	size := u.space
	s.mu.Unlock()
	conn, err := u.f.SyscallConn() // the upload may be given up at the same time
	if err == nil {
		gone := conn.Control(func(fd uintptr) { err = unix.Fallocate(int(fd), 0, 0, size) })
		err = errors.Join(gone, err)
	}
	if errors.Is(err, unix.EOPNOTSUPP) {
		err = nil
	}
	s.mu.Lock()
	s.promised -= more
	s.mu.Unlock()
	return err
}

// roomBeside says why there is no room for n bytes more of an upload, nil for one that begins.
// A store is full if it would be so without what else arrives; that may still go. Called with
// mu held.
func (s *Store) roomBeside(u *upload, n int64) error {
	err := s.room(n)
	var full *FullError
	if !errors.As(err, &full) {
		return err
	}
	others := int64(0)
	for _, o := range s.uploads {
		if o != u {
			others += o.space
		}
	}
	left := full.Free - full.Reserve
	if full.Limit != 0 {
		left = full.Limit - full.Used
	}
	if n > left+others {
		return err
	}
	return &BusyError{fmt.Sprintf("there is no room for %d bytes beside %d of other shards that are arriving; more are taken when these are complete or given up", n, others)}
}
