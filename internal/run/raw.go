package run

import (
	"errors"
	"fmt"
	"io"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine/mem"
)

// raw is a column whose stored bytes are what kernels compute with.
type raw struct {
	data.Raw
	ones bool // no bytes: every element is the byte 1 (presence without nulls)
	path string
}

// rawColumn is nil when the column must be decoded.
func rawColumn(b *Binding) *raw {
	if b.Blanks != data.NotBlank {
		return nil // also where nothing is missing: numbers may be others
	}
	if w, ok := b.Source.Raw(b.Column); ok {
		return &raw{Raw: w, path: b.Source.Path()}
	}
	return nil
}

// read copies bytes from off on into p.
func (w *raw) read(p []byte, off int64) error {
	switch {
	case w.ones:
		for i := range p {
			p[i] = 1
		}
		return nil
	case w.File == nil:
		copy(p, w.Bytes[off:])
		return nil
	}
	_, err := w.Raw.ReadAt(p, off)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = &data.ChangedError{Path: w.path}
	case err != nil && w.Check == nil:
		err = fmt.Errorf("%s: %w", w.path, err)
	}
	return err
}

// outside is how many of n bytes come from outside of the process.
func (w *raw) outside(n int64) int64 {
	if w.ones {
		return 0
	}
	return n
}

// aligned reports that elements lie in the file as kernels want them in memory.
func (in *input) aligned() bool { return in.raw.Offset%int64(in.kind.Size()) == 0 }

// mappable reports that the column can be used where its file is mapped, and is long enough.
func (in *input) mappable() bool {
	return in.raw != nil && in.raw.File != nil && !in.moved && in.raw.Length >= mapFrom && in.aligned()
}

// blocks widens bytes from..to of the column, without leaving the file, to the blocks that
// have checksums, so that none is read and compared in parts.
func (in *input) blocks(from, to int64) (first, end int64) {
	w := in.raw
	if w.Check == nil || !in.aligned() {
		return from, to
	}
	first = (from+w.Offset)/data.Block*data.Block - w.Offset
	end = min((to+w.Offset+data.Block-1)/data.Block*data.Block, w.Check.Sums().Size) - w.Offset
	return first, max(end, to)
}

// extent is what is mapped of the file: from a page on, or whole blocks.
func (in *input) extent() (start, end int64) {
	first, end := in.blocks(0, in.raw.Length)
	return (first + in.raw.Offset) &^ (mem.Page - 1), end + in.raw.Offset
}
