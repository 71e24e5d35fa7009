package data

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the fields of a column, in the order of the file. Out: what the column is, and the
// first place of everything that it cannot be together.

// csvSorts is a set of what a field can be.
type csvSorts uint16

const (
	csvMissing  csvSorts = 1 << iota
	csvBit               // 0 or 1: an integer, or a bool
	csvNumber            // any other number in digits
	csvWord              // true or false
	csvNegative          // an integer below 0
	csvLarge             // an integer above the greatest i64, for u64
	csvHugeInt           // an integer for no kind of integers
	csvInexact           // an integer that no f64 is
	csvDecimal           // a number with point or exponent; NaN, inf, -0
	csvText              // nothing of these; then it is one of the following, too
	csvDay               // a date
	csvMoment            // a timestamp
	csvPhrase            // any other text
	csvNested            // an object or a list of JSON
	csvQuoted            // a text of JSON, which may stand for a float all the same
	csvSpelled           // NaN or inf: a number, or a text among others
)

// csvFound is what the fields of a column have been so far.
type csvFound struct {
	seen   csvSorts
	first  []csvPlace // of each bit of seen, in their order: tables of many columns in many files have few of them
	unfit  uint8      // the forms of dates in which some text is none, see dateForms
	forced bool       // text, whatever stands there, because ?text= says so
	json   bool       // values say themselves whether they are text, so that a number is none
}

// csvPlace is a field and where it stands.
type csvPlace struct {
	path      string
	file      int // its number in a list
	line, col int
	text      string
}

func (f *csvFound) has(s csvSorts) bool { return f.seen&s != 0 }

// at is the place of the least bit of s that was seen.
func (f *csvFound) at(s csvSorts) csvPlace {
	if s &= f.seen; s == 0 {
		return csvPlace{}
	}
	return f.first[f.index(s&-s)]
}

func (f *csvFound) index(bit csvSorts) int { return bits.OnesCount16(uint16(f.seen & (bit - 1))) }

// look takes in a field. Only the first of its sort costs more than a look.
func (f *csvFound) look(p *csvParser, pos int, field, raw []byte) {
	s := csvText | csvPhrase
	if trimmed := trimBlanks(field); !f.forced || len(trimmed) == 0 {
		s = sortsOf(trimmed)
	}
	if s&csvPhrase != 0 && f.unfit != allForms && !f.forced {
		f.unfit = unfitForms(f.unfit, trimBlanks(field))
	}
	if s&^f.seen == 0 {
		return
	}
	line, col := p.position(pos)
	f.add(s, csvPlace{p.src.input.path, 0, line, col, string(trimBlanks(raw))})
}

// add takes in what a field is, of which the first that was so is kept.
func (f *csvFound) add(s csvSorts, at csvPlace) {
	for ; s != 0; s &= s - 1 {
		bit := s & -s
		i := f.index(bit)
		switch {
		case !f.has(bit):
			f.first = slices.Insert(f.first, i, at)
			f.seen |= bit
		case at.before(f.first[i]):
			f.first[i] = at
		}
	}
}

// join takes in what other fields of the column are, in a file of this number.
func (f *csvFound) join(g *csvFound, file int) {
	f.unfit |= g.unfit
	f.forced, f.json = f.forced || g.forced, f.json || g.json
	for s := g.seen; s != 0; s &= s - 1 {
		at := g.at(s & -s)
		at.file += file
		f.add(s&-s, at)
	}
}

func sortsOf(b []byte) csvSorts {
	switch {
	case len(b) == 0:
		return csvMissing
	case len(b) == 1 && b[0]|1 == '1':
		return csvBit
	}
	if digits := integerDigits(b); len(digits) > 0 {
		return integerSorts(b, digits)
	}
	if _, msg := slowOrPlain(b); msg == "" {
		if !bytes.ContainsAny(b, "0123456789") {
			return csvSpelled | csvDecimal
		}
		return csvNumber | csvDecimal
	}
	if _, ok := parseBool(b); ok {
		return csvWord
	}
	return csvText | textSorts(b)
}

// textSorts tells dates and timestamps from other text.
func textSorts(b []byte) csvSorts {
	if _, why := (meaning.Meaning{Sort: meaning.Date}).Parse(b); why == "" {
		return csvDay
	}
	if _, why := (meaning.Meaning{Sort: meaning.Timestamp}).Parse(b); why == "" {
		return csvMoment
	}
	return csvPhrase
}

