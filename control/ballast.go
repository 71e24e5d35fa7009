package control

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// A member keeps room on its disk: a file of ballast, which it gives up in slices when the
// disk is nearly full, so that etcd can go on writing while others are refused. It is made
// again when there is space. When it is used up, and the disk is still full, the member
// stops before etcd meets an error in the middle of a write.
const (
	ballastBytes = 64 << 20
	ballastSlice = 8 << 20
	nearlyFull   = 8 << 20          // free bytes below which a slice is given up
	tooFull      = 1 << 20          // and below which the member stops, without ballast
	roomAgain    = 3 * ballastBytes // free bytes from which ballast is made
	roomToStart  = 3 * ballastSlice // and from which a member starts
	looking      = 100 * time.Millisecond
)

var errFull = errors.New("the disk is full, and the member's reserve is used up: it goes on when there is space")

// ballast is that of one member.
type ballast struct {
	dir  string
	free func(dir string) (int64, error) // bytes that this user may still write
	log  *slog.Logger
}

func (b *ballast) path() string { return filepath.Join(b.dir, "ballast") }

// watch keeps the ballast until ctx ends, or the disk is full.
func (b *ballast) watch(ctx context.Context) error {
	for {
		if err := b.look(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(looking):
		}
	}
}

// look gives up ballast or makes it, as there is space.
func (b *ballast) look() error {
	free, err := b.free(b.dir)
	if err != nil {
		return err
	}
	have, err := b.size()
	if err != nil {
		return err
	}
	switch {
	case free < tooFull && have == 0:
		return errFull
	case free < nearlyFull && have > 0:
		b.log.Warn("the disk is nearly full: a part of the control's reserve is given up", "free", free, "reserve", have)
		return os.Truncate(b.path(), max(0, have-ballastSlice))
	case free >= roomAgain && have < ballastBytes:
		return b.make()
	}
	return nil
}

func (b *ballast) size() (int64, error) {
	info, err := os.Stat(b.path())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// make takes the space, which a hole in the file would not.
func (b *ballast) make() error {
	f, err := os.OpenFile(b.path(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	err = unix.Fallocate(int(f.Fd()), 0, 0, ballastBytes)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSPC) {
		b.log.Warn("the control's member has no reserve on its disk", "reason", err)
		return f.Truncate(0)
	}
	return err
}

// freeBytes is how many bytes can be written to a file system.
func freeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(s.Bavail) * s.Bsize, nil
}
