package data

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// OutColumn is one column to be written. Values holds rows × width ×
// Kind.Size() little-endian bytes; Valid one byte per row, nil for no nulls.
type OutColumn struct {
	Name          string
	Kind          num.Kind
	Dims          []int64
	Values, Valid []byte
	Means         meaning.Meaning // of the values
	Texts         []string        // that the values are the numbers of, of a column of text
	Unknown       bool            // as Column.Unknown: formats that have a type for nulls alone get that
	Optional      bool            // its type has nulls even if no row is one; then Valid is given
}

// meant is what element i stands for, as other programs read it; false if it is a number or bool.
func (c *OutColumn) meant(line []byte, i int64) ([]byte, bool) {
	switch c.Means.Sort {
	case meaning.None:
		return line, false
	case meaning.Text:
		return append(line, c.text(i)...), true
	}
	return c.Means.AppendISO(line, int64(column.Get(c.Kind, c.Values, i))), true
}

// text is the text of element i.
func (c *OutColumn) text(i int64) string {
	if code := column.Get(c.Kind, c.Values, i); code < uint64(len(c.Texts)) {
		return c.Texts[code]
	}
	return ""
}

// width is the number of elements in one row.
func (c *OutColumn) width() int64 {
	return (&Column{Dims: c.Dims}).Width()
}

// Unnamed is what a column without a name is called in a format that needs
// names.
const Unnamed = "value"

func (c *OutColumn) name() string {
	if c.Name == "" {
		return Unnamed
	}
	return c.Name
}

// Output is a table to be written, or one value if Scalar (then Rows is 1).
type Output struct {
	Columns []OutColumn
	Rows    int64
	Scalar  bool
}

// writer writes a checked Output in one format.
type writer func(w io.Writer, out *Output) error

// Write writes out to path in the format of its extension: .npy, .csv, .tsv, .arrow
// (.feather, .ipc) or .parquet. The file appears under its name only when it
// is complete and on the disk: after an error the name is as it was before.
// Errors are *Error.
func Write(path string, out *Output) error {
	return Target{Path: path}.Write(context.Background(), out)
}

// WriteArrow writes out as an Arrow IPC file of one batch without compression, which
// can be mapped. name is what errors call it. Errors are *Error.
func WriteArrow(name string, w io.Writer, out *Output) error {
	if err := checkOutput(name, out); err != nil {
		return err
	}
	if err := encode(name, w, writeArrow, out); err != nil {
		return writeFailed(name, err)
	}
	return nil
}

// encode runs a format's writer. An error of the disk comes first: what
// becomes of it inside of another project's writer may not say as much.
func encode(path string, f io.Writer, write writer, out *Output) error {
	w := &watchedWriter{w: f}
	err := func() (err error) {
		defer guard(path, &err)
		return write(w, out)
	}()
	if w.err != nil {
		return w.err
	}
	return err
}

// watchedWriter keeps the first error of w.
type watchedWriter struct {
	w   io.Writer
	err error
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(b)
	w.err = err
	return n, err
}

func checkOutput(path string, out *Output) error {
	if len(out.Columns) == 0 {
		return fail(path, "there are no columns to write")
	}
	seen := map[string]bool{}
	for i := range out.Columns {
		c := &out.Columns[i]
		col := &Column{Name: c.Name}
		if !c.Kind.Valid() {
			return columnError(path, col, "it has no kind that can be written")
		}
		need, ok := sizeOf(out.Rows, c.Dims, c.Kind)
		if !ok || need != int64(len(c.Values)) {
			return columnError(path, col, fmt.Sprintf("%d rows need %d bytes, %d are given", out.Rows, need, len(c.Values)))
		}
		if c.Valid != nil && int64(len(c.Valid)) != out.Rows {
			return columnError(path, col, fmt.Sprintf("%d rows need as many bytes of validity, %d are given", out.Rows, len(c.Valid)))
		}
		if seen[c.name()] {
			return columnError(path, &Column{Name: c.name()}, "two columns have this name")
		}
		seen[c.name()] = true
	}
	if out.Scalar && (out.Rows != 1 || len(out.Columns) != 1) {
		return fail(path, "one value was expected, found %d rows of %d columns", out.Rows, len(out.Columns))
	}
	return nil
}

// replaceFile has write fill a new file beside path, puts it on the disk and
// gives it its name. On an error nothing is left of it.
func replaceFile(path string, write func(io.Writer) error) error {
	target, mode, err := writeTarget(path)
	if err != nil {
		return writeFailed(path, err)
	}
	f, err := freshFile(target)
	if err != nil {
		return writeFailed(path, err)
	}
	if err = fillFile(f.File, mode, write); err == nil {
		err = f.become()
	}
	if e := f.drop(); err == nil {
		err = e
	}
	if err != nil {
		return writeFailed(path, err)
	}
	syncDirectory(filepath.Dir(target))
	return nil
}

func fillFile(f *os.File, mode os.FileMode, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<18)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return f.Sync()
}

// maxLinks is how many links are followed, as the kernel does.
const maxLinks = 40

// written is the path of the file that a path names, which need not be there: links are followed.
func written(path string) (string, error) {
	for range maxLinks {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return path, nil // writing says what is wrong with the folder
		}
		path = filepath.Join(dir, filepath.Base(path))
		to, err := os.Readlink(path)
		switch {
		case err != nil:
			return path, nil
		case filepath.IsAbs(to):
			path = to
		default:
			path = filepath.Join(dir, to)
		}
	}
	return "", fmt.Errorf("expected at most %d links, one after the other", maxLinks)
}

// writeTarget follows links, so that a link stays one, and refuses to replace
// what is not a plain file.
func writeTarget(path string) (string, os.FileMode, error) {
	path, err := written(path)
	if err != nil {
		return "", 0, err
	}
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return path, 0o644, nil
	}
	if err != nil {
		return "", 0, err
	}
	if !st.Mode().IsRegular() {
		return "", 0, errors.New("it is not a regular file")
	}
	return path, st.Mode().Perm(), nil
}

// syncDirectory makes the rename durable where the system can.
func syncDirectory(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

func writeFailed(path string, err error) error {
	var known *Error
	if errors.As(err, &known) {
		if known.Path == "" {
			known.Path = path
		}
		return known
	}
	cause := err
	var pe *os.PathError
	if errors.As(err, &pe) {
		cause = pe.Err
	}
	return &Error{Path: path, Row: -1, Msg: "the file was not written: " + cause.Error(), Err: err}
}

// refuse is an error of a format that cannot hold what is to be written; its
// Path is filled in by Write.
func refuse(c *OutColumn, msg, help string) *Error {
	return &Error{Row: -1, Column: c.Name, Msg: msg, Help: help}
}

// HasNulls reports whether a row of c is null.
func (c *OutColumn) HasNulls() bool { return bytes.IndexByte(c.Valid, 0) >= 0 }

// optional reports whether the type of c has nulls.
func (c *OutColumn) optional() bool { return c.Optional || c.HasNulls() }