// meaning is what a column of text stands for. Numbers among words are words, too, unless JSON has them without quotes.
func (f *csvFound) meaning() (m meaning.Meaning, stored string) {
	text := meaning.Meaning{Sort: meaning.Text}
	switch mixed := f.mixed(); {
	case f.forced, mixed && !f.json:
		return text, "text"
	case mixed, f.has(csvNested), !f.has(csvText):
		return m, ""
	case f.has(csvPhrase | csvSpelled):
		return text, "text"
	case f.has(csvMoment):
		return meaning.Meaning{Sort: meaning.Timestamp}, "timestamps"
	}
	return meaning.Meaning{Sort: meaning.Date}, "dates"
}

// mixed reports numbers, or true and false, and something else beside them.
func (f *csvFound) mixed() bool {
	return f.has(csvText) && f.has(csvBit|csvNumber|csvWord) || f.has(csvWord) && f.has(csvNumber|csvSpelled)
}

// slowOrPlain tells decimals without their value where that is quicker.
func slowOrPlain(b []byte) (float64, string) {
	if _, _, _, ok := plainDecimal(b); ok {
		return 0, ""
	}
	return slowFloat(b, 64)
}

func integerSorts(b, digits []byte) csvSorts {
	s := csvNumber
	switch {
	case b[0] == '-' && digits[0] == '0':
		return s | csvDecimal // a float has a zero with a sign, integers do not
	case b[0] == '-':
		s |= csvNegative
	}
	if len(digits) <= 15 {
		return s
	}
	if _, msg := slowFloat(b, 64); msg != "" {
		s |= csvInexact
	}
	if _, msg := parseInt(b); msg == "" {
		return s
	}
	if _, msg := parseUint(b); msg == "" {
		return s | csvLarge
	}
	return s | csvHugeInt
}

// kind is what a column with such fields is, and the name of that.
func (f *csvFound) kind() (num.Kind, string) {
	integers := !f.has(csvDecimal | csvHugeInt)
	switch {
	case f.forced, f.has(csvText), f.mixed():
		return num.Invalid, "text"
	case f.has(csvWord):
		return num.Bool, "true and false"
	case !f.has(csvBit | csvNumber | csvSpelled):
		return num.F64, csvEmpty
	case integers && !f.has(csvLarge):
		return num.I64, "integers"
	case integers && !f.has(csvNegative):
		return num.U64, "integers"
	case f.has(csvInexact):
		return num.Invalid, "numbers that no kind holds all"
	}
	return num.F64, "numbers"
}

const csvEmpty = "no values"

// csvNulls are words that other programs write for a missing value.
var csvNulls = []string{"NA", "N/A", "n/a", "na", "#N/A", "null", "NULL", "Null", "None", "none", "nil", "-", "?", ".", "missing"}

// conflict says why the column is of no kind, at the field that does not go with others.
func (f *csvFound) conflict(path, column string) *Error {
	e := &Error{Path: path, Row: -1, Column: column}
	stand := func(at csvPlace, expected string) *Error {
		e.Path, e.Line, e.Col = at.path, at.line, at.col
		e.Msg = fmt.Sprintf("expected %s, found %q", expected, shortened(at.text))
		return e
	}
	switch {
	case f.forced:
		e.Msg = "expected numbers, or true and false, found text, as ?text= says"
	case f.mixed():
		return f.words(column)
	case f.has(csvText):
		e = stand(f.at(csvText), "numbers, or true and false")
		text := f.at(csvText).text
		if help := f.dates(); help != "" {
			e.Msg, e.Help = fmt.Sprintf("it is text (Str): found dates such as %q", shortened(text)), help
			return e
		}
		e.Help = cmp.Or(csvWordHelp(column, text), csvNumberHelp(text))
	default:
		other := f.at(csvNegative)
		if f.has(csvDecimal) {
			other = f.at(csvDecimal)
		} else if f.has(csvHugeInt) {
			other = f.at(csvHugeInt)
		}
		at := f.at(csvInexact)
		e.Path, e.Line, e.Col = at.path, at.line, at.col
		e.Msg = fmt.Sprintf("expected numbers of one kind, found %s, an integer that f64 cannot hold exactly, and %s on line %d, which needs it", shortened(at.text), shortened(other.text), other.line)
		if f.has(csvHugeInt) {
			e.Msg = fmt.Sprintf("expected integers of at most 64 bits, found %s", shortened(f.at(csvHugeInt).text))
			e.Path, e.Line, e.Col = f.at(csvHugeInt).path, f.at(csvHugeInt).line, f.at(csvHugeInt).col
		}
		e.Help = "write it with a point, as " + shortened(at.text) + ".0, to have it rounded"
		if !f.json {
			e.Help += "; if the column is text, say so behind the name of the file: ?text=" + optionText(column)
		}
	}
	return e
}

