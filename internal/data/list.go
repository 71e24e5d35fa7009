package data

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// In: files of the same columns, open or not. Out: one source with the rows of all, one file after the other. A file is opened when it
// is read and at most openFiles are at a time, so that as many files work as there are. Invariant: a file that was opened again is
// the one that was counted (see input.wake), so that nobody gets bytes of two versions of it.

// openFiles is how many files of a list are open, besides those that are being read.
const openFiles = 64

// list is the rows of members, one after the other.
type list struct {
	table
	spec    *Spec // what was named; nil for open tables
	members []*member
	of      []int32    // member of a chunk
	found   []csvFound // of all members that are text; nil if none is
	keyed   int        // columns from here on are those of folders
	padded  []bool     // of these: text that are all integers, some of which begin with zeros
	number  []bool     // of these: numbers, as somebody said
	single  *member    // the only one with rows
	stored  []bool     // by column: the values lie in the files as they are computed with
	like    []string   // by column: the file that its type is from

	mu    sync.Mutex
	order []*member // those that are open, the one that was used first at the beginning
	bad   error     // the first change that was seen when a file was put to rest
}

// member is a file of a list.
type member struct {
	src   Source    // a resting one, or one without a file
	first int       // its first chunk in the list
	lo    int64     // its first row
	cols  []int     // its column for one of the list; nil if they are the same
	keys  []keyWord // of its folders
	users int
	mu    sync.Mutex // of who opens it
	awake bool
}

func (m *member) column(i int) int {
	if m.cols == nil {
		return i
	}
	return m.cols[i]
}

// use opens a member until done.
func (s *list) use(m *member) error {
	s.mu.Lock()
	err := s.bad
	m.users++
	s.mu.Unlock()
	if err == nil {
		err = m.open()
	}
	if err != nil {
		s.done(m)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touch(m)
	return nil
}

// hold keeps a member open until done, if it is.
func (s *list) hold(m *member) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := slices.Contains(s.order, m)
	if is {
		m.users++
	}
	return is
}

func (m *member) open() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.awake {
		return nil
	}
	if r, ok := m.src.(resting); ok {
		if err := r.wake(); err != nil {
			return err
		}
	}
	m.awake = true
	return nil
}

func (s *list) done(m *member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.users--
}

// touch puts a member at the end of the order, and others to rest if there are too many. Members without users are nobody else's.
func (s *list) touch(m *member) {
	if n := len(s.order); n > 0 && s.order[n-1] == m {
		return
	}
	if i := slices.Index(s.order, m); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
	s.order = append(s.order, m)
	for i := 0; len(s.order) > openFiles && i < len(s.order); {
		old := s.order[i]
		r, ok := old.src.(resting)
		if old.users > 0 || !ok {
			i++
			continue
		}
		s.order = slices.Delete(s.order, i, i+1)
		old.awake = false
		if err := r.rest(); err != nil && s.bad == nil {
			s.bad = err
		}
	}
}

// Unchanged looks at the files that are open; those at rest were looked at when they were closed, and are when they are opened.
func (s *list) Unchanged() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bad != nil {
		return s.bad
	}
	for _, m := range s.order {
		if err := m.src.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

func (s *list) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, m := range s.order {
		errs = append(errs, m.src.Close())
	}
	s.order = nil
	return errors.Join(errs...)
}

// Raw is where the only file with rows has the column, which then stays open.
func (s *list) Raw(column int) (Raw, bool) {
	if s.single == nil || column < 0 || column >= s.keyed {
		return Raw{}, false
	}
	return s.single.src.Raw(s.single.column(column))
}

// asked is what a chunk's member is asked for, without the columns of folders.
func (s *list) asked(m *member, wants []Want, dst []Dest) ([]Want, []Dest) {
	if m.cols == nil && s.keyed == len(s.cols) {
		return wants, dst
	}
	var w []Want
	var d []Dest
	for i := range wants {
		if wants[i].Column < s.keyed {
			ask := wants[i]
			ask.Column = m.column(ask.Column)
			w, d = append(w, ask), append(d, dst[i])
		}
	}
	return w, d
}

