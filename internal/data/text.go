package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: columns of text. Out: each as its different texts, in the order of their bytes, and for each
// row the number of its text. The dictionary follows from the rows alone: entries that a file has
// and no row uses are left out, so that it does not depend on the format or on chunks.

// Coded is a column of text.
type Coded struct {
	Texts []string
	Kind  num.Kind // of the codes: the narrowest that holds them
	codes []byte   // of all rows; 0 where there is no value; nil if they are aside
	valid []byte   // a byte for each row; nil if all have values, or they are aside
	aside *asideColumn
	rows  int64
	none  bool // no row has a value
	// Null is a row before which those without a value are fields that CSV leaves empty, if Valid is set and Blank is not.
	Null  int64
	Blank bool // some rows have no value, and all of these are fields that CSV leaves empty: as Str, without Option, they are the empty text
}

// Valueless is a column of which no row has a value.
func Valueless(rows int64) *Coded {
	return &Coded{Texts: []string{""}, Kind: num.U8, codes: make([]byte, rows), valid: make([]byte, rows), rows: rows, none: true}
}

// Valueless reports that there are rows, and none has a value.
func (t *Coded) Valueless() bool { return t.none }

// Missing is the first row without a value that is no field that CSV leaves empty, or the first one if all are such fields; -1 if all rows have values.
func (t *Coded) Missing() (int64, error) {
	lo := t.Null
	if t.Blank {
		lo = 0
	}
	for ; t.nullable() && lo < t.rows; lo += codeRange {
		_, valid, err := t.Rows(lo, min(lo+codeRange, t.rows))
		if err != nil {
			return -1, err
		}
		if i := bytes.IndexByte(valid, 0); i >= 0 {
			return lo + int64(i), nil
		}
	}
	return -1, nil
}

// Close lets go of a file that codes lie in, of all columns that were encoded together.
func (t *Coded) Close() {
	if t.aside != nil {
		t.aside.file.Close()
	}
}

// nullable reports that some rows have no value.
func (t *Coded) nullable() bool { return t.valid != nil || t.aside != nil && t.aside.valid >= 0 }

// Rows are the codes of rows lo..hi, and for each whether it has a value; nil if all have.
func (t *Coded) Rows(lo, hi int64) (codes, valid []byte, err error) {
	if t.aside != nil {
		return t.aside.read(lo, hi)
	}
	size := int64(t.Kind.Size())
	if t.valid != nil {
		valid = t.valid[lo:hi]
	}
	return t.codes[lo*size : hi*size], valid, nil
}

// maxText is how many bytes the different texts of a column may have together; tests lower it.
var maxText = int64(1) << 30

// ErrManyTexts is the cause of errors about columns with more text than a dictionary is for.
var ErrManyTexts = errors.New("its different texts are too many")

// noCode stands for a null.
const noCode = -1

// partText is a column in one chunk: codes are those of texts, of which two may be the same and some may have no row.
type partText struct {
	texts  []string
	codes  []int32
	aside  *asideCodes // where codes are, once they are put aside
	codeOf *textTable  // nil until a text is looked for
	bytes  int64
	full   bool  // no row is a null, as is known before its codes are
	blanks bool  // some rows are fields that are empty
	nulls  bool  // some rows are nulls and no fields that are empty
	first  int   // of these rows
	looked int32 // keeps what look reads from being left out
}

// add appends a row, of which the text may be overwritten later.
func (p *partText) add(b []byte) { p.codes = append(p.codes, p.code(b)) }

// code is the number of a text, which may be overwritten later.
func (p *partText) code(b []byte) int32 {
	key := textPlaceOf(b)
	return p.codeBy(b, &key, key.hash())
}

// codes are the numbers of at most textsAtOnce texts.
func (p *partText) codesOf(texts [][]byte, out []uint32) {
	var keys [textsAtOnce]textPlace
	var hashes [textsAtOnce]uint64
	for i, b := range texts {
		keys[i] = textPlaceOf(b)
		hashes[i] = keys[i].hash()
	}
	if p.codeOf != nil {
		p.looked |= p.codeOf.look(hashes[:len(texts)])
	}
	for i, b := range texts {
		out[i] = uint32(p.codeBy(b, &keys[i], hashes[i]))
	}
}

