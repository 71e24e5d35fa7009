package data

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: codes of more rows than memory should hold. Out: the same in a file without a name, first those of chunks and then the columns.
// The file is closed with the call, or when nobody has its columns any more, and gone with the process. Invariant: what the file does not take stays in memory.

// mostCodes is how many bytes of codes are kept in memory: a small part of what is free, and no more than a quarter GiB, whose reading is short beside that of
// the text; a container may have less than the machine has free. Tests lower it.
var mostCodes = func() int64 { return min(max(mem.Available()/64, leastCodes), 256<<20) }

type codesKey struct{}

// WithCodes gives Encode a context in which it keeps no more than so many bytes of codes in memory.
func WithCodes(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, codesKey{}, bytes)
}

func mostCodesOf(ctx context.Context) int64 {
	if bytes, ok := ctx.Value(codesKey{}).(int64); ok {
		return bytes
	}
	return mostCodes()
}

const (
	leastCodes = 16 << 20
	// codeBytes is about what a row of a column takes while its dictionary is made: the code in its chunk, and the one in the column.
	codeBytes = 4 + 1
)

// codeFile is such a file. A nil one takes nothing.
type codeFile struct {
	*os.File
	next atomic.Int64 // where the next codes go
	full atomic.Bool  // it takes no more
}

// codesAside gives a file for the codes of so many rows, if memory should not hold them and there can be one.
func codesAside(ctx context.Context, rows int64, columns int) *codeFile {
	if rows < mostCodesOf(ctx)/codeBytes/int64(columns) {
		return nil
	}
	var dirs []string
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "godwit"))
	}
	for _, dir := range append(dirs, os.TempDir()) {
		if os.MkdirAll(dir, 0o700) != nil {
			continue
		}
		if f, ok := nameless(dir); ok {
			return &codeFile{File: f}
		}
		if f, err := os.CreateTemp(dir, ".codes.*"); err == nil {
			if os.Remove(f.Name()) == nil {
				return &codeFile{File: f}
			}
			f.Close()
		}
	}
	return nil
}

// asideCodes are a chunk's codes in a file.
type asideCodes struct {
	at    int64
	rows  int
	width int // bytes of each; the largest number of the width is a null
}

// take puts a chunk's codes aside, and reports whether it could.
func (f *codeFile) take(p *partText) bool {
	if f == nil || f.full.Load() {
		return false
	}
	a := &asideCodes{rows: len(p.codes), width: 4}
	switch n := len(p.texts); {
	case n < math.MaxUint8:
		a.width = 1
	case n < math.MaxUint16:
		a.width = 2
	}
	b := make([]byte, a.rows*a.width)
	for i, c := range p.codes {
		switch a.width {
		case 1:
			b[i] = uint8(c)
		case 2:
			binary.NativeEndian.PutUint16(b[2*i:], uint16(c))
		default:
			binary.NativeEndian.PutUint32(b[4*i:], uint32(c))
		}
	}
	if a.at = f.put(b); a.at < 0 {
		return false
	}
	codes := p.codes
	codesPool.Put(&codes)
	p.codes, p.aside = nil, a
	return true
}

// put writes bytes behind all others, and gives their place; -1 if there is no room for them.
func (f *codeFile) put(b []byte) int64 {
	at := f.next.Add(int64(len(b))) - int64(len(b))
	if _, err := f.WriteAt(b, at); err != nil {
		f.full.Store(true)
		return -1
	}
	return at
}

// codesOf are rows lo..hi of a chunk.
func (f *codeFile) codesOf(p *partText, lo, hi int) ([]int32, error) {
	a := p.aside
	if a == nil {
		return p.codes[lo:hi], nil
	}
	b := make([]byte, (hi-lo)*a.width)
	if _, err := f.ReadAt(b, a.at+int64(lo*a.width)); err != nil {
		return nil, err
	}
	out := make([]int32, hi-lo)
	for i := range out {
		switch a.width {
		case 1:
			out[i] = widened(int32(b[i]), math.MaxUint8)
		case 2:
			out[i] = widened(int32(binary.NativeEndian.Uint16(b[2*i:])), math.MaxUint16)
		default:
			out[i] = int32(binary.NativeEndian.Uint32(b[4*i:]))
		}
	}
	return out, nil
}

func widened(c, null int32) int32 {
	if c == null {
		return noCode
	}
	return c
}

// asideColumn is a column of codes in a file, and behind it a byte for each row if some have no value.
type asideColumn struct {
	file  *codeFile
	at    int64
	size  int64 // bytes of a code
	valid int64 // -1 if all rows have values
}

// column makes room for a column of codes; nil if it is to lie in memory.
func (f *codeFile) column(rows int64, kind num.Kind, nulls bool) *asideColumn {
	if f == nil || f.full.Load() {
		return nil
	}
	c := &asideColumn{file: f, size: int64(kind.Size()), valid: -1}
	c.at = f.next.Add(rows*c.size) - rows*c.size
	if nulls {
		c.valid = f.next.Add(rows) - rows
	}
	return c
}

// write puts down rows from at on.
func (c *asideColumn) write(at int64, codes, valid []byte) error {
	_, err := c.file.WriteAt(codes, c.at+at*c.size)
	if err == nil && valid != nil {
		_, err = c.file.WriteAt(valid, c.valid+at)
	}
	return err
}

// read gives rows lo..hi; valid is nil if all rows have values.
func (c *asideColumn) read(lo, hi int64) (codes, valid []byte, err error) {
	codes = make([]byte, (hi-lo)*c.size)
	if _, err = c.file.ReadAt(codes, c.at+lo*c.size); err != nil || c.valid < 0 {
		return codes, nil, err
	}
	valid = make([]byte, hi-lo)
	_, err = c.file.ReadAt(valid, c.valid+lo)
	return codes, valid, err
}
