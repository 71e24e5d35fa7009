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

	"github.com/godwit-run/godwit/internal/data/regular"
)

// A member keeps room on its disk: a file of ballast, which it gives up in slices when the
// disk is nearly full, so that etcd can go on writing while others are refused. It is made
// again when there is space. When it is used up, and the disk is still full, the member
// stops before etcd meets an error in the middle of a write. Nothing else about it ends a member:
// a reserve is a comfort.
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
	said string // the last trouble that was logged
}

func (b *ballast) path() string { return filepath.Join(b.dir, "ballast") }

// watch keeps the ballast until ctx ends, or the disk is full.
func (b *ballast) watch(ctx context.Context) error {
	for {
		err := b.look()
		if errors.Is(err, errFull) {
			return err
		}
		b.complain(err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(looking):
		}
	}
}

// complain logs a trouble once, until there is another one or none.
func (b *ballast) complain(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != b.said {
		b.log.Warn("the control's member has no reserve on its disk, or not all of it; it is tried again", "reason", err)
	}
	b.said = text
}

// look gives up ballast or makes it, as there is space. errFull says that there is none and nothing
// to give up.
func (b *ballast) look() error {
	free, err := b.free(b.dir)
	if err != nil {
		return err
	}
	have, err := b.size()
	switch {
	case free < nearlyFull && have > 0:
		b.log.Warn("the disk is nearly full: a part of the control's reserve is given up", "free", free, "reserve", have)
		if err = os.Truncate(b.path(), max(0, have-ballastSlice)); err == nil || free >= tooFull {
			return err
		}
		return errors.Join(errFull, err)
	case free < tooFull:
		return errFull
	case err == nil && free >= roomAgain && have < ballastBytes:
		return b.make()
	}
	return err
}

// size is 0 where no regular file is. What else is there is removed; a folder with something in it
// is not, and is an error.
func (b *ballast) size() (int64, error) {
	info, err := os.Lstat(b.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case info.Mode().IsRegular():
		return info.Size(), nil
	}
	return 0, os.Remove(b.path())
}

// make takes the space, which a hole in the file would not.
func (b *ballast) make() error {
	f, err := regular.OpenFile(b.path(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err = unix.Fallocate(int(f.Fd()), 0, 0, ballastBytes); err != nil {
		return errors.Join(err, f.Truncate(0))
	}
	return nil
}

// freeBytes is how many bytes can be written to a file system.
func freeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(s.Bavail) * s.Bsize, nil
}
