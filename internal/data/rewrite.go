package data

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: a source. Out: a file of another format with the same columns. What of it does not fit in memory lies in a file without a name
// beside the new one meanwhile, which is mapped, so that as much is in memory as the system has room for.

// Written is what a conversion has written.
type Written struct {
	Rows    int64
	Columns []Column
	Left    []string // columns that were left out
	By      []string // columns that the names of folders have
	Notes   []string // see Notes; of columns that are written
}

// Rewrite writes the columns of src, but for those of skip, to a target. looked is told of rows as they
// are read. Text, dates, times and decimals stay what they are.
func Rewrite(ctx context.Context, src Source, to Target, skip []string, looked func(rows int64)) (*Written, error) {
	if err := to.Check(); err != nil {
		return nil, err
	}
	if at, err := os.Stat(to.Path); err == nil {
		for _, p := range Files(src) {
			if of, err := os.Stat(p); err == nil && os.SameFile(at, of) {
				e := fail(to.Path, "it is what is read, and would be replaced")
				e.Help = "write to another file"
				return nil, e
			}
		}
	}
	if Within(src, to) {
		e := fail(to.Path, "it would be a part of what is read here, and its rows would count twice the next time")
		e.Help = "write to another folder"
		return nil, e
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
	if to, err = to.of(src, w.Columns); err != nil {
		return nil, err
	}
	w.Notes, w.By = notes, to.By
	r := &rewriting{src: src, wants: wants}
	defer r.close()
	if err := r.room(to); err != nil {
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
	return w, to.Write(ctx, out)
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
		leave := "leave out what cannot be read:" + strings.Join(unfit, "")
		if e.Help != "" {
			leave = "; or " + leave
		}
		e.Help += leave
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
	src   Source
	wants []Want
	dst   []Dest // of all rows
	arena
}

// room makes the memory for all columns.
func (r *rewriting) room(t Target) error {
	rows, total := r.src.Rows(), int64(0)
	for _, w := range r.wants {
		c := &r.src.Columns()[w.Column]
		n, ok := sizeOf(rows, c.Dims, w.Kind)
		if total += padded(n); w.Option {
			total += padded(rows)
		}
		if !ok || total < 0 {
			return columnError(r.src.Path(), c, fmt.Sprintf("%d rows of it are too many", rows))
		}
	}
	place, err := t.place()
	if err == nil {
		err = r.take(filepath.Dir(place), total)
	}
	if err != nil {
		return writeFailed(t.Path, err)
	}
	for _, w := range r.wants {
		n, _ := sizeOf(rows, r.src.Columns()[w.Column].Dims, w.Kind)
		d := Dest{Values: r.next(n)}
		if w.Option {
			d.Valid = r.next(rows)
		}
		r.dst = append(r.dst, d)
	}
	return nil
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
