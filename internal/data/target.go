package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// In: a table, and where it shall be. Out: a file in the format of its name; or, where columns are named to part it by, a folder of files as Hive,
// Spark and DuckDB write them: one for each value of the columns, in a folder column=value. Invariant: what is written appears when it
// is complete, and after an error nothing is left of it.

// Target is where a table is written.
type Target struct {
	Path string
	// By are columns. If there are some, Path becomes a folder, whose files have all other columns.
	By []string
}

// ending is that of the files of a folder; "" if the folder's name says none that is known.
func (t Target) ending() string {
	ext := extension(t.Path)
	switch {
	case Writes(t.Path):
		return ext
	case ext == "":
		return ".parquet"
	}
	return ""
}

// Check says why nothing is written there, before there is something to write. Errors are *Error.
func (t Target) Check() error {
	if len(t.By) == 0 {
		return CheckName(t.Path)
	}
	for i, name := range t.By {
		if name == "" {
			e := fail(t.Path, "one of the columns to part it by has no name")
			e.Help = "separate them by commas, as origin,month"
			return e
		}
		if slices.Contains(t.By[:i], name) {
			return fail(t.Path, "it is parted by `%s` twice", name)
		}
	}
	if st, err := os.Stat(t.Path); err == nil {
		return t.checkThere(st)
	}
	if base := filepath.Base(t.Path); t.Path == "" || t.Path == "-" || base == "." || base == ".." {
		return fail(t.Path, "expected the name of a folder, of files that are parted by columns")
	}
	if t.ending() != "" {
		return nil
	}
	e := CheckName(t.Path).(*Error)
	e.Help += "; a folder whose name has no ending gets Parquet files"
	return e
}

// checkThere lets only an empty folder be replaced.
func (t Target) checkThere(st os.FileInfo) error {
	if !st.IsDir() {
		e := fail(t.Path, "expected the name of a folder, since it is parted by columns; found a file")
		e.Help = "name a folder that is not there"
		return e
	}
	list, err := os.ReadDir(t.Path)
	if err != nil {
		return systemError(t.Path, err)
	}
	if len(list) > 0 {
		e := fail(t.Path, "the folder is not empty, and what is in it would be read together with what is written")
		e.Help = "name a folder that is not there, or move this one away first"
		return e
	}
	return nil
}

// place is the path that is written, links followed. What is on the way to it lies in the same folder.
func (t Target) place() (string, error) {
	if len(t.By) > 0 {
		return written(filepath.Clean(t.Path))
	}
	place, _, err := writeTarget(t.Path)
	return place, err
}

// Write writes out there. Errors are *Error.
func (t Target) Write(ctx context.Context, out *Output) error {
	if err := t.Check(); err != nil {
		return err
	}
	if err := checkOutput(t.Path, out); err != nil {
		return err
	}
	if len(t.By) == 0 {
		return replaceFile(t.Path, func(f io.Writer) error { return encode(t.Path, &endedWriter{ctx, f}, writerOf(t.Path), out) })
	}
	p := &parting{target: t, out: out}
	defer p.close()
	err := newFolder(t.Path, func(tmp string) error { return p.write(ctx, tmp) })
	if there := t.Check(); errors.Is(err, fs.ErrExist) && there != nil { // somebody else was faster
		return there
	}
	if err != nil {
		return writeFailed(t.Path, err)
	}
	return nil
}

// endedWriter writes until its context ends, so that an interruption need not wait for a large file.
type endedWriter struct {
	ctx context.Context
	w   io.Writer
}

func (e *endedWriter) Write(b []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.w.Write(b)
}

// newFolder has write fill a new folder beside path and gives it its name, if nothing but an empty folder has that.
func newFolder(path string, write func(tmp string) error) error {
	place, err := written(filepath.Clean(path))
	if err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(place), "."+filepath.Base(place)+"."+strconv.FormatUint(rand.Uint64(), 36))
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return err
	}
	if err = write(tmp); err == nil {
		err = unix.Rename(tmp, place) // which replaces an empty folder, as os.Rename does not
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	syncDirectory(filepath.Dir(place))
	return nil
}

// CheckColumns says why a table of these columns is not written there; nothing but names and types is looked at. Errors are *Error.
func (t Target) CheckColumns(columns []OutColumn) error {
	if len(t.By) == 0 {
		return nil
	}
	_, _, err := t.keys(columns)
	return err
}

// keys are the columns that a table is parted by, and rest all others.
func (t Target) keys(columns []OutColumn) (keys, rest []*OutColumn, err error) {
	of, names := map[string]*OutColumn{}, []string{}
	for i := range columns {
		c := &columns[i]
		of[c.name()] = c
		names = append(names, c.name())
	}
	is := map[*OutColumn]bool{}
	for _, name := range t.By {
		c := of[name]
		if c == nil {
			e := fail(t.Path, "there is no column `%s` to part it by; the columns are %s", name, listed(names))
			if near := diag.Nearest(name, names); near != "" {
				e.Help = fmt.Sprintf("did you mean `%s`?", near)
			}
			return nil, nil, e
		}
		if err := c.checkKey(); err != nil {
			err.Path, err.Column = t.Path, name
			return nil, nil, err
		}
		keys, is[c] = append(keys, c), true
	}
	for i := range columns {
		if c := &columns[i]; !is[c] {
			rest = append(rest, c)
		}
	}
	if len(rest) == 0 {
		e := fail(t.Path, "it is parted by all of its columns, and none is left for the files")
		if len(t.By) > 1 {
			e.Help = "leave one of them out: " + strings.Join(t.By[:len(t.By)-1], ",")
		}
		return nil, nil, e
	}
	return keys, rest, nil
}

// of is t with the columns of src that its own names mean, of which all must be written.
func (t Target) of(src Source, written []Column) (Target, error) {
	by := make([]string, len(t.By))
	for i, name := range t.By {
		at, err := Lookup(src, name)
		if err != nil {
			return t, err
		}
		if by[i] = cmp.Or(src.Columns()[at].Name, Unnamed); !slices.ContainsFunc(written, func(c Column) bool { return c.Name == src.Columns()[at].Name }) {
			e := fail(src.Path(), "column `%s` is left out, and parts what is written", name)
			e.Help = "take it out of --skip"
			return t, e
		}
	}
	t.By = by
	return t, t.Check()
}
