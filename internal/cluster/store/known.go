package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/godwit-run/godwit/internal/data/regular"
)

// maxKnown is more than is ever known, in bytes.
const maxKnown = 64 << 20

// Known gives what SetKnown was told last, in this or an earlier life of the node: a few
// hundred bytes that mean something to others. Without a file there are none.
func (s *Store) Known() ([]byte, error) {
	b, err := regular.Read(s.knownPath(), maxKnown)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// SetKnown replaces what is known. It is on the disk when this returns.
func (s *Store) SetKnown(b []byte) error {
	if s.opt.Memory {
		return nil
	}
	return full(s.dir, s.rewrite(s.knownPath(), b), int64(len(b)))
}

func (s *Store) knownPath() string { return filepath.Join(s.dir, "known.json") }
