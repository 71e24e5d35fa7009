package data

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: a table and the columns that part it. Out: a file for each part, in which its rows keep their order. Each row gets the number of its part;
// then each column is laid out part after part, beside the target, so that a part of it is one piece of memory; then files are written from
// these pieces, several at a time. All files have the same types, also where a part has no nulls: other programs read them as one table.

// maxParts bounds the folders of a table: more come from a column that says something else of each row.
const maxParts = 1 << 16

// maxName is the longest name of a folder, in bytes, as Linux and macOS have it.
const maxName = 255

type parting struct {
	target Target
	out    *Output
	keys   []*OutColumn
	rest   []OutColumn // laid out part after part

	folders []string // of each part
	of      []uint32 // part of each row
	starts  []int64  // first row of each part, and the end of the last
	room    arena
}

func (p *parting) close() { p.room.close() }

func (p *parting) write(ctx context.Context, tmp string) (err error) {
	defer guard(p.target.Path, &err)
	// A disk that fails under a mapping is a fault of memory.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var rest []*OutColumn
	if p.keys, rest, err = p.target.keys(p.out.Columns); err != nil {
		return err
	}
	need := padded(4 * p.out.Rows)
	for _, c := range rest {
		need += padded(int64(len(c.Values))) + padded(int64(len(c.Valid)))
	}
	if err := p.room.take(filepath.Dir(tmp), need); err != nil {
		return err
	}
	if err := p.number(ctx); err != nil {
		return err
	}
	if err := p.layOut(ctx, rest); err != nil {
		return err
	}
	if err := Each(ctx, len(p.folders), func(i int) error { return p.file(ctx, tmp, i) }); err != nil {
		return err
	}
	return syncBelow(tmp)
}

// checkKey says why a column cannot be in the names of folders.
func (c *OutColumn) checkKey() *Error {
	switch {
	case len(c.Dims) > 0:
		return refuse(c, "it is an array, of which no folder has its name", "part it by a column of single values")
	case c.Kind.IsFloat():
		return refuse(c, "it has floats, of which no folder has its name: two that look equal may differ",
			fmt.Sprintf("round it to an integer in the program, as with `as i64`; a column of a CSV file becomes decimals or text by what stands behind the file's name: ?types=%s:Decimal<10,2> or ?text=%[1]s", c.name()))
	}
	return nil
}

// number finds the part of each row.
func (p *parting) number(ctx context.Context) error {
	p.of = view[uint32](p.room.next(4 * p.out.Rows))
	p.folders = []string{""}
	for _, c := range p.keys {
		if err := p.refine(ctx, c); err != nil {
			return err
		}
	}
	p.starts = make([]int64, len(p.folders)+1)
	for _, part := range p.of {
		p.starts[part+1]++
	}
	for i := range p.folders {
		p.starts[i+1] += p.starts[i]
	}
	return nil
}

