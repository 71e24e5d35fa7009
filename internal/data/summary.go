package data

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a source. Out: what each of its columns holds: how many nulls, the least and the greatest value, and how many different ones.
// Statistics of a file are taken where they say all of the first three; other columns are read, chunk by chunk.

// Summary is what a column holds. What was not found out is "" or -1.
type Summary struct {
	Column
	Nulls    int64
	Min, Max string
	Distinct int64
	More     bool // there are more different values than Distinct
	Read     bool // all values were looked at
}

// manyValues is up to how many different values are counted.
const manyValues = 1000

// statist is a source that may know a column without reading it.
type statist interface {
	about(column int) (lo, hi uint64, nulls int64, ok bool) // of kind Columns()[column].Kind
}

// Declared is the type that a program declares for a column: an Option where there are nulls, or may be.
func (s *Summary) Declared() string {
	c := s.Column
	if s.Nulls == 0 {
		c.Nullable = false
	}
	return c.Type()
}

// Summarize looks at all columns that can be computed with. all has those be read, too, of which statistics say enough; looked is told of
// rows as they are read.
func Summarize(ctx context.Context, src Source, all bool, looked func(rows int64)) ([]Summary, error) {
	list := make([]Summary, len(src.Columns()))
	var wants []Want
	for i, c := range src.Columns() {
		list[i] = Summary{Column: c, Nulls: -1, Distinct: -1}
		if !c.Kind.Valid() {
			continue
		}
		if s, ok := src.(statist); ok && !all {
			if lo, hi, nulls, known := s.about(i); known {
				list[i].Nulls, list[i].Min, list[i].Max = nulls, wordOf(&c, nil, lo), wordOf(&c, nil, hi)
				continue
			}
		}
		wants = append(wants, Want{Column: i, Kind: c.Kind, Option: true})
	}
	for len(wants) > 0 {
		n := len(wants)
		if src.Format() != "csv" && src.Format() != "jsonl" {
			n = 1 // one column after the other is read for no more
		}
		if err := readSummaries(ctx, src, list, wants[:n], looked); err != nil {
			return nil, err
		}
		wants = wants[n:]
	}
	return list, nil
}

// tally is what was seen of a column.
type tally struct {
	nulls    int64
	lo, hi   uint64
	any, nan bool
	distinct map[uint64]struct{}
	more     bool
}

func readSummaries(ctx context.Context, src Source, list []Summary, wants []Want, looked func(rows int64)) error {
	tallies := make([]tally, len(wants))
	var mu sync.Mutex
	err := Each(ctx, len(src.Chunks()), func(chunk int) error {
		c := src.Chunks()[chunk]
		dst := make([]Dest, len(wants))
		for i, w := range wants {
			dst[i] = Dest{make([]byte, c.Rows()*list[w.Column].Width()*int64(w.Kind.Size())), make([]byte, c.Rows())}
		}
		if _, err := src.Fill(ctx, chunk, wants, dst); err != nil {
			return err
		}
		for i, w := range wants {
			var t tally
			t.look(w.Kind, dst[i], list[w.Column].Width())
			mu.Lock()
			tallies[i].join(w.Kind, &t)
			mu.Unlock()
		}
		if looked != nil {
			looked(c.Rows())
		}
		return nil
	})
	for i, w := range wants {
		entries, failed := Texts(ctx, src, w.Column)
		if err == nil {
			err = failed
		}
		tallies[i].tell(&list[w.Column], entries)
	}
	return err
}

func (t *tally) look(k num.Kind, d Dest, width int64) {
	for row, valid := range d.Valid {
		if valid == 0 {
			t.nulls++
			continue
		}
		for i := int64(row) * width; i < int64(row+1)*width; i++ {
			t.value(k, column.Get(k, d.Values, i))
		}
	}
}

func (t *tally) value(k num.Kind, x uint64) {
	x = num.Canon(k, x)
	if !t.more {
		if t.distinct == nil {
			t.distinct = map[uint64]struct{}{}
		}
		if t.distinct[keyOf(k, x)] = struct{}{}; len(t.distinct) > manyValues {
			t.more, t.distinct = true, nil
		}
	}
	switch {
	case k.IsFloat() && math.IsNaN(num.ToFloat(k, x)):
		t.nan = true
		return
	case !t.any:
		t.lo, t.hi, t.any = x, x, true
		return
	}
	if below(k, x, t.lo) {
		t.lo = x
	}
	if below(k, t.hi, x) {
		t.hi = x
	}
}

// keyOf is a value as keys of groups count it: -0 and +0 are one.
func keyOf(k num.Kind, x uint64) uint64 {
	if k.IsFloat() && num.ToFloat(k, x) == 0 {
		return 0
	}
	return x
}

// below compares two values of a kind, neither of which is NaN.
func below(k num.Kind, a, b uint64) bool {
	switch {
	case k.IsFloat():
		return num.ToFloat(k, a) < num.ToFloat(k, b)
	case k.IsSigned():
		return int64(a) < int64(b)
	}
	return a < b
}

