package data

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: a spec. Out: the source that it means: of a single file that file's own, else a list whose columns are those of all of its
// files. Their order in a file does not matter where they have names.

// OpenSpec opens the files of a spec. stdin, if set, gives standard input, of which there is one.
func OpenSpec(ctx context.Context, s *Spec, stdin func() (*os.File, error)) (Source, error) {
	paths, err := s.expand()
	if err != nil {
		return nil, err
	}
	if len(paths) == 1 && len(keysOf(paths[0])) == 0 && s.alone(paths[0]) {
		return openOne(paths[0], s, stdin)
	}
	l := &list{table: table{name: s.Text}, spec: s, members: make([]*member, len(paths))}
	files := *s
	var forms map[string]keyForm
	if forms, files.Options, err = keyForms(s.Options, paths[0]); err != nil {
		return nil, err
	}
	err = Each(ctx, len(paths), func(i int) error {
		m, err := l.open(paths[i], &files, stdin)
		l.members[i] = m
		return err
	})
	if err == nil {
		if err = l.assemble(); err == nil {
			err = l.addKeys(paths, forms)
		}
	}
	if l.name = paths[0]; len(paths) > 1 {
		l.name = fmt.Sprintf("%s (%d files)", s.Text, len(paths))
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// alone reports a file that was named itself, and not found in a folder or by a pattern.
func (s *Spec) alone(path string) bool {
	return path == Stdin || s.Names[0] == path || plainName(s.Names[0]) == path
}

func openOne(path string, s *Spec, stdin func() (*os.File, error)) (Source, error) {
	if path != Stdin || s.Plain {
		return OpenWith(path, s.Options)
	}
	if stdin == nil {
		e := fail(Stdin, "it is not read here")
		e.Help = "name a file"
		return nil, e
	}
	f, err := stdin()
	if err != nil {
		return nil, err
	}
	return OpenFile(Stdin, f, s.Options)
}

// errNothing is the cause of errors about text in which nothing is.
var errNothing = errors.New("nothing is in it")

// open opens a member; one in which nothing is has nothing to say.
func (s *list) open(path string, spec *Spec, stdin func() (*os.File, error)) (*member, error) {
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Size() == 0 {
		return &member{src: FromBytes(path, nil, 0, nil, nil)}, nil
	}
	src, err := openOne(path, spec, stdin)
	if errors.Is(err, errNothing) {
		return &member{src: FromBytes(path, nil, 0, nil, nil)}, nil
	}
	if err != nil {
		return nil, err
	}
	m := &member{src: src, awake: true}
	s.mu.Lock()
	defer s.mu.Unlock()
	if path == Stdin {
		m.users++ // it cannot be opened again
	}
	s.touch(m)
	return m, nil
}

// assemble makes one table of the members.
func (s *list) assemble() error {
	model := slices.IndexFunc(s.members, func(m *member) bool { return len(m.src.Columns()) > 0 })
	if model < 0 {
		return fail(s.name, "all %d files are empty", len(s.members))
	}
	first := s.members[model].src
	s.cols, s.keyed = slices.Clone(first.Columns()), len(first.Columns())
	s.format = first.Format()
	s.stored = make([]bool, s.keyed)
	s.like = make([]string, s.keyed)
	for i := range s.stored {
		s.stored[i], s.like[i] = true, first.Path()
	}
	if slices.ContainsFunc(s.members, func(m *member) bool { return Untyped(m.src) }) {
		s.found = make([]csvFound, s.keyed)
	}
	for i, m := range s.members {
		m.first, m.lo = len(s.chunks), s.rows
		if len(m.src.Columns()) == 0 {
			continue
		}
		if err := s.match(m, first); err != nil {
			return err
		}
		if s.found != nil {
			s.join(m, i)
		}
		for _, c := range m.src.Chunks() {
			s.chunks = append(s.chunks, Chunk{s.rows + c.Lo, s.rows + c.Hi})
			s.of = append(s.of, int32(i))
		}
		if s.rows += m.src.Rows(); s.rows < 0 {
			return fail(s.name, "the files say that they have more than %d rows", int64(1)<<62)
		}
	}
	s.settle()
	return nil
}

// Joined is the rows of open tables, one after the other, under a name. They are closed with it.
func Joined(name string, parts []Source) (Source, error) {
	l := &list{table: table{name: name}}
	for _, src := range parts {
		l.members = append(l.members, &member{src: src, awake: true})
	}
	return l, l.assemble()
}

// settle finds the types of text, and the file that has all rows, if one has.
func (s *list) settle() {
	if s.found != nil && !slices.ContainsFunc(s.members, func(m *member) bool { return len(m.src.Columns()) > 0 && !Untyped(m.src) }) {
		for i := range s.keyed {
			s.cols[i].Kind, s.cols[i].Stored = s.found[i].kind()
		}
	} else {
		s.found = nil
	}
	var full []*member
	for _, m := range s.members {
		if m.src.Rows() > 0 {
			full = append(full, m)
		}
	}
	if len(full) == 1 && s.use(full[0]) == nil { // it is never put to rest
		s.single = full[0]
	}
}

// match finds the columns of a member for those of the list.
func (s *list) match(m *member, model Source) error {
	cols := m.src.Columns()
	same := len(cols) == len(model.Columns())
	for i := range cols {
		same = same && cols[i].Name == s.cols[i].Name
	}
	if !same {
		if err := s.byName(m, cols, model); err != nil {
			return err
		}
	}
	for i := range s.keyed {
		c, l := &cols[m.column(i)], &s.cols[i]
		l.Nullable = l.Nullable || c.Nullable
		if _, raw := m.src.Raw(m.column(i)); !raw && m.src.Rows() > 0 {
			s.stored[i] = false
		}
		if !slices.Equal(c.Dims, l.Dims) {
			return differs(m, c, fmt.Sprintf("a row of it has the shape %v, and %v in %s", c.Dims, l.Dims, model.Path()), "write it with rows of one shape in all files")
		}
		if Untyped(m.src) || Untyped(model) {
			continue
		}
		if s.learns(i, m); c.Unknown {
			continue
		}
		if c.Means.Sort == meaning.Decimal && l.Means.Sort == meaning.Decimal && c.Means.Places == l.Means.Places {
			l.Means.Digits = max(l.Means.Digits, c.Means.Digits) // as many as the largest value has: files of one table differ
		} else if c.Means != l.Means || c.Kind != l.Kind {
			return differs(m, c, fmt.Sprintf("it is %s here, and %s in %s", typeName(c), typeName(l), s.like[i]), "write it with one type in all files")
		}
	}
	return nil
}

// typeName is what a column holds, without whether it may be null.
func typeName(c *Column) string {
	plain := *c
	plain.Nullable = false
	return plain.Type()
}

// byName matches columns in another order, and finds those that others do not have.
func (s *list) byName(m *member, cols []Column, model Source) error {
	at := make(map[string]int, len(cols))
	for i := range cols {
		at[cols[i].Name] = i
	}
	m.cols = make([]int, s.keyed)
	for i := range s.keyed {
		j, ok := at[s.cols[i].Name]
		if !ok {
			e := differs(m, &s.cols[i], fmt.Sprintf("the file has no such column, and %s has", model.Path()), "")
			e.Help = "its columns are " + columnNames(cols) + "; files of one list have the same ones"
			return e
		}
		delete(at, s.cols[i].Name)
		m.cols[i] = j
	}
	for i := range cols {
		if _, more := at[cols[i].Name]; more {
			return differs(m, &cols[i], fmt.Sprintf("the file has this column, and %s has none of this name", model.Path()), "files of one list have the same columns; leave the file out, or the column")
		}
	}
	if len(cols) != s.keyed {
		return differs(m, &cols[0], fmt.Sprintf("the file has %d columns, and %s has %d", len(cols), model.Path(), s.keyed), "files of one list have the same columns")
	}
	return nil
}

// differs is an error about a column of one file.
func differs(m *member, c *Column, msg, help string) *Error {
	e := columnError(m.src.Path(), c, msg)
	e.Help = help
	return e
}

func columnNames(cols []Column) string {
	var names []string
	for i := range cols {
		names = append(names, cols[i].Name)
	}
	return listed(names)
}

// Files are the paths of all files that a source reads.
func Files(src Source) []string {
	switch s := src.(type) {
	case *typedList:
		return Files(s.files)
	case *list:
		var paths []string
		for _, m := range s.members {
			paths = append(paths, m.src.Path())
		}
		return paths
	}
	return []string{src.Path()}
}

// ReadsFiles reports that a source of this package reads files, which may change.
func ReadsFiles(src Source) bool {
	switch src.(type) {
	case *list, *typedList, resting:
		return true
	}
	return false
}

// Plainly reports that a column lies in files as it is computed with, of which there may be several.
func Plainly(src Source, column int) bool {
	if s, ok := src.(*list); ok {
		return column >= 0 && (column >= s.keyed || s.stored[column])
	}
	_, ok := src.Raw(column)
	return ok
}