// refine parts what is parted by the values of another column.
func (p *parting) refine(ctx context.Context, c *OutColumn) error {
	w := &keyWords{column: c, codes: map[uint64]uint32{}, of: map[string]uint32{}}
	if len(p.of) == 0 { // one file without rows says what the columns are
		p.folders[0] = filepath.Join(p.folders[0], escapedName(c.name())+"="+nullKey)
		return nil
	}
	var folders []string
	parts := map[uint64]uint32{}
	last, lastPart := uint64(math.MaxUint64), uint32(0)
	for row := range p.of {
		if row&(1<<16-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		word, err := w.at(int64(row))
		if err != nil {
			return err
		}
		pair := uint64(p.of[row])<<32 | uint64(word)
		if pair != last {
			part, ok := parts[pair]
			if !ok {
				part = uint32(len(folders))
				if part == maxParts {
					return p.tooMany(int64(row))
				}
				parts[pair] = part
				folders = append(folders, filepath.Join(p.folders[p.of[row]], w.names[word]))
			}
			last, lastPart = pair, part
		}
		p.of[row] = lastPart
	}
	p.folders = folders
	return nil
}

func (p *parting) tooMany(row int64) error {
	e := fail(p.target.Path, "the values of %s would make more than %d folders, as the first %d rows show", strings.Join(p.target.By, ", "), maxParts, row+1)
	e.Help = "part it by columns with few different values"
	return e
}

// keyWords are the names of folders for the values of a column.
type keyWords struct {
	column *OutColumn
	codes  map[uint64]uint32 // by the bits of a value
	of     map[string]uint32
	names  []string
	none   uint32 // the number of the name for nulls, from 1 on; 0 before there is one
}

// at is the number of the name for a row.
func (w *keyWords) at(row int64) (uint32, error) {
	c := w.column
	if c.Valid != nil && c.Valid[row] == 0 {
		if w.none == 0 {
			n, err := w.named(row, nullKey)
			if err != nil {
				return 0, err
			}
			w.none = n + 1
		}
		return w.none - 1, nil
	}
	bits := column.Get(c.Kind, c.Values, row)
	if n, ok := w.codes[bits]; ok {
		return n, nil
	}
	word, ok := c.meant(nil, row)
	if !ok {
		word = appendValue(nil, c.Values, c.Kind, int(row))
	}
	n, err := w.named(row, escapedValue(string(word)))
	w.codes[bits] = n
	return n, err
}

// named gives the number of a name, which two values may have: of text, which is numbers of texts.
func (w *keyWords) named(row int64, value string) (uint32, error) {
	name := escapedName(w.column.name()) + "=" + value
	if len(name) > maxName {
		e := refuse(w.column, fmt.Sprintf("a folder would have a name of %d bytes for its value, and no name has more than %d", len(name), maxName), "part it by a column with shorter values")
		e.Row = row
		return 0, e
	}
	n, ok := w.of[name]
	if !ok {
		n = uint32(len(w.names))
		w.of[name], w.names = n, append(w.names, name)
	}
	return n, nil
}

// layOut copies the columns that stay, part after part.
func (p *parting) layOut(ctx context.Context, rest []*OutColumn) error {
	for _, c := range rest {
		d := *c
		d.Optional = c.HasNulls()
		if c.Means.Sort == meaning.Decimal {
			d.Means.Digits = uint8(c.digits())
		}
		d.Values = p.room.next(int64(len(c.Values)))
		if c.Valid != nil {
			d.Valid = p.room.next(int64(len(c.Valid)))
		}
		p.rest = append(p.rest, d)
	}
	return Each(ctx, len(rest), func(i int) (err error) {
		defer guard(p.target.Path, &err)
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		p.scatter(p.rest[i].Values, rest[i].Values, int(rest[i].width())*rest[i].Kind.Size())
		if rest[i].Valid != nil {
			p.scatter(p.rest[i].Valid, rest[i].Valid, 1)
		}
		return nil
	})
}

// scatter copies rows of size bytes to where their parts are.
func (p *parting) scatter(dst, src []byte, size int) {
	next := slices.Clone(p.starts)
	switch {
	case len(src) == 0:
	case size == 1:
		scatter(dst, src, p.of, next)
	case size == 2:
		scatter(view[uint16](dst), view[uint16](src), p.of, next)
	case size == 4:
		scatter(view[uint32](dst), view[uint32](src), p.of, next)
	case size == 8:
		scatter(view[uint64](dst), view[uint64](src), p.of, next)
	default:
		for row, part := range p.of {
			to := int(next[part]) * size
			copy(dst[to:to+size], src[row*size:])
			next[part]++
		}
	}
}

func scatter[T any](dst, src []T, of []uint32, next []int64) {
	for row, part := range of {
		dst[next[part]] = src[row]
		next[part]++
	}
}

// file writes one part.
func (p *parting) file(ctx context.Context, tmp string, i int) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	lo, hi := p.starts[i], p.starts[i+1]
	out := &Output{Rows: hi - lo}
	for _, c := range p.rest {
		size := c.width() * int64(c.Kind.Size())
		c.Values = c.Values[lo*size : hi*size]
		if c.Valid != nil {
			c.Valid = c.Valid[lo:hi]
		}
		out.Columns = append(out.Columns, c)
	}
	folder := filepath.Join(tmp, p.folders[i])
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	name := "part-0" + p.target.ending()
	path := filepath.Join(folder, name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := encode(filepath.Join(p.target.Path, p.folders[i], name), &endedWriter{ctx, w}, writerOf(path), out); err != nil {
		return p.ofTable(i, err)
	}
	return w.Flush()
}

// ofTable is an error about a row of a part with the number of the row in the table.
func (p *parting) ofTable(i int, err error) error {
	var at *Error
	if !errors.As(err, &at) || at.Row < 0 {
		return err
	}
	e, nth := *at, int64(-1)
	e.Row = int64(slices.IndexFunc(p.of, func(part uint32) bool {
		if part == uint32(i) {
			nth++
		}
		return part == uint32(i) && nth == at.Row
	}))
	return &e
}