func (t *tally) join(k num.Kind, o *tally) {
	t.nulls += o.nulls
	t.nan = t.nan || o.nan
	if o.any {
		if !t.any || below(k, o.lo, t.lo) {
			t.lo = o.lo
		}
		if !t.any || below(k, t.hi, o.hi) {
			t.hi = o.hi
		}
		t.any = true
	}
	for x := range o.distinct {
		if t.distinct == nil {
			t.distinct = map[uint64]struct{}{}
		}
		t.distinct[x] = struct{}{}
	}
	if t.more = t.more || o.more || len(t.distinct) > manyValues; t.more {
		t.distinct = nil
	}
}

// wordOf is a value as the language writes it; a text without quotes.
func wordOf(c *Column, texts []string, bits uint64) string {
	switch {
	case c.Means.Sort == meaning.None:
		return column.Text(c.Kind, bits)
	case c.Means.Sort != meaning.Text:
		return string(c.Means.Append(nil, int64(bits)))
	case bits < uint64(len(texts)):
		return texts[bits]
	}
	return "…"
}

func (t *tally) tell(s *Summary, texts []string) {
	s.Read, s.Nulls, s.Distinct, s.More = true, t.nulls, int64(len(t.distinct)), t.more
	if t.more {
		s.Distinct = manyValues
	}
	if t.any {
		s.Min, s.Max = wordOf(&s.Column, texts, t.lo), wordOf(&s.Column, texts, t.hi)
	}
	if t.nan {
		s.Max = "NaN"
	}
}

// about implements statist. Statistics of floats leave NaN out, so that they do not say all.
func (s *parquetFile) about(column int) (lo, hi uint64, nulls int64, ok bool) {
	kind := s.cols[column].Kind
	if !kind.IsInt() || len(s.cols[column].Dims) > 0 {
		return 0, 0, 0, false
	}
	for i := range s.chunks {
		sp := s.span(i, column)
		if !sp.known || sp.nulls < 0 || kind == num.U64 {
			return 0, 0, 0, false
		}
		if nulls += sp.nulls; i == 0 || sp.lo < int64(lo) {
			lo = uint64(sp.lo)
		}
		if i == 0 || sp.hi > int64(hi) {
			hi = uint64(sp.hi)
		}
	}
	return lo, hi, nulls, len(s.chunks) > 0
}

// about implements statist, where all files are of such sources.
func (s *list) about(column int) (lo, hi uint64, nulls int64, ok bool) {
	kind := s.cols[column].Kind
	for _, m := range s.members {
		n := int64(0)
		switch at, knows := m.src.(statist); {
		case m.src.Rows() == 0:
			continue
		case column >= s.keyed:
			key := m.keys[column-s.keyed]
			if key.none {
				nulls += m.src.Rows()
				continue
			}
			lo1 := uint64(key.n)
			if !ok || below(kind, lo1, lo) {
				lo = lo1
			}
			if !ok || below(kind, hi, lo1) {
				hi = lo1
			}
		case !knows || s.use(m) != nil:
			return 0, 0, 0, false
		default:
			lo1, hi1, n1, known := at.about(m.column(column))
			s.done(m)
			if !known {
				return 0, 0, 0, false
			}
			n = n1
			if !ok || below(kind, lo1, lo) {
				lo = lo1
			}
			if !ok || below(kind, hi, hi1) {
				hi = hi1
			}
		}
		nulls, ok = nulls+n, true
	}
	return lo, hi, nulls, ok
}

// Head are the first rows of a source in words, at most n: texts of text files as they are, and … for what cannot be read.
func Head(ctx context.Context, src Source, n int64) ([][]string, error) {
	var rows [][]string
	untyped := Untyped(src)
	src = Reading(src, integral(src, nil), nil, nil)
	for chunk := 0; chunk < len(src.Chunks()) && int64(len(rows)) < n; chunk++ {
		most := min(n-int64(len(rows)), src.Chunks()[chunk].Rows())
		part, err := headOf(ctx, src, chunk, most, untyped)
		if err != nil {
			return nil, err
		}
		rows = append(rows, part...)
	}
	return rows, nil
}

// Null is how Head writes a missing value.
const Null = "null"

// headOf gives the rows of a chunk. Of text whose types nobody has found yet, a column that is not throughout what its first rows
// are is shown as it is written.
func headOf(ctx context.Context, src Source, chunk int, n int64, untyped bool) ([][]string, error) {
	cols, c := src.Columns(), src.Chunks()[chunk]
	rows := make([][]string, n)
	for i := range rows {
		rows[i] = make([]string, len(cols))
		for j := range cols {
			rows[i][j] = "…"
		}
	}
	for i := range cols {
		kind := cols[i].Kind
		if !kind.Valid() {
			continue
		}
		width := cols[i].Width()
		d := Dest{make([]byte, c.Rows()*width*int64(kind.Size())), make([]byte, c.Rows())}
		if _, err := src.Fill(ctx, chunk, []Want{{Column: i, Kind: kind, Option: true}}, []Dest{d}); err != nil {
			var other *Error
			if untyped && errors.As(err, &other) && !errors.Is(err, errStray) && other.Line > 0 && other.Column == cols[i].Name {
				continue
			}
			return nil, err
		}
		entries, err := Texts(ctx, src, i)
		if err != nil {
			return nil, err
		}
		for row := range rows {
			rows[row][i] = cell(&cols[i], entries, d, int64(row))
		}
	}
	return rows, texts(ctx, src, chunk, rows)
}

