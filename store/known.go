package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Known gives what SetKnown was told last, in this or an earlier life of the node: data
// sets that were visible to all while shards of them were here, each by a revision at
// which they were. Without a file there are none.
func (s *Store) Known() (map[uint32]int64, error) {
	b, err := os.ReadFile(s.knownPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var known map[uint32]int64
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, which says what data sets there were: %w", s.knownPath(), err)
	}
	return known, nil
}

// SetKnown replaces what is known. It is on the disk when this returns.
func (s *Store) SetKnown(known map[uint32]int64) error {
	if s.opt.Memory {
		return nil
	}
	b, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return full(s.dir, writeWhole(s.knownPath(), append(b, '\n'), 0o644), int64(len(b)))
}

func (s *Store) knownPath() string { return filepath.Join(s.dir, "known.json") }
