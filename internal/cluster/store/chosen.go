package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
)

// In: the columns of a table, and which of them are to be left out. Out: those that are
// stored, and those that are not. What cannot be stored is left out only by name.

// Left is a column that was left out.
type Left struct {
	Name string `json:"name"`
	Type string `json:"type"`          // the file's own name of its type
	Why  string `json:"why,omitempty"` // nothing can be computed with it; "" if it was left out nevertheless
}

// UnfitError lists columns that cannot be stored, and that nobody left out.
type UnfitError struct {
	Path    string
	Names   []string
	Columns []*data.Error // why not, in the order of Names
}

// maxUnfit is how many columns an error has lines for.
const maxUnfit = 20

// Error has a line for each column.
func (e *UnfitError) Error() string {
	if len(e.Columns) == 1 {
		return e.Columns[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d columns of %s cannot be stored", len(e.Columns), e.Path)
	for i, c := range e.Columns {
		if i == maxUnfit {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Columns)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %v", c)
	}
	return b.String()
}

// Help says what can be done, each thing once.
func (e *UnfitError) Help() string {
	var list []string
	for _, c := range e.Columns {
		if c.Help != "" && !slices.Contains(list, c.Help) {
			list = append(list, c.Help)
		}
	}
	return strings.Join(list, "\n")
}

// choose sorts the columns of s.src.
func (s *Split) choose(skip []string) error {
	unfit := &UnfitError{Path: s.src.Path()}
	cols := s.src.Columns()
	skipped, err := skipped(s.src, skip)
	if err != nil {
		return err
	}
	named := map[string]int{}
	for i := range cols {
		c, name := &cols[i], stored(&cols[i])
		why := data.Unfit(s.src, i)
		if skipped[i] {
			left := Left{Name: name, Type: c.Stored}
			if why != nil {
				left.Why = why.Msg
			}
			s.Left = append(s.Left, left)
			continue
		}
		if j, twice := named[name]; twice {
			return fmt.Errorf("%s: columns %d and %d are both called `%s`: give each a name of its own, or leave one out by its number, as #%d", s.src.Path(), j+1, i+1, name, i+1)
		}
		named[name] = i
		if why != nil {
			unfit.Names, unfit.Columns = append(unfit.Names, name), append(unfit.Columns, why)
			continue
		}
		s.from = append(s.from, i)
		texts, err := data.Texts(context.Background(), s.src, i) // a local source has them at hand
		if err != nil {
			return err
		}
		s.Texts = append(s.Texts, texts)
		s.Columns = append(s.Columns, catalog.Column{Name: name, Kind: c.Kind, Stored: c.Stored, Dims: c.Dims, Nullable: c.Nullable, Means: c.Means, Unknown: c.Unknown, Blank: c.Blank})
	}
	if len(unfit.Columns) > 0 {
		return unfit
	}
	if len(s.Columns) == 0 {
		return fmt.Errorf("%s has no column that is stored: all are left out", s.src.Path())
	}
	return nil
}

// stored is what a column is called in a data set.
func stored(c *data.Column) string {
	if c.Name == "" {
		return data.Unnamed
	}
	return c.Name
}

// skipped tells which columns are to be left out: all of a name, or that of a number.
func skipped(src data.Source, skip []string) ([]bool, error) {
	cols := src.Columns()
	out := make([]bool, len(cols))
	for _, name := range skip {
		of := func(c data.Column) bool { return stored(&c) == name }
		if !slices.ContainsFunc(cols, of) {
			i, err := data.Lookup(src, name)
			if err != nil {
				return nil, err
			}
			out[i] = true
			continue
		}
		for i := range cols {
			out[i] = out[i] || of(cols[i])
		}
	}
	return out, nil
}
