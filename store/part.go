package store

import "fmt"

// ReadPart reads bytes of a shard's file.
func (s *Store) ReadPart(f File, offset int64, b []byte) error {
	h, ok := s.Shard(f.Set, f.Shard)
	if !ok {
		return f.wrong("it is not here")
	}
	defer h.Release()
	for i, c := range h.Source.Columns() {
		if raw, ok := h.Source.Raw(i); ok && raw.File != nil {
			_, err := raw.File.ReadAt(b, offset)
			return err
		}
		_ = c
	}
	return fmt.Errorf("no column lies in a file")
}
