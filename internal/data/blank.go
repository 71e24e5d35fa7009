package data

import (
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: stored numbers of texts, with nulls where CSV left a field empty. Out: numbers without nulls, in the dictionary that has the empty
// text, too, as who declares Str reads that CSV. Invariant: nothing of what lies under a null is looked at, and every number is
// held to the bound afterwards, so who asks a damaged file, or one that somebody else made, gets numbers below the bound or an error.

// Blanks says what missing values of a column of text are where no Option is asked for.
type Blanks uint8

// The ways to read them. The empty text comes before all others.
const (
	NotBlank    Blanks = iota // nulls, which are an error
	BlankAmong                // entry 0 of the stored dictionary, which has the empty text
	BlankBefore               // entry 0 of one with the empty text before all stored ones, whose numbers are one more
)

// Blanked is how a column is read in which missing values are the empty text, by its stored dictionary, and the dictionary that it then has.
func Blanked(texts []string) (Blanks, []string) {
	if len(texts) > 0 && texts[0] == "" {
		return BlankAmong, texts
	}
	return BlankBefore, slices.Concat([]string{""}, texts)
}

// blanksFit reports whether a source reads a column so: where texts have been numbers for long, one for each row.
func blanksFit(src Source, w *Want) bool {
	c := &src.Columns()[w.Column]
	if w.Blanks > BlankBefore || w.Option || w.Presence || !w.Kind.IsInt() || len(c.Dims) > 0 {
		return false
	}
	return c.Kind.IsInt() && (src.Format() == "arrow" || src.Format() == "memory" || src.Format() == "data set")
}

// fillBlanks is fill where missing values are entry 0.
func (r *columnRun) fillBlanks(p place) error {
	blanks, bound, valid := p.want.Blanks, p.want.Bound, make([]byte, r.rows)
	p.want.Blanks, p.want.Bound, p.want.Option, p.dst.Valid = NotBlank, 0, true, valid
	if err := r.fill(p); err != nil {
		return err
	}
	if blanks == BlankBefore {
		if i := oneMore(p.dst.Values, p.want.Kind, valid); i >= 0 {
			e := &Error{Path: p.path, Row: p.row + int64(i), Column: p.column, Help: "what is stored is damaged: load the data set again"}
			e.Msg = fmt.Sprintf("expected the number of a text, less than %d, found it", p.want.Kind.MaxInt())
			return e
		}
	}
	if bound > 0 {
		if i := outside(p.dst.Values, p.want.Kind, bound); i >= 0 {
			p.want.Bound = bound
			return misfit(p.path, p.row+int64(i), p.column, p.want, valueAt(p.dst.Values, p.want.Kind, i))
		}
	}
	return nil
}

// oneMore adds one to the codes of rows that have a value; those of others are 0. It gives the first that is the greatest of its kind, or -1.
func oneMore(codes []byte, k num.Kind, valid []byte) int {
	switch k {
	case num.U8:
		return increment(codes, valid)
	case num.U16:
		return increment(view[uint16](codes), valid)
	case num.U32:
		return increment(view[uint32](codes), valid)
	}
	for i, v := range valid {
		code := column.Get(k, codes, int64(i))
		if v != 0 && code == k.MaxInt() {
			return i
		}
		column.Put(k, codes, int64(i), code+uint64(v))
	}
	return -1
}

func increment[T uint8 | uint16 | uint32](codes []T, valid []byte) int {
	for i, v := range valid {
		if v != 0 && codes[i] == ^T(0) {
			return i
		}
		codes[i] += T(v)
	}
	return -1
}
