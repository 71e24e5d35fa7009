package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// In: what was said of a text, and its first bytes. Out: which characters mean what in it. The separator alone is found by looking:
// a comma where that cuts all rows that are looked at into the same number of fields, else the one other candidate that does,
// else a comma. Whatever later does not fit that is an error with its line.

// dialect is how fields are written.
type dialect struct {
	sep, quote         byte // quote is 0 if there are no quotes
	decimal, thousands byte
	na                 [][]byte
	date               *dateForm // nil for none
	noHeader           bool
	rewrites           bool // fields are not yet as numbers are parsed
	stops              [256]bool
	seps, quotes       uint64 // the separator, and the quote, eight times; without quotes both are separators
}

func dialectOf(o *Options) *dialect {
	d := &dialect{sep: o.Separator, quote: o.Quote, decimal: o.decimal(), thousands: o.Thousands, noHeader: o.NoHeader}
	if d.quote == 0 && !o.NoQuote {
		d.quote = '"'
	}
	for _, word := range o.NA {
		if word = strings.TrimSpace(word); word != "" {
			d.na = append(d.na, []byte(word))
		}
	}
	if o.Date != "" {
		d.date, _ = parseDateForm(o.Date)
	}
	d.rewrites = d.date != nil || len(d.na) > 0 || d.decimal != '.' || d.thousands != 0
	d.separate(d.sep)
	return d
}

func (d *dialect) separate(sep byte) {
	d.sep, d.stops = sep, [256]bool{}
	d.stops[sep], d.stops['\n'] = true, true
	d.seps = uint64(sep) * everyByte
	d.quotes = d.seps
	if d.quote != 0 {
		d.stops[d.quote] = true
		d.quotes = uint64(d.quote) * everyByte
	}
}

// separators are tried in this order.
const separators = ",;\t|"

// find chooses the separator by rows of b, of which the last one may be cut.
func (d *dialect) find(path string, b []byte, whole bool) error {
	if d.sep != 0 {
		return nil
	}
	if inside(path) == ".tsv" {
		d.separate('\t')
		return nil
	}
	var even []byte
	for _, sep := range []byte(separators) {
		if sep == d.decimal || sep == d.quote || sep == d.thousands {
			continue
		}
		if d.evenly(sep, b, whole) {
			even = append(even, sep)
			if sep == ',' {
				break // whatever else would do
			}
		}
	}
	switch {
	case len(even) == 1:
		d.separate(even[0])
	case len(even) > 1:
		e := fail(path, "the fields are separated by %q or by %q: both cut every row that was looked at into the same number of fields", string(even[0]), string(even[1]))
		e.Help = fmt.Sprintf("say which it is: %s?sep=%s", path, word(even[0]))
		return e
	default:
		d.separate(',')
	}
	if d.sep != d.decimal || d.quotedCommas(b) && d.evenly(',', b, whole) {
		return nil
	}
	e := fail(path, "a comma is the decimal sign, and nothing else separates the fields of all rows")
	e.Help = fmt.Sprintf("say what does: %s?sep=;&decimal=,", path)
	if d.quote != 0 {
		e.Help += fmt.Sprintf(", or ?sep=,&decimal=, where fields that have a comma stand between %c", d.quote)
	}
	return e
}

// quotedCommas reports that something in b is in quotes and has a comma, which then may stand in numbers and between fields.
func (d *dialect) quotedCommas(b []byte) bool {
	quoted := false
	for _, c := range b {
		switch {
		case c == d.quote && d.quote != 0:
			quoted = !quoted
		case c == ',' && quoted:
			return true
		}
	}
	return false
}

// word is a separator as it is written in an option.
func word(sep byte) string {
	if sep == '\t' {
		return "tab"
	}
	return string(sep)
}

// evenly reports that all rows of b have the same number of fields, more than one. The last row may be cut.
func (d *dialect) evenly(sep byte, b []byte, whole bool) bool {
	t := *d
	t.separate(sep)
	quotes := t.quote != 0 && bytes.IndexByte(b, t.quote) >= 0
	all := 0
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n') + 1
		if quotes {
			end = max(0, t.rowEnd(b))
		}
		if end == 0 && !whole {
			break
		} else if end == 0 {
			end = len(b)
		}
		row := bytes.TrimRight(b[:end], "\r\n")
		b = b[end:]
		if len(row) == 0 {
			continue
		}
		n := bytes.Count(row, []byte{sep}) + 1
		if quotes {
			n = t.fields(row)
		}
		if n < 2 || all != 0 && n != all {
			return false
		}
		all = n
	}
	return all > 1
}

// fields counts those of a row without its line end; 0 if it cannot be read.
func (d *dialect) fields(row []byte) int {
	row = append(row[:len(row):len(row)], '\n')
	for n, pos := 1, 0; ; n++ {
		_, next, msg := d.field(row, pos)
		if msg != "" {
			return 0
		}
		if next >= len(row)-1 {
			return n
		}
		pos = next + 1
	}
}

// rowEnd is the length of the first row of b with its line end, -1 if it
// does not end in b.
func (d *dialect) rowEnd(b []byte) int {
	quoted := false
	for i, c := range b {
		switch {
		case c == d.quote && d.quote != 0:
			quoted = !quoted
		case c == '\n' && !quoted:
			return i + 1
		}
	}
	return -1
}

