package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/godwit-run/godwit/internal/data/whole"
)

// A file says that the process ended in order, which a crash of it or of the machine does
// not leave: then what was written last may be damaged, and should be read first.

func (s *Store) stoppedPath() string { return filepath.Join(s.dir, "stopped") }

// begun takes the file away, and reports whether it was there.
func (s *Store) begun() (orderly bool, err error) {
	st, err := os.Lstat(s.stoppedPath())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		orderly, err = st.Mode().IsRegular(), errors.Join(remove(s.stoppedPath()), whole.Sync(s.dir))
	}
	return orderly, err
}

// ended leaves the file. Where there is no room for it, the next process reads too much.
func (s *Store) ended() { _ = whole.Write(s.stoppedPath(), nil, 0o644) }

// Disorderly reports that the process before did not end in order and left shards.
func (s *Store) Disorderly() bool { return !s.orderly && len(s.Shards()) > 0 }