// dates is the help for a column of dates that are all of one form, and of no other.
func (f *csvFound) dates() string {
	if f.json || f.has(csvDay|csvMoment|csvSpelled) || bits.OnesCount8(f.unfit) != len(dateForms)-1 {
		return ""
	}
	return dateHelp(f.unfit)
}

// words says where the first word among numbers is, or the first number among true and false: because of it a column of CSV is
// text, and one of JSON nothing that can be read.
func (f *csvFound) words(column string) *Error {
	word, other, what := f.at(csvText), f.at(csvNumber), "numbers"
	if !f.has(csvText) {
		word = f.at(csvWord)
	}
	if bit := f.at(csvBit); !f.has(csvNumber) || f.has(csvBit) && bit.before(other) {
		other = bit
	}
	switch {
	case f.has(csvText) && !f.has(csvNumber|csvBit):
		other, what = f.at(csvWord), "true and false"
	case !f.has(csvText) && !f.has(csvNumber):
		other = f.at(csvSpelled)
	case !f.has(csvText) && word.before(other):
		word, other, what = f.at(csvNumber), word, "true and false"
	}
	e := &Error{Path: word.path, Row: -1, Line: word.line, Col: word.col, Column: column}
	e.Msg = fmt.Sprintf("found %q among %s, such as %s on line %d", shortened(word.text), what, shortened(other.text), other.line)
	if other.path != word.path {
		e.Msg += " of " + other.path
	}
	if f.json {
		e.Help = "make all of them numbers, or true and false, or put all in quotes"
		return e
	}
	e.Msg = "it is text (Str): " + e.Msg
	number := ""
	if sortsOf([]byte(word.text))&csvText != 0 {
		number = csvNumberHelp(word.text)
	}
	e.Help = cmp.Or(csvWordHelp(column, word.text), number, "mend the field, or leave it empty where a value is missing")
	e.Help += "; if the column is text, say so behind the name of the file: ?text=" + optionText(column)
	return e
}

func (p csvPlace) before(q csvPlace) bool {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col)) < 0
}

// csvTextHelp is for a program that reads the column as a kind that the text is not of.
func csvTextHelp(column, text string, k num.Kind) string {
	if help := csvWordHelp(column, text); help != "" {
		return help
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil && k.IsInt() && !strings.ContainsAny(text, "xX_") {
		return "declare it as f64"
	}
	const missing = "leave the field empty where a value is missing"
	if help := csvNumberHelp(text); help != "" {
		return help
	}
	if strings.ContainsAny(text, "0123456789") {
		if _, msg := parseFloat64([]byte(text)); msg == "" && k.IsInt() {
			return "declare it as f64"
		}
		return "mend the field: a number is digits, with a sign, a point or an exponent; " + missing + ", and declare Option; or declare the column as Str, or leave it out"
	}
	return "declare it as Str, or leave the column out; " + missing
}

// csvWordHelp is for words that stand for something else; "" for others.
func csvWordHelp(column, text string) string {
	switch {
	case text == column:
		return "the row of names stands here again: remove it"
	case slices.Contains(csvNulls, text):
		return "if it stands for a missing value, say so behind the name of the file: ?na=" + optionText(text) + "; or leave the field empty"
	}
	return ""
}

// csvNumberHelp is for numbers as they are written in other countries; "" for others.
func csvNumberHelp(text string) string {
	for _, as := range []struct {
		decimal, thousands byte
		say                string
	}{{',', 0, "decimal=,"}, {'.', ',', "thousands=,"}, {',', '.', "decimal=,&thousands=."}, {',', ' ', "decimal=,&thousands= "}, {'.', ' ', "thousands= "}, {'.', '\'', "thousands='"}} {
		d, buf := &dialect{decimal: as.decimal, thousands: as.thousands}, []byte(nil)
		if f := d.rewritten([]byte(text), &buf); sortsOf(f)&csvNumber != 0 {
			return "say how numbers are written, behind the name of the file: ?" + as.say
		}
	}
	return ""
}

func shortened(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}
