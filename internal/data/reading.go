package data

import (
	"context"
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a source, and what a program declares some of its columns to stand for. Out: a source whose
// columns have the kinds of that: times in the declared unit, text as codes. Who reads it needs to
// know nothing of meanings. Columns are numbered as before.

// reading is the source of Reading.
type reading struct {
	Source
	cols  []Column
	means map[int]meaning.Meaning
	coded map[int]*Coded
	kept  Kept
}

// Reading gives src as a source in which columns stand for what means says, and columns of text
// are the codes of coded; what is kept is not read again. Columns that are so already stay as they are; src
// itself is given where all are. The result is closed with src.
func Reading(src Source, means map[int]meaning.Meaning, coded map[int]*Coded, kept Kept) Source {
	r := &reading{Source: src, cols: slices.Clone(src.Columns()), means: map[int]meaning.Meaning{}, coded: coded, kept: kept}
	for c, m := range means {
		col := &r.cols[c]
		if col.Means == m && col.Kind == kindOfMeaning(m) {
			continue
		}
		r.means[c] = m
		if _, ok := col.Means.To(m); ok || !col.Kind.Valid() || Check(src, []Want{{Column: c, Kind: kindOfMeaning(m), Option: true, Means: m}}) == nil {
			col.Kind, col.Means = kindOfMeaning(m), m
		}
	}
	for c, t := range coded {
		r.cols[c].Kind, r.cols[c].Nullable, r.cols[c].Blank = t.Kind, t.nullable(), t.Blank
	}
	if len(r.means)+len(coded)+len(kept) == 0 {
		return src
	}
	return r
}

// kindOfMeaning is the kind of the integers that stand for a meaning.
func kindOfMeaning(m meaning.Meaning) num.Kind {
	if m.Bits() == 32 {
		return num.I32
	}
	return num.I64
}

// Meant is Reading of all columns of a source of Typed as what they stand for, but for those of left: text whole, as codes.
func Meant(ctx context.Context, src Source, left map[int]bool) (Source, error) {
	coded := map[int]*Coded{}
	var columns []int
	for i, c := range src.Columns() {
		if !left[i] && c.Means.Sort == meaning.Text && IsText(src, i) {
			columns = append(columns, i)
		}
	}
	means := integral(src, left)
	for i, c := range src.Columns() {
		if m := declarable(c.Means); !left[i] && m.Sort == meaning.Time && c.Means.Unit != meaning.Nano {
			means[i] = m // what is written counts a time of day in 64 bits, which are for small units
		}
	}
	var wants []Want
	for i, c := range Reading(src, means, nil, nil).Columns() {
		if !left[i] && c.Kind.Valid() {
			wants = append(wants, Want{Column: i, Kind: c.Kind, Option: c.Nullable, Means: means[i]})
		}
	}
	list, kept, err := EncodeBeside(ctx, src, columns, make([]bool, len(columns)), wants)
	if err != nil {
		return nil, err
	}
	for k, c := range columns {
		coded[c] = list[k]
	}
	return Reading(src, means, coded, kept), nil
}

// integral are the meanings of columns of which values become integers only where they are asked for as such: dates
// and times in text, and decimals.
func integral(src Source, left map[int]bool) map[int]meaning.Meaning {
	means := map[int]meaning.Meaning{}
	for i, c := range src.Columns() {
		if !left[i] && !c.Kind.Valid() && c.Means.Sort != meaning.None && c.Means.Sort != meaning.Text {
			means[i] = c.Means
		}
	}
	return means
}

// Dictionary is a source whose columns of text are the numbers of entries, as those of a data set.
type Dictionary interface {
	// Texts are the entries for a column, sorted; nil if it is no text.
	Texts(ctx context.Context, column int) ([]string, error)
}

// Texts are the texts that a column's codes stand for; nil if it has none.
func Texts(ctx context.Context, src Source, column int) ([]string, error) {
	if d, ok := src.(Dictionary); ok {
		return d.Texts(ctx, column)
	}
	return nil, nil
}

func (r *reading) Texts(ctx context.Context, column int) ([]string, error) {
	if r.coded[column] != nil {
		return r.coded[column].Texts, nil
	}
	return Texts(ctx, r.Source, column)
}

// about implements statist for columns that are as they are stored.
func (r *reading) about(column int) (lo, hi uint64, nulls int64, ok bool) {
	s, knows := r.Source.(statist)
	if _, other := r.means[column]; other || !knows || r.coded[column] != nil {
		return 0, 0, 0, false
	}
	return s.about(column)
}

func (r *reading) unfit(column int) *Error { return Unfit(r.Source, column) }

func (r *reading) doubt(column int) *Error {
	if d, ok := r.Source.(doubter); ok {
		return d.doubt(column)
	}
	return nil
}

func (r *reading) own()              {}
func (r *reading) Columns() []Column { return r.cols }

// wants are those of the source behind; codes are not read from it.
func (r *reading) behind(w Want) Want {
	if m, ok := r.means[w.Column]; ok {
		w.Means = m
	}
	return w
}

func (r *reading) checkWant(w Want) error {
	if t := r.coded[w.Column]; t != nil {
		return checkKind(r.Path(), &r.cols[w.Column], w.Kind)
	}
	return Check(r.Source, []Want{r.behind(w)})
}

func (r *reading) Raw(column int) (Raw, bool) {
	if t := r.coded[column]; t != nil {
		return Raw{Length: int64(len(t.codes)), Bytes: t.codes}, t.aside == nil && t.valid == nil
	}
	if _, other := r.means[column]; other {
		return Raw{}, false
	}
	return r.Source.Raw(column)
}

// known are the predicates on columns that are as they are stored.
func (r *reading) known(preds []Pred) []Pred {
	return slices.DeleteFunc(slices.Clone(preds), func(p Pred) bool {
		_, other := r.means[p.Column]
		return other || r.coded[p.Column] != nil
	})
}

// Prune asks the source behind, and looks at codes where that can leave columns of a chunk unread.
func (r *reading) Prune(preds []Pred) (pruned []bool) {
	if known := r.known(preds); len(known) > 0 {
		pruned = r.Source.Prune(known)
	}
	if _, knows := r.Source.(accepter); !knows || !slices.ContainsFunc(preds, r.onCodes) {
		return pruned
	}
	all := make([]bool, len(r.Chunks()))
	copy(all, pruned)
	for i, c := range r.Chunks() {
		all[i] = all[i] || r.codesFail(c, preds)
	}
	return all
}

// onCodes reports a predicate on a column whose codes are in memory.
func (r *reading) onCodes(p Pred) bool {
	t := r.coded[p.Column]
	return t != nil && t.aside == nil && !p.IsFloat
}

// codesFail reports that a chunk has rows, and no code in it satisfies one of the predicates.
func (r *reading) codesFail(c Chunk, preds []Pred) bool {
	return c.Rows() > 0 && slices.ContainsFunc(preds, func(p Pred) bool {
		if !r.onCodes(p) {
			return false
		}
		t := r.coded[p.Column]
		codes, _, err := t.Rows(c.Lo, c.Hi)
		return err == nil && !satisfiable(codes, t.Kind, p)
	})
}

// Soon implements Ahead.
func (r *reading) Soon(ctx context.Context, chunk int, wants []Want) {
	s, ok := r.Source.(Ahead)
	if !ok {
		return
	}
	var behind []Want
	for _, w := range wants {
		if r.coded[w.Column] == nil {
			behind = append(behind, r.behind(w))
		}
	}
	if len(behind) > 0 {
		s.Soon(ctx, chunk, behind)
	}
}

func (r *reading) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (int64, error) {
	return r.fill(chunk, wants, dst, func(wants []Want, dst []Dest) (int64, error) { return r.Source.Fill(ctx, chunk, wants, dst) })
}

// FillPruned gives codes as they are, so that they fail what they failed.
func (r *reading) FillPruned(chunk int, preds []Pred, wants []Want, dst []Dest) error {
	_, err := r.fill(chunk, wants, dst, func(wants []Want, dst []Dest) (int64, error) {
		if a, knows := r.Source.(accepter); knows && r.codesFail(r.Chunks()[chunk], preds) {
			return 0, fillUnread(r.Source, a, chunk, wants, dst)
		}
		return 0, r.Source.FillPruned(chunk, r.known(preds), wants, dst)
	})
	return err
}

// codesLost says that codes could not be read again from where they were put.
func codesLost(path string, col *Column, err error) *Error {
	e := columnError(path, col, "expected to read the numbers of its texts again from the file where they were put aside: "+err.Error())
	e.Help = "look whether the disk of the cache folder, or that of TMPDIR, is sound"
	return e
}

// fill takes codes from where they are, and has get read the rest.
func (r *reading) fill(chunk int, wants []Want, dst []Dest, get func([]Want, []Dest) (int64, error)) (int64, error) {
	c, err := checkFill(r, chunk, wants, dst)
	if err != nil {
		return 0, err
	}
	var others []Want
	var to []Dest
	for i, w := range wants {
		t := r.coded[w.Column]
		if k := r.kept.of(r.behind(w)); k != nil {
			k.fill(c, w, dst[i])
			continue
		}
		if t == nil {
			others, to = append(others, r.behind(w)), append(to, dst[i])
			continue
		}
		run := columnRun{kind: t.Kind, rows: int(c.Rows()), width: 1}
		var valid []byte
		if run.values, valid, err = t.Rows(c.Lo, c.Hi); err != nil {
			return 0, codesLost(r.Path(), &r.cols[w.Column], err)
		}
		if valid != nil {
			run.nulls.bits = packBits(valid)
		}
		path, first := placeOf(r.Source, chunk)
		if err := run.fill(place{path: path, column: r.cols[w.Column].Name, row: first, want: w, dst: dst[i]}); err != nil {
			return 0, err
		}
	}
	if len(others) == 0 {
		return 0, nil
	}
	return get(others, to)
}
