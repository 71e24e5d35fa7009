package data

import (
	"context"
	"slices"
	"sync/atomic"
)

// In: columns that are no text, of a file in which a field is found only by walking over those before it. Out: their values, kept from the walk that
// reads the texts, so that nobody walks again for them. Invariant: what was not kept, because a field is refused or memory should not hold it, is read
// later as if nothing had been tried: errors, and which of several comes first, do not depend on it.

// alongside is a texter that can read other columns in the same walk.
type alongside interface {
	texter
	// readAlong is readText, and Fill for wants; filled is false if Fill would have refused something, or cannot be done so.
	readAlong(ctx context.Context, chunk int, columns []int, empty []bool, parts []partText, wants []Want, dst []Dest) (filled bool, err error)
}

// Kept are columns of a source, of all rows.
type Kept []keptColumn

type keptColumn struct {
	want Want
	Dest
}

// along is what is to be kept, while texts are read.
type along struct {
	src    alongside
	wants  []Want
	kept   Kept
	missed atomic.Bool
}

// newAlong makes room for the wants, if a walk can read them and memory may hold them beside so many columns of codes; nil if not.
func newAlong(ctx context.Context, src Source, codes int, wants []Want) *along {
	s, ok := src.(alongside)
	if !ok || apart(src) {
		return nil
	}
	a := &along{src: s}
	bytes := int64(codes) * codeBytes
	for _, w := range wants {
		twice := slices.ContainsFunc(a.wants, func(v Want) bool { return v.Column == w.Column })
		if twice || Check(src, []Want{w}) != nil {
			continue
		}
		a.wants = append(a.wants, w)
		bytes += int64(w.Kind.Size()) + 1
	}
	rows := src.Rows()
	if len(a.wants) == 0 || rows >= mostCodesOf(ctx)/bytes {
		return nil
	}
	for _, w := range a.wants {
		k := keptColumn{want: w}
		k.Values = make([]byte, rows*int64(w.Kind.Size()))
		if w.Option {
			k.Valid = make([]byte, rows)
		}
		a.kept = append(a.kept, k)
	}
	return a
}

// readText reads a chunk's texts, and what is to be kept of it.
func (a *along) readText(ctx context.Context, src Source, chunk int, columns []int, empty []bool, parts []partText) error {
	if a == nil || a.missed.Load() {
		return src.(texter).readText(ctx, chunk, columns, empty, parts)
	}
	c := src.Chunks()[chunk]
	dst := make([]Dest, len(a.kept))
	for i := range a.kept {
		dst[i] = a.kept[i].rows(c)
	}
	filled, err := a.src.readAlong(ctx, chunk, columns, empty, parts, a.wants, dst)
	if !filled {
		a.missed.Store(true)
	}
	return err
}

// all is what was kept, if that is all that was to be.
func (a *along) all() Kept {
	if a == nil || a.missed.Load() {
		return nil
	}
	return a.kept
}

// rows are the values of some rows.
func (k *keptColumn) rows(c Chunk) Dest {
	size := int64(k.want.Kind.Size())
	d := Dest{Values: k.Values[c.Lo*size : c.Hi*size]}
	if k.Valid != nil {
		d.Valid = k.Valid[c.Lo:c.Hi]
	}
	return d
}

// column is a column that is kept; nil if it is not.
func (list Kept) column(i int) *keptColumn {
	if at := slices.IndexFunc(list, func(k keptColumn) bool { return k.want.Column == i }); at >= 0 {
		return &list[at]
	}
	return nil
}

// of is the column that answers a want as the source would; nil if none does.
func (list Kept) of(w Want) *keptColumn {
	k := list.column(w.Column)
	if k == nil || !w.Presence && (k.want.Kind != w.Kind || k.want.Means != w.Means || w.Bound != 0 || k.want.Option && !w.Option) {
		return nil
	}
	return k
}

// fill copies rows for a want that the column answers.
func (k *keptColumn) fill(c Chunk, w Want, dst Dest) {
	from := k.rows(c)
	if !w.Presence {
		copy(dst.Values, from.Values)
	}
	switch {
	case !w.Option:
	case from.Valid == nil:
		fillOnes(dst.Valid)
	default:
		copy(dst.Valid, from.Valid)
	}
}
