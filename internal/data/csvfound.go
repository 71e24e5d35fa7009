package data

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the fields of a column, in the order of the file. Out: what the column is, and the
// first place of everything that it cannot be together.

// csvSorts is a set of what a field can be.
type csvSorts uint32

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
	csvPadded            // a number with zeros at the beginning, which no number keeps
	csvNoDay             // beside csvPhrase: digits in the form of a date, of a day that there is not
	csvOdd               // beside others: it is not of the type that ?types= says
	csvAbsent            // beside csvMissing: the field is not empty, but a word for a missing value, or blanks
)

// csvFound is what the fields of a column have been so far.
type csvFound struct {
	seen     csvSorts
	first    []csvPlace // of each bit of seen, in their order: tables of many columns in many files have few of them
	unfit    uint8      // the forms of dates in which some text is none, but for words such as NA, see dateForms
	odd      uint8      // the forms of numbers in which some text is none, see numberForms
	plain    bool       // some phrase has not the form of a date
	forced   bool       // text, whatever stands there, because ?text= or ?types= says so
	number   bool       // numbers, whatever zeros they begin with, because ?number= says so
	declared *declared  // the type that ?types= says
	exact    exactNumbers
	json     bool // values say themselves whether they are text, so that a number is none
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

func (f *csvFound) index(bit csvSorts) int { return bits.OnesCount32(uint32(f.seen & (bit - 1))) }

// look takes in a field. Only the first of its sort costs more than a look.
func (f *csvFound) look(p *csvParser, pos int, field, raw []byte) {
	s := csvText | csvPhrase
	if trimmed := trimBlanks(field); !f.forced || len(trimmed) == 0 {
		s = sortsOf(trimmed)
	}
	if s == csvMissing && (field == nil || len(raw) > 0) {
		s |= csvAbsent
	}
	if s&csvPhrase != 0 && !f.forced && (f.unfit != allForms || f.odd != everyNumberForm) && !slices.Contains(csvNulls, textOf(trimBlanks(field))) {
		f.unfit = unfitForms(f.unfit, trimBlanks(field))
		f.odd = oddForms(f.odd, trimBlanks(raw))
	}
	f.phrase(s)
	if s&csvMissing == 0 && f.strays(trimBlanks(field)) {
		s |= csvOdd
	}
	if s&^f.seen == 0 {
		return
	}
	line, col := p.position(pos)
	f.add(s, csvPlace{p.src.input.path, 0, line, col, string(trimBlanks(raw))})
}

// phrase takes in whether a field is a phrase that has not the form of a date.
func (f *csvFound) phrase(s csvSorts) {
	f.plain = f.plain || s&(csvPhrase|csvNoDay) == csvPhrase
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
	f.unfit, f.odd = f.unfit|g.unfit, f.odd|g.odd
	f.plain = f.plain || g.plain
	f.forced, f.number, f.json = f.forced || g.forced, f.number || g.number, f.json || g.json
	f.declared = cmp.Or(f.declared, g.declared)
	f.exact.join(g.exact)
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
		return integerSorts(b, digits) | paddedSorts(b)
	}
	if spellsFloat(b) {
		if !bytes.ContainsAny(b, "0123456789") {
			return csvSpelled | csvDecimal
		}
		return csvNumber | csvDecimal | paddedSorts(b)
	}
	if _, ok := parseBool(b); ok {
		return csvWord
	}
	return csvText | textSorts(b)
}

// paddedSorts tells numbers such as 00501, of which a number keeps 501.
func paddedSorts(b []byte) csvSorts {
	if b[0] == '-' || b[0] == '+' {
		b = b[1:]
	}
	if len(b) > 1 && b[0] == '0' && b[1]-'0' <= 9 {
		return csvPadded
	}
	return 0
}

// textSorts tells dates and timestamps from other text.
func textSorts(b []byte) csvSorts {
	if len(b) == 0 || b[0]-'0' > 9 && b[0] != '-' && b[0] != '+' {
		return csvPhrase
	}
	if _, why := (meaning.Meaning{Sort: meaning.Date}).Parse(b); why == "" {
		return csvDay
	}
	if _, why := (meaning.Meaning{Sort: meaning.Timestamp}).Parse(b); why == "" {
		return csvMoment
	}
	if isNoDay(b) {
		return csvPhrase | csvNoDay
	}
	return csvPhrase
}

// isNoDay reports 2024-02-31 and the like, also with a time behind it: what has the form of a date, and is none.
func isNoDay(b []byte) bool {
	const form = "2001-03-14"
	if len(b) < len(form) || len(b) > len(form) && b[len(form)] != ' ' && b[len(form)] != 'T' && b[len(form)] != 't' {
		return false
	}
	for i := range form {
		if digit := b[i]-'0' <= 9; digit != (form[i] != '-') || !digit && b[i] != '-' {
			return false
		}
	}
	_, why := meaning.Meaning{Sort: meaning.Date}.Parse(b[:len(form)])
	return why != ""
}

// meaning is what a column of text stands for. Numbers among words are words, too, unless JSON has them without quotes.
func (f *csvFound) meaning() (m meaning.Meaning, stored string) {
	text := meaning.Meaning{Sort: meaning.Text}
	switch mixed := f.mixed(); {
	case f.settled():
		_, stored = f.declared.kind()
		return f.means(), stored
	case f.number && f.worded():
		return m, ""
	case f.forced, mixed && !f.json, f.padded() && !f.has(csvText):
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

// padded reports numbers that are text for the zeros at their beginning, which programs would lose without a word: 00501 is a zip code.
func (f *csvFound) padded() bool { return f.has(csvPadded) && !f.number && !f.json }

// forcedBy is the option that says that a column is text.
func (f *csvFound) forcedBy() string {
	if f.declared != nil {
		return "?types="
	}
	return "?text="
}

// worded reports anything but numbers.
func (f *csvFound) worded() bool { return f.has(csvText | csvWord) }

// spellsFloat reports a decimal, or a word for an infinity or for what is no number.
func spellsFloat(b []byte) bool {
	if _, _, _, ok := plainDecimal(b); ok {
		return true
	}
	if !floatLike(b) {
		return false
	}
	_, msg := slowFloat(b, 64)
	return msg == ""
}

// floatLike is false for nothing that is a float, and for most words and dates: to find out by parsing takes ten times as long.
func floatLike(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	if len(b) == 0 {
		return false
	}
	if c := b[0] | 0x20; c == 'i' || c == 'n' {
		return true
	}
	for i, c := range b {
		switch {
		case c-'0' <= 9, c == '.', c|0x20 == 'e':
		case (c == '-' || c == '+') && i > 0 && b[i-1]|0x20 == 'e':
		default:
			return false
		}
	}
	return true
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
	case f.settled():
		return f.declared.kind()
	case f.has(csvNested):
		return num.Invalid, "objects or lists"
	case f.json && f.mixed() && !f.forced:
		return num.Invalid, "mixed"
	case f.forced, f.has(csvText), f.mixed(), f.padded(), f.number && f.worded():
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

func (p csvPlace) before(q csvPlace) bool {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col)) < 0
}

func shortened(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}
