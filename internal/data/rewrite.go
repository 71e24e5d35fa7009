package data

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: a source. Out: a file of another format with the same columns. What of it does not fit in memory lies in a file without a name
// beside the new one meanwhile, which is mapped, so that as much is in memory as the system has room for.

// Written is what a conversion has written.
type Written struct {
	Rows    int64
	Columns []Column
	Left    []string // columns that were left out
	Notes   []string // see Notes; of columns that are written
}

// Rewrite writes the columns of src, but for those of skip, to path, in the format of its ending. looked is told of rows as they
// are read. Text, dates, times and decimals stay what they are.
func Rewrite(ctx context.Context, src Source, path string, skip []string, looked func(rows int64)) (*Written, error) {
	if err := CheckName(path); err != nil {
		return nil, err
	}
	if at, err := os.Stat(path); err == nil {
		for _, p := range Files(src) {
			if of, err := os.Stat(p); err == nil && os.SameFile(at, of) {
				e := fail(path, "it is what is read, and would be replaced")
				e.Help = "write to another file"
				return nil, e
			}
		}
	}
	src, err := Typed(ctx, src, nil)
	if err != nil {
		return nil, err
	}
	left, err := leftOut(src, skip)
	if err != nil {
		return nil, err
	}
	notes := Notes(src, left)
	if src, err = Meant(ctx, src, left); err != nil {
		return nil, err
	}
	w, wants, err := chosen(src, left)
	if err != nil {
		return nil, err
	}
	w.Notes = notes
	r := &rewriting{src: src, wants: wants}
	defer r.close()
	if err := r.room(path); err != nil {
		return nil, err
	}
	if err := r.fill(ctx, looked); err != nil {
		return nil, err
	}
	if err := src.Unchanged(); err != nil {
		return nil, err
	}
	out, err := r.output(ctx)
	if err != nil {
		return nil, err
	}
	return w, Write(path, out)
}

// leftOut are the columns of these names.
func leftOut(src Source, skip []string) (map[int]bool, error) {
	left := map[int]bool{}
	for _, name := range skip {
		i, err := Lookup(src, name)
		if err != nil {
			return nil, err
		}
		left[i] = true
	}
	return left, nil
}

// chosen are the columns that are written.
func chosen(src Source, left map[int]bool) (*Written, []Want, error) {
	w := &Written{Rows: src.Rows()}
	var wants []Want
	var unfit []string
	var first *Error
	for i, c := range src.Columns() {
		if left[i] {
			w.Left = append(w.Left, c.Name)
			continue
		}
		if e := Unfit(src, i); e != nil {
			unfit = append(unfit, " --skip '"+c.Name+"'")
			if first == nil {
				first = e
			}
			continue
		}
		wants = append(wants, Want{Column: i, Kind: c.Kind, Option: c.Nullable, Means: wanted(&c)})
		w.Columns = append(w.Columns, c)
	}
	switch {
	case first != nil:
		e := *first
		e.Help = "leave out what cannot be read:" + strings.Join(unfit, "")
		return nil, nil, &e
	case len(wants) == 0:
		return nil, nil, fail(src.Path(), "it has no column that is written: all are left out")
	}
	return w, wants, nil
}

// wanted is the meaning that values are asked for in: codes of text are numbers.
func wanted(c *Column) meaning.Meaning {
	if c.Means.Sort == meaning.Text {
		return meaning.Meaning{}
	}
	return c.Means
}

// rewriting is a table on its way.
type rewriting struct {
	src    Source
	wants  []Want
	file   *os.File
	mapped []byte
	dst    []Dest // of all rows
}

// room makes the memory for all columns: as much of the disk is taken before as it needs, since a mapping cannot say that a disk is full.
func (r *rewriting) room(path string) error {
	const page = 1 << 12
	total := int64(0)
	starts := make([]int64, 0, 2*len(r.wants))
	add := func(n int64) {
		starts = append(starts, total)
		total += (n + page - 1) &^ (page - 1)
	}
	rows := r.src.Rows()
	for _, w := range r.wants {
		c := &r.src.Columns()[w.Column]
		n, ok := sizeOf(rows, c.Dims, w.Kind)
		if !ok || total < 0 {
			return columnError(r.src.Path(), c, fmt.Sprintf("%d rows of it are too many", rows))
		}
		add(n)
		if w.Option {
			add(rows)
		} else {
			add(0)
		}
	}
	if total > 0 {
		if err := r.take(path, total); err != nil {
			return writeFailed(path, err)
		}
	}
	for i, w := range r.wants {
		c := &r.src.Columns()[w.Column]
		n, _ := sizeOf(rows, c.Dims, w.Kind)
		d := Dest{Values: r.mapped[starts[2*i]:][:n:n]}
		if w.Option {
			d.Valid = r.mapped[starts[2*i+1]:][:rows:rows]
		}
		r.dst = append(r.dst, d)
	}
	return nil
}

func (r *rewriting) take(path string, total int64) (err error) {
	target, _, err := writeTarget(path)
	if err != nil {
		return err
	}
	if r.file, err = os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*"); err != nil {
		return err
	}
	if err := os.Remove(r.file.Name()); err != nil {
		return err
	}
	err = allocate(r.file, total)
	if errors.Is(err, unix.EOPNOTSUPP) {
		zeros := make([]byte, 1<<20)
		for off := int64(0); off < total && (err == nil || errors.Is(err, unix.EOPNOTSUPP)); off += int64(len(zeros)) {
			_, err = r.file.WriteAt(zeros[:min(int64(len(zeros)), total-off)], off)
		}
	}
	if err != nil {
		return err
	}
	r.mapped, err = unix.Mmap(int(r.file.Fd()), 0, int(total), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return err
}

func (r *rewriting) close() {
	if r.mapped != nil {
		_ = unix.Munmap(r.mapped)
	}
	if r.file != nil {
		r.file.Close()
	}
}

// fill reads all rows.
func (r *rewriting) fill(ctx context.Context, looked func(rows int64)) error {
	return Each(ctx, len(r.src.Chunks()), func(chunk int) error {
		c := r.src.Chunks()[chunk]
		dst := make([]Dest, len(r.wants))
		for i, w := range r.wants {
			row := r.src.Columns()[w.Column].Width() * int64(w.Kind.Size())
			dst[i].Values = r.dst[i].Values[c.Lo*row : c.Hi*row]
			if w.Option {
				dst[i].Valid = r.dst[i].Valid[c.Lo:c.Hi]
			}
		}
		if _, err := r.src.Fill(ctx, chunk, r.wants, dst); err != nil {
			return err
		}
		if looked != nil {
			looked(c.Rows())
		}
		return nil
	})
}

func (r *rewriting) output(ctx context.Context) (*Output, error) {
	out := &Output{Rows: r.src.Rows()}
	for i, w := range r.wants {
		c := &r.src.Columns()[w.Column]
		texts, err := Texts(ctx, r.src, w.Column)
		if err != nil {
			return nil, err
		}
		o := OutColumn{Name: c.Name, Kind: w.Kind, Dims: c.Dims, Values: r.dst[i].Values, Means: c.Means, Texts: texts, Unknown: c.Unknown}
		if w.Option && (&OutColumn{Valid: r.dst[i].Valid}).HasNulls() {
			o.Valid = r.dst[i].Valid
		}
		out.Columns = append(out.Columns, o)
	}
	return out, nil
}
