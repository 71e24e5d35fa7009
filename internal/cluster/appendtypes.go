package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: the columns of a data set, and those of a table with more rows. Out: which of them belong together, and the types of all rows: those of
// the set, but for columns of which it knows nothing yet, which are what the new rows say, and with Widen types that hold both where those of the
// set do not hold the new rows, and columns that only one of them has. Invariant:
// a column that is Str to programs stays so unless a real null comes: a field that CSV leaves empty is none.

// match finds the columns of the set in the new table.
func (a *appended) match(ctx context.Context, skip []string) error {
	unknown := slices.ContainsFunc(a.old.cols, func(c data.Column) bool { return c.Unknown })
	if unknown || a.widen { // types of text are those of all rows
		read := a.new
		typed, err := data.Typed(ctx, read, nil)
		if err != nil {
			return err
		}
		a.new = typed
		if a.widen {
			err = a.findFits(ctx, read)
		}
		if err != nil {
			return err
		}
	}
	used := map[int]bool{}
	for _, name := range skip {
		i, err := data.Lookup(a.new, name)
		if err != nil {
			return err
		}
		used[i] = true
	}
	if !a.widen {
		if err := a.unlike(ctx, used); err != nil {
			return err
		}
	}
	for i := range a.old.cols {
		if err := a.find(ctx, i, used); err != nil {
			return err
		}
	}
	for i := range a.new.Columns() {
		if !used[i] {
			if err := a.add(ctx, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// add makes column i of the new table one of the set, in which the rows that are there have no value.
func (a *appended) add(ctx context.Context, i int) error {
	is := &a.new.Columns()[i]
	if is.Name == "" {
		return &data.Error{Path: a.new.Path(), Row: -1, Column: data.Called(a.new, i), Msg: "a column without a name is none of @" + a.old.set.Name, Help: "leave it out: --skip " + word(data.Called(a.new, i))}
	}
	c, err := a.said(ctx, &data.Column{Name: is.Name}, i)
	if err != nil {
		return err
	}
	a.from, a.columns, a.first = append(a.from, i), append(a.columns, c), append(a.first, true)
	if a.old.set.Rows > 0 {
		a.notes = append(a.notes, fmt.Sprintf("@%s had no column `%s`: the rows that were there have no value in it", a.old.set.Name, is.Name))
	}
	if c.Means.Sort == meaning.Text {
		return nil
	}
	return data.Check(a.new, []data.Want{{Column: i, Kind: c.Kind, Option: c.Nullable, Means: c.Means}})
}

// called finds the column of a set in the new rows. A name that is only like it is another column, unless somebody says that it is not.
func called(src data.Source, name string) (int, error) {
	i, err := data.Lookup(src, name)
	if err != nil {
		return i, err
	}
	if is := src.Columns()[i].Name; is != name && is != "" && !strings.HasPrefix(name, "#") {
		return -1, &data.Error{Path: src.Path(), Row: -1, Msg: fmt.Sprintf("there is no column `%s`, but `%s`", name, is)}
	}
	return i, nil
}

// was is a column of the set as it is; one that is new to it has no value in any row.
func (a *appended) was(i int) data.Column {
	if i < len(a.old.cols) {
		return a.old.cols[i]
	}
	return data.Column{Nullable: true}
}

// find finds column i of the set, and its type from now on.
func (a *appended) find(ctx context.Context, i int, used map[int]bool) error {
	c := a.old.cols[i]
	from, err := called(a.new, c.Name)
	if err != nil && a.widen {
		c.Nullable, c.Blank = true, false
		a.from, a.columns, a.first = append(a.from, -1), append(a.columns, c), append(a.first, false)
		return nil
	}
	if err != nil {
		return a.lacks(c.Name, err)
	}
	if used[from] { // by --skip
		return &data.Error{Path: a.new.Path(), Row: -1, Column: c.Name, Msg: "@" + a.old.set.Name + " has this column, so it cannot be left out", Help: "leave --skip out"}
	}
	used[from] = true
	first := c.Unknown && !a.new.Columns()[from].Unknown
	switch {
	case first:
		row, failed := a.old.firstValue(ctx, i)
		if failed != nil || row >= 0 {
			return cmp.Or(failed, fmt.Errorf("@%s is said to have no value in its column `%s`, and has one in row %d: it is damaged; load it again", a.old.set.Name, c.Name, row))
		}
		c, err = a.said(ctx, &c, from)
	case a.widen && a.fits[i]:
		c.Nullable = c.Nullable || a.new.Columns()[from].Nullable
	case a.widen:
		c, _ = widened(&c, a.new, from) // else reading says where they differ
	}
	if err != nil {
		return err
	}
	if c.Unknown {
		c.Blank = c.Blank && a.new.Columns()[from].Blank
	}
	if c.Unknown || a.old.set.Rows == 0 {
		c.Nullable = true // where nulls are is seen when all is stored
	}
	a.from, a.columns, a.first = append(a.from, from), append(a.columns, c), append(a.first, first)
	switch is := &a.new.Columns()[from]; {
	case !slices.Equal(is.Dims, c.Dims), c.Means.Sort == meaning.Text && !data.IsText(a.new, from):
		return a.refused(ctx, a.differs(i))
	case c.Means.Sort == meaning.Text:
		return nil
	}
	return a.refused(ctx, data.Check(a.new, []data.Want{{Column: from, Kind: c.Kind, Option: c.Nullable, Means: c.Means}}))
}

// said is a column of which the set knows nothing, as a load of the new table alone would have it.
func (a *appended) said(ctx context.Context, c *data.Column, from int) (data.Column, error) {
	if why := data.Unfit(a.new, from); why != nil && !data.IsText(a.new, from) {
		return *c, why
	}
	is := a.new.Columns()[from]
	if is.Means.Sort != meaning.Text {
		left := map[int]bool{}
		for j := range a.new.Columns() {
			left[j] = j != from
		}
		src, err := data.Meant(ctx, a.new, left)
		if err != nil {
			return *c, err
		}
		is = src.Columns()[from]
	}
	is.Name, is.Blank = c.Name, false // of text what is blank is seen with it
	is.Nullable = is.Nullable || a.old.set.Rows > 0
	return is, nil
}

// mergeTexts reads the texts of the new rows and puts them among those of the set.
func (a *appended) mergeTexts(ctx context.Context) error {
	n := len(a.columns)
	a.coded, a.texts, a.oldCode, a.newCode = make([]*data.Coded, n), make([][]string, n), make([][]uint32, n), make([][]uint32, n)
	for i := range a.columns {
		if a.columns[i].Means.Sort != meaning.Text {
			continue
		}
		if err := a.mergeText(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// mergeText does so for one column. Its dictionary has what rows have: where none has a value, not even the empty text.
func (a *appended) mergeText(ctx context.Context, i int) error {
	c, rows := &a.columns[i], a.old.set.Rows
	t, err := a.newTexts(ctx, i)
	if err != nil {
		return err
	}
	was := a.was(i)
	nulls := was.Nullable && rows > 0
	at, err := t.Missing()
	if err != nil {
		return err
	}
	if at >= 0 && !t.Blank && !nulls && rows > 0 && !a.widen {
		e := &data.Error{Path: a.new.Path(), Row: at, Column: c.Name, Msg: fmt.Sprintf("expected text, found a null: @%s has none in this column", a.old.set.Name)}
		return e
	}
	c.Blank = (nulls || at >= 0) && (!nulls || was.Blank) && (at < 0 || t.Blank)
	c.Nullable = nulls || at >= 0
	if was.Blank && !c.Blank {
		why := fmt.Sprintf("%s: column `%s` has a missing value in row %d that is no empty field, as all were in @%s", a.new.Path(), c.Name, at, a.old.set.Name)
		if a.from[i] < 0 {
			why = fmt.Sprintf("%s has no column `%s`, so its rows have no value there", a.new.Path(), c.Name)
		}
		a.notes = append(a.notes, why+": programs declare the column as Option<Str> from now on, and no more as Str")
	}
	var before, more []string
	if !a.first[i] {
		if before, err = a.oldTexts(ctx, i); err != nil {
			return err
		}
	}
	if more = t.Texts; t.Valueless() {
		more = nil
	}
	all := slices.Concat(before, more)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		all = []string{""} // so that the code of a null is one of the dictionary
	}
	a.coded[i], a.texts[i] = t, all
	a.oldCode[i], a.newCode[i] = codesIn(all, before), codesIn(all, more)
	c.Kind = data.CodeKindOf(all, c.Blank)
	return nil
}

// newTexts are the texts of the new rows.
func (a *appended) newTexts(ctx context.Context, i int) (*data.Coded, error) {
	if a.from[i] < 0 {
		return data.Valueless(a.new.Rows()), nil
	}
	list, err := data.Encode(ctx, a.new, []int{a.from[i]}, []bool{false})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// oldTexts are the texts that rows of the set have.
func (a *appended) oldTexts(ctx context.Context, i int) ([]string, error) {
	texts, err := a.old.Texts(ctx, i)
	if err != nil || !a.old.cols[i].Nullable || len(texts) != 1 || texts[0] != "" {
		return texts, err
	}
	row, err := a.old.firstValue(ctx, i)
	if row < 0 {
		texts = nil
	}
	return texts, err
}

// firstValue is the first row that has a value in a column, -1 if none has.
func (s *source) firstValue(ctx context.Context, column int) (int64, error) {
	want := data.Want{Column: column, Kind: s.cols[column].Kind, Option: true, Presence: true}
	for i, c := range s.chunks {
		d := data.Dest{Values: make([]byte, c.Rows()*s.cols[column].Width()*int64(want.Kind.Size())), Valid: make([]byte, c.Rows())}
		if _, err := s.Fill(ctx, i, []data.Want{want}, []data.Dest{d}); err != nil {
			return -1, err
		}
		if at := slices.Index(d.Valid, 1); at >= 0 {
			return c.Lo + int64(at), nil
		}
	}
	return -1, nil
}