func (p *partText) codeBy(b []byte, key *textPlace, hash uint64) int32 {
	if p.codeOf == nil {
		p.number()
	}
	code, ok := p.codeOf.code(b, key, hash, p.texts)
	if !ok {
		text := string(b)
		code = int32(len(p.texts))
		p.codeOf.put(*key, code)
		p.texts = append(p.texts, text)
		p.bytes += int64(len(text))
	}
	return code
}

// number makes the table of the texts that are there.
func (p *partText) number() {
	p.codeOf = &textTable{}
	for i, text := range p.texts {
		key := textPlaceOf([]byte(text))
		if _, ok := p.codeOf.code([]byte(text), &key, key.hash(), p.texts); !ok {
			p.codeOf.put(key, int32(i))
		}
	}
}

func (p *partText) null() {
	if !p.nulls {
		p.first = len(p.codes)
	}
	p.codes, p.nulls = append(p.codes, noCode), true
}

// blank is null for a field that is empty.
func (p *partText) blank() { p.codes, p.blanks = append(p.codes, noCode), true }

// texter is a source that may have columns of text.
type texter interface {
	// spells reports whether a column can be read as text.
	spells(column int) bool
	// readText fills parts with the rows of a chunk, one for each of the columns. empty says for
	// which of them a missing field of text is the empty text.
	readText(ctx context.Context, chunk int, columns []int, empty []bool, parts []partText) error
}

// IsText reports whether Encode can read a column.
func IsText(src Source, column int) bool {
	s, ok := src.(texter)
	return ok && s.spells(column)
}

// Encode reads columns of text whole. Where empty is set, a field that CSV leaves empty is the empty
// text, and otherwise it is a null. Errors are *Error.
func Encode(ctx context.Context, src Source, columns []int, empty []bool) ([]*Coded, error) {
	list, _, err := EncodeBeside(ctx, src, columns, empty, nil)
	return list, err
}