func (s *list) checkChunk(chunk int, wants []Want, dst []Dest) error {
	if chunk < 0 || chunk >= len(s.chunks) {
		return fail(s.name, "chunk number %d was asked for, the files have %d", chunk, len(s.chunks))
	}
	if len(wants) != len(dst) {
		return fail(s.name, "%d columns are wanted in %d destinations", len(wants), len(dst))
	}
	for _, w := range wants {
		if w.Column < 0 || w.Column >= len(s.cols) {
			return fail(s.name, "column number %d was asked for, the files have %d", w.Column, len(s.cols))
		}
	}
	return nil
}

func (s *list) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (int64, error) {
	if err := s.checkChunk(chunk, wants, dst); err != nil {
		return 0, err
	}
	m := s.members[s.of[chunk]]
	if err := s.fillKeys(m, s.chunks[chunk], wants, dst); err != nil {
		return 0, err
	}
	w, d := s.asked(m, wants, dst)
	if len(w) == 0 {
		return 0, ctx.Err()
	}
	if err := s.use(m); err != nil {
		return 0, err
	}
	defer s.done(m)
	return m.src.Fill(ctx, chunk-m.first, w, d)
}

// checkWant implements wantChecker. Columns of formats with types have one in all files; text may be refused in any.
func (s *list) checkWant(w Want) error {
	if w.Column >= s.keyed {
		return s.checkKey(w)
	}
	typed := false
	for _, m := range s.members {
		if text := Untyped(m.src); !text && typed || len(m.src.Columns()) == 0 {
			continue
		} else if !text {
			typed = !m.src.Columns()[m.column(w.Column)].Unknown
		}
		ask := w
		ask.Column = m.column(w.Column)
		if err := Check(m.src, []Want{ask}); err != nil {
			return err
		}
	}
	return nil
}

// unfit implements unfitter.
func (s *list) unfit(column int) *Error {
	if s.found != nil && column < s.keyed {
		return s.found[column].conflict(s.name, Called(s, column))
	}
	return unreadable(s.name, &s.cols[column])
}

// doubt implements doubter.
func (s *list) doubt(column int) *Error {
	if column >= s.keyed {
		return s.doubtKey(column)
	}
	if s.found == nil {
		return nil
	}
	return s.found[column].doubt(Called(s, column))
}

// typed is the list with the types of all values, where that has to be found by reading.
func (s *list) typed(ctx context.Context, looked func(rows int64)) (Source, error) {
	t := &list{table: s.table, of: s.of, keyed: s.keyed, padded: s.padded, number: s.number, found: make([]csvFound, s.keyed)}
	for i, m := range s.members {
		n := &member{src: m.src, first: m.first, lo: m.lo, cols: m.cols, keys: m.keys}
		if text, ok := m.src.(untyped); ok {
			if err := s.use(m); err != nil {
				return nil, err
			}
			src, err := text.typed(ctx, looked)
			s.done(m)
			if err != nil {
				return nil, err
			}
			n.src = src
			t.join(n, i)
		}
		t.members = append(t.members, n)
	}
	t.cols = append(typedColumns(s.cols[:s.keyed], t.found), s.cols[s.keyed:]...)
	// The files are those of s, which counts them.
	return &typedList{t, s}, nil
}

// typedList reads the files of a list under other types.
type typedList struct {
	*list
	files *list
}

func (s *typedList) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (int64, error) {
	return s.files.Fill(ctx, chunk, wants, dst)
}
func (s *typedList) Raw(int) (Raw, bool)    { return Raw{}, false }
func (s *typedList) Unchanged() error       { return s.files.Unchanged() }
func (s *typedList) Close() error           { return s.files.Close() }
func (s *typedList) Prune([]Pred) []bool    { return nil }
func (s *typedList) accepts(int, Want) bool { return false }

// join takes in what a member's fields are.
func (s *list) join(m *member, file int) {
	f, ok := m.src.(untyped)
	if !ok {
		return
	}
	found := f.looks()
	for i := range s.keyed {
		s.found[i].join(&found[m.column(i)], file)
	}
}