// plain is field for one in which no quote is and that the line does not end behind: most are so. ok is false for others. Eight bytes are
// looked at together.
func (d *dialect) plain(b []byte, pos int) (field []byte, next int, ok bool) {
	at := pos
	for ; at+8 <= len(b); at += 8 {
		x := binary.LittleEndian.Uint64(b[at:])
		if m := zeroBytes(x^d.seps) | zeroBytes(x^newlines) | zeroBytes(x^d.quotes); m != 0 {
			at += bits.TrailingZeros64(m) / 8
			return b[pos:at], at, b[at] == d.sep
		}
	}
	for ; at < len(b); at++ {
		if d.stops[b[at]] {
			return b[pos:at], at, b[at] == d.sep
		}
	}
	return nil, pos, false
}

// everyByte times a byte is that byte eight times.
const everyByte = 0x0101_0101_0101_0101

const newlines = '\n' * everyByte

// zeroBytes has its lowest bit in the first byte of x, from below, that is zero; what lies above means nothing.
func zeroBytes(x uint64) uint64 { return (x - everyByte) & ^x & (everyByte << 7) }

// field finds the field at pos of b, which ends with a line end outside of
// quotes. next is the position of the separator or the '\n' after it.
func (d *dialect) field(b []byte, pos int) (field []byte, next int, msg string) {
	if b[pos] == d.quote && d.quote != 0 {
		return d.quoted(b, pos)
	}
	i := pos
	for !d.stops[b[i]] {
		i++
	}
	if b[i] == d.quote && d.quote != 0 {
		if d.blanksEnd(b, pos) == i {
			return d.quoted(b, i)
		}
		return nil, i, "a quote inside of a field that does not begin with one"
	}
	end := i
	if b[i] == '\n' && end > pos && b[end-1] == '\r' {
		end--
	}
	return b[pos:end], i, ""
}

const noEnd = "a quoted field has no end"

// quoted reads a field in quotes; two quotes in it mean one.
func (d *dialect) quoted(b []byte, pos int) (field []byte, next int, msg string) {
	i, twice := pos+1, false
	for {
		q := bytes.IndexByte(b[i:], d.quote)
		if q < 0 {
			return nil, pos, noEnd
		}
		i += q + 1
		if i < len(b) && b[i] == d.quote {
			twice = true
			i++
			continue
		}
		break
	}
	field = b[pos+1 : i-1]
	if twice {
		field = bytes.ReplaceAll(field, []byte{d.quote, d.quote}, []byte{d.quote})
	}
	i = d.blanksEnd(b, i)
	if i < len(b) && b[i] == '\r' {
		i++
	}
	if i >= len(b) || b[i] != d.sep && b[i] != '\n' {
		return nil, i, "expected a " + d.separator() + " or the end of the line after a quoted field"
	}
	return field, i, ""
}

// blanksEnd is where blanks end that separate nothing: beside quotes they are no part of a field.
func (d *dialect) blanksEnd(b []byte, pos int) int {
	for pos < len(b) && (b[pos] == ' ' || b[pos] == '\t') && b[pos] != d.sep {
		pos++
	}
	return pos
}

func (d *dialect) separator() string {
	switch d.sep {
	case ',':
		return "comma"
	case ';':
		return "semicolon"
	case '\t':
		return "tab"
	}
	return string(d.sep)
}

// rewritten is a field as numbers and dates are parsed: nothing for a word that means a missing value, a date by year, month and
// day, a point before the fraction, and no signs between groups of digits. What then is no number, as 1.5 where the decimal sign is a comma, becomes none. It may use buf.
func (d *dialect) rewritten(field []byte, buf *[]byte) []byte {
	f := trimBlanks(field)
	for _, w := range d.na {
		if bytes.Equal(w, f) {
			return nil
		}
	}
	if d.date != nil {
		if iso, ok := d.date.iso((*buf)[:0], f); ok {
			*buf = iso
			return iso
		}
	}
	if d.decimal == '.' && d.thousands == 0 || !d.numeric(f) {
		return f
	}
	out, group, grouped, ok := (*buf)[:0], 0, false, true
	fraction := false
	for i, c := range f {
		switch {
		case c == d.decimal && !fraction:
			ok = ok && (!grouped || group == 3)
			fraction = true
			out = append(out, '.')
		case c == d.thousands && d.thousands != 0:
			ok = ok && !fraction && group > 0 && (group == 3 || !grouped && group < 3) && i+1 < len(f)
			group, grouped = 0, true
		case c >= '0' && c <= '9':
			group++
			out = append(out, c)
		case c == 'e' || c == 'E':
			ok = ok && (fraction || !grouped || group == 3)
			fraction = true
			out = append(out, c)
		default:
			ok = ok && c != '.' && c != ','
			out = append(out, c)
		}
	}
	if !fraction && grouped && group != 3 || !ok {
		out = append(append(out[:0], 0), f...)
	}
	*buf = out
	return out
}

// numeric reports that a field has nothing that no number has.
func (d *dialect) numeric(f []byte) bool {
	digits := false
	for i, c := range f {
		switch {
		case c >= '0' && c <= '9':
			digits = true
		case c == '+' || c == '-' || c == '.' || c == ',' || c == d.decimal || c == d.thousands && d.thousands != 0:
		case (c == 'e' || c == 'E') && digits && i+1 < len(f):
		default:
			return false
		}
	}
	return digits
}