// EncodeBeside is Encode, which keeps the values of other columns, as wants ask for them, where they cost no walk of their own and memory has room;
// nothing otherwise.
func EncodeBeside(ctx context.Context, src Source, columns []int, empty []bool, wants []Want) ([]*Coded, Kept, error) {
	for _, c := range columns {
		if !IsText(src, c) {
			col := &src.Columns()[c]
			e := columnError(src.Path(), col, fmt.Sprintf("expected text (Str), found %s", found(col)))
			if col.Kind.Valid() || col.Means.Sort != meaning.None {
				e.Help = "declare it as " + strings.TrimSuffix(strings.TrimPrefix(col.Type(), "Option<"), ">")
			}
			return nil, nil, e
		}
	}
	if len(columns) == 0 {
		return nil, nil, ctx.Err()
	}
	chunks := src.Chunks()
	parts, ranks := make([][]partText, len(columns)), make([][]ranked, len(columns))
	budget := textBudget{left: make([]int64, len(columns))}
	for k := range columns {
		parts[k], ranks[k] = make([]partText, len(chunks)), make([]ranked, len(chunks))
		budget.left[k] = maxText
	}
	aside := codesAside(ctx, src.Rows(), len(columns))
	beside := newAlong(ctx, src, len(columns), wants)
	per := len(columns) // columns that are read at once
	if apart(src) {
		per = 1
	}
	groups := len(columns) / per
	err := Each(ctx, len(chunks)*groups, func(i int) error {
		chunk, first := i/groups, i%groups*per
		read := make([]partText, per)
		if err := beside.readText(ctx, src, chunk, columns[first:first+per], empty[first:first+per], read); err != nil {
			return err
		}
		for j := range read {
			k, p := first+j, &read[j]
			p.codeOf = nil
			if err := checkText(src, columns[k], chunk, p); err != nil {
				return err
			}
			if !budget.take(k, p.bytes) {
				return tooMuchText(src, columns[k])
			}
			ranks[k][chunk] = p.rank()
			aside.take(p)
			parts[k][chunk] = *p
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	out := make([]*Coded, len(columns))
	for k := range columns {
		if out[k], err = merged(ctx, chunks, parts[k], ranks[k], src.Rows(), aside); err != nil {
			if lost := (*fs.PathError)(nil); errors.As(err, &lost) {
				err = codesLost(src.Path(), &src.Columns()[columns[k]], err)
			}
			return nil, nil, err
		}
		for i := range parts[k] {
			if parts[k][i].aside == nil {
				codesPool.Put(&parts[k][i].codes)
			}
		}
	}
	return out, beside.all(), nil
}

// textBudget counts the texts of all chunks.
type textBudget struct {
	mu   sync.Mutex
	left []int64
}

func (b *textBudget) take(column int, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left[column] -= n
	return b.left[column] >= 0
}

func tooMuchText(src Source, column int) *Error {
	e := columnError(src.Path(), &src.Columns()[column], fmt.Sprintf("its different texts have more than %d bytes together", maxText))
	e.Err = ErrManyTexts
	e.Help = "text is kept as a dictionary, which is for columns whose values come again: leave the column out, or store a number for each text"
	if why := Unfit(src, column); why != nil && why.Line > 0 && why.Help != "" {
		e.Help = why.Error() + "; " + why.Help + "\nor: " + e.Help
	}
	return e
}

// checkText makes sure that texts are UTF-8.
func checkText(src Source, column, chunk int, p *partText) error {
	for code, text := range p.texts {
		if utf8.ValidString(text) {
			continue
		}
		row := slices.Index(p.codes, int32(code))
		if row < 0 { // an entry of the file's dictionary that no row uses
			continue
		}
		path, first := placeOf(src, chunk)
		e := columnError(path, &src.Columns()[column], fmt.Sprintf("expected text in UTF-8, found %q", shortened(text)))
		e.Row = first + int64(row)
		e.Help = "write the file in UTF-8: iconv -t UTF-8 -f ISO-8859-1, or whatever it is in"
		return e
	}
	return nil
}

// CodeKind is the narrowest kind that holds the codes of n texts.
func CodeKind(n int) num.Kind {
	switch {
	case n <= 1<<8:
		return num.U8
	case n <= 1<<16:
		return num.U16
	}
	return num.U32
}

// CodeKindOf is CodeKind with room for the empty text where missing values may be asked for as such.
func CodeKindOf(texts []string, blank bool) num.Kind {
	if blank {
		_, texts = Blanked(texts)
	}
	return CodeKind(len(texts))
}

// spells implements texter: every field is text before it is anything else, unless ?types= says what it is.
func (s *csvFile) spells(column int) bool { return s.typing(column) == nil }

// readText implements texter: an empty field is the empty text only where that is asked for.
func (s *csvFile) readText(ctx context.Context, chunk int, columns []int, empty []bool, parts []partText) error {
	_, err := s.readAlong(ctx, chunk, columns, empty, parts, nil, nil)
	return err
}

// readAlong implements alongside.
func (s *csvFile) readAlong(_ context.Context, chunk int, columns []int, empty []bool, parts []partText, wants []Want, dst []Dest) (filled bool, err error) {
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	b, err := s.text(s.blocks[chunk], &bufs.chunk)
	if err != nil {
		return false, err
	}
	p := newCSVParser(s, s.blocks[chunk], b, wants, dst)
	p.lenient = true
	var bad *Error
	for k, c := range columns {
		part, blank := &parts[k], !empty[k]
		part.codes = make([]int32, 0, s.chunks[chunk].Rows())
		p.columns[c].each = func(pos int, field, raw []byte) {
			switch {
			case field == nil: // words that stand for a null
				part.null()
				return
			case len(raw) == 0 && blank:
				part.blank()
				return
			}
			known := len(part.texts)
			part.add(raw) // as it is written: text that looks like a number in a dialect is none
			if bad == nil && len(part.texts) > known && !utf8.Valid(raw) {
				bad = p.fail(pos, int64(len(part.codes)-1), c, fmt.Sprintf("expected text in UTF-8, found %q", shortened(string(raw))))
				bad.Help = encodingHelp
			}
		}
	}
	if err := p.rows(s.chunks[chunk].Rows()); err != nil || bad == nil {
		return !p.refused, err
	}
	return false, bad
}

// encodingHelp is for text that is not in UTF-8.
const encodingHelp = "say what the file is in, behind its name: ?encoding=latin1, or windows-1252"
