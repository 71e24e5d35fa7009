package run

import (
	"errors"
	"fmt"
	"io"

	"github.com/godwit-run/godwit/data"
)

// raw is a column whose stored bytes are what kernels compute with.
type raw struct {
	data.Raw
	ones bool // no bytes: every element is the byte 1 (presence without nulls)
	path string
}

// rawColumn is nil when the column must be decoded.
func rawColumn(b *Binding) *raw {
	if w, ok := b.Source.Raw(b.Column); ok {
		return &raw{Raw: w, path: b.Source.Path()}
	}
	return nil
}

// read copies bytes from off on into p and returns how many of them came
// from outside.
func (w *raw) read(p []byte, off int64) (int64, error) {
	switch {
	case w.ones:
		for i := range p {
			p[i] = 1
		}
		return 0, nil
	case w.File == nil:
		return int64(copy(p, w.Bytes[off:])), nil
	}
	n, err := w.Raw.ReadAt(p, off)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = &data.ChangedError{Path: w.path}
	case err != nil && w.Check == nil:
		err = fmt.Errorf("%s: %w", w.path, err)
	}
	return int64(n), err
}
