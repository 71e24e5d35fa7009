package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: columns of a data set, and fields of text of which nobody has said what they are: a number in CSV is one of any kind. Out: which columns hold
// all of these fields as they are, and so need no wider type; and, when all is stored, the types that have changed. Invariant: a column keeps its
// type unless a value, or the type that a file or ?types= says, needs another one.

// findFits reads the columns that would get a wider type as what the set has.
func (a *appended) findFits(ctx context.Context, read data.Source) error {
	a.fits = make([]bool, len(a.old.cols))
	if !data.Untyped(read) {
		return nil
	}
	var try []int // columns of the set
	var wants []data.Want
	for i := range a.old.cols {
		c := &a.old.cols[i]
		from, err := called(a.new, c.Name)
		if err != nil || c.Unknown || c.Means.Sort == meaning.Text || data.Declared(read, from) {
			continue
		}
		w := data.Want{Column: from, Kind: c.Kind, Option: true, Means: c.Means}
		if to, ok := widened(c, a.new, from); ok && (to.Kind != c.Kind || to.Means != c.Means) && data.Check(a.new, []data.Want{w}) == nil {
			try, wants = append(try, i), append(wants, w)
		}
	}
	unfit, err := a.unfit(ctx, wants)
	for k, i := range try {
		a.fits[i] = !unfit[k]
	}
	return err
}

// unfit are the wants that some field is not.
func (a *appended) unfit(ctx context.Context, wants []data.Want) ([]bool, error) {
	unfit := make([]bool, len(wants))
	var mu sync.Mutex
	left := func(without string) (ask []data.Want) {
		mu.Lock()
		defer mu.Unlock()
		for k, w := range wants {
			unfit[k] = unfit[k] || a.new.Columns()[w.Column].Name == without
			if !unfit[k] {
				ask = append(ask, w)
			}
		}
		return ask
	}
	chunks := a.new.Chunks()
	return unfit, data.Each(ctx, len(chunks), func(n int) error {
		for ask := left(""); len(ask) > 0; {
			odd, err := a.oddOf(ctx, n, ask)
			if odd == "" || err != nil {
				return err
			}
			ask = left(odd)
		}
		return nil
	})
}

// oddOf reads a chunk and gives the name of a column that has a field which is not as it is asked for; "" if none has.
func (a *appended) oddOf(ctx context.Context, chunk int, ask []data.Want) (string, error) {
	rows, dst := a.new.Chunks()[chunk].Rows(), make([]data.Dest, len(ask))
	for k, w := range ask {
		dst[k] = data.Dest{Values: make([]byte, rows*int64(w.Kind.Size())), Valid: make([]byte, rows)}
	}
	_, err := a.new.Fill(ctx, chunk, ask, dst)
	e := (*data.Error)(nil)
	if errors.As(err, &e) && e.Err == nil && slices.ContainsFunc(ask, func(w data.Want) bool { return a.new.Columns()[w.Column].Name == e.Column }) {
		return e.Column, nil
	}
	return "", err
}

// retyped says which columns have other types than before. Text that may be declared as before has not, and neither has what had no value.
func retyped(was, now *catalog.Set) (notes []string) {
	for i := range was.Columns {
		c := &was.Columns[i]
		k := slices.IndexFunc(now.Columns, func(o catalog.Column) bool { return o.Name == c.Name })
		if k < 0 || c.Unknown {
			continue
		}
		if is := &now.Columns[k]; is.Type() != c.Type() && !is.Blank {
			notes = append(notes, fmt.Sprintf("column `%s` of @%s is %s now, before it was %s: programs declare the new type from now on", c.Name, now.Name, is.Type(), c.Type()))
		}
	}
	return notes
}