// cell is a value in words.
func cell(c *Column, words []string, d Dest, row int64) string {
	switch {
	case d.Valid[row] == 0:
		return Null
	case len(c.Dims) == 0:
		return wordOf(c, words, column.Get(c.Kind, d.Values, row))
	}
	text, most := "[", int64(8)
	for i := range min(c.Width(), most) {
		if i > 0 {
			text += ", "
		}
		text += wordOf(c, words, column.Get(c.Kind, d.Values, row*c.Width()+i))
	}
	if c.Width() > most {
		text += ", … " + strconv.FormatInt(c.Width()-most, 10) + " more"
	}
	return text + "]"
}

// texts puts what cannot be computed with into rows, as far as it is text that can be shown.
func texts(ctx context.Context, src Source, chunk int, rows [][]string) error {
	switch s := src.(type) {
	case *reading:
		return texts(ctx, s.Source, chunk, rows)
	case *typedList:
		return texts(ctx, s.files, chunk, rows)
	case *list:
		m := s.members[s.of[chunk]]
		if err := s.use(m); err != nil {
			return err
		}
		defer s.done(m)
		inner := make([][]string, len(rows))
		for i := range rows {
			inner[i] = make([]string, s.keyed)
			for j := range s.keyed {
				inner[i][m.column(j)] = rows[i][j]
			}
		}
		if err := texts(ctx, m.src, chunk-m.first, inner); err != nil {
			return err
		}
		for i := range rows {
			for j := range s.keyed {
				rows[i][j] = inner[i][m.column(j)]
			}
		}
		for j := s.keyed; j < len(s.cols); j++ {
			word := m.keys[j-s.keyed]
			for i := range rows {
				if rows[i][j] != "…" {
					continue
				}
				if rows[i][j] = word.text; word.none {
					rows[i][j] = Null
				}
			}
		}
	case *csvFile:
		return s.texts(chunk, rows)
	case *linesFile:
		return s.texts(chunk, rows)
	case texter:
		return storedTexts(ctx, src, s, chunk, rows)
	}
	return nil
}

// storedTexts puts the text of formats with types into rows.
func storedTexts(ctx context.Context, src Source, s texter, chunk int, rows [][]string) error {
	var columns []int
	for i := range src.Columns() {
		if len(rows) > 0 && rows[0][i] == "…" && s.spells(i) {
			columns = append(columns, i)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	parts := make([]partText, len(columns))
	if err := s.readText(ctx, chunk, columns, make([]bool, len(columns)), parts); err != nil {
		return err
	}
	for k, c := range columns {
		for i := range rows {
			rows[i][c] = Null
			if code := parts[k].codes[i]; code != noCode {
				rows[i][c] = parts[k].texts[code]
			}
		}
	}
	return nil
}

func (s *csvFile) texts(chunk int, rows [][]string) error {
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	b, err := s.text(s.blocks[chunk], &bufs.chunk)
	if err != nil {
		return err
	}
	row := 0
	p := newCSVParser(s, s.blocks[chunk], b, nil, nil)
	for col := range s.cols {
		p.columns[col].each = func(_ int, field, raw []byte) {
			if row < len(rows) && rows[row][col] == "…" {
				if rows[row][col] = string(trimBlanks(raw)); len(trimBlanks(field)) == 0 {
					rows[row][col] = Null
				}
			}
			if col == len(s.cols)-1 {
				row++
			}
		}
	}
	return p.rows(int64(len(rows)))
}

func (s *linesFile) texts(chunk int, rows [][]string) error {
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	b := s.blocks[chunk]
	text, err := s.text(b, &bufs.chunk)
	if err != nil {
		return err
	}
	err = s.lines(b, text, func(row int64, _ int, line []byte) error {
		if row >= int64(len(rows)) {
			return errEnough
		}
		open := make([]bool, len(rows[row]))
		for i, t := range rows[row] {
			if t == "…" {
				open[i], rows[row][i] = true, Null
			}
		}
		return scanObject(line, func(f *jsonField) error {
			i, ok := s.index[string(f.key)]
			if !ok || !open[i] {
				return nil
			}
			rows[row][i] = string(f.value)
			if plain, err := plainText(f.value); f.text && err == nil {
				rows[row][i] = string(plain)
			}
			return nil
		})
	})
	if err == errEnough {
		err = nil
	}
	return err
}
