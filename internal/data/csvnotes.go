package data

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: what the fields of a column are. Out: why nothing can be computed with it, or what is to be said of the type that it got: the
// first field that made it so, its line, and what to write where something else is meant. Invariant: a type that loses something of a
// field, or that one field out of many decided, is never given without a note.

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
	case f.astray():
		f.stray(e)
	case f.settled():
		e.Msg = "it is " + f.means().String() + ", as ?types= says"
	case f.has(csvNested):
		e = stand(f.at(csvNested), "a number, text, true, false or null")
		e.Help = "have it as text, as it is written: " + sayText(column)
	case f.forced:
		e.Msg = "expected numbers, or true and false, found text, as " + f.forcedBy() + " says"
	case f.number && f.worded():
		at := f.at(csvText)
		if word := f.at(csvWord); !f.has(csvText) || f.has(csvWord) && word.before(at) {
			at = word
		}
		e = stand(at, "numbers, as ?number= says")
		e.Help = cmp.Or(csvWordHelp(column, at.text), f.numbers(), "mend the field, leave it empty where a value is missing, or take the name of the column out of the option")
	case f.mixed():
		return f.words(column)
	case f.has(csvDay|csvMoment) && f.has(csvPhrase|csvSpelled):
		return f.undated(column)
	case f.padded() && !f.has(csvText):
		e = stand(f.at(csvPadded), "")
		e.Msg = fmt.Sprintf("it is text (Str): found %s, whose zeros at the beginning no number keeps", shortened(f.at(csvPadded).text))
		e.Help = fmt.Sprintf("say behind the name of the file that it is text, %s, or that these zeros do not count, ?number=%s", sayText(column), optionText(column))
	case f.has(csvNoDay) && !f.plain:
		e = stand(f.at(csvNoDay), "")
		e.Msg = fmt.Sprintf("it is text (Str): found %q, and there is no such day", shortened(f.at(csvNoDay).text))
		if e.Help = "mend the value, or write null where one is missing"; !f.json {
			e.Help = "mend the field, or leave it empty where a value is missing; if the column is text, say so behind the name of the file: " + sayText(column)
		}
	case f.has(csvText):
		e = stand(f.at(csvText), "numbers, or true and false")
		text := f.at(csvText).text
		if help := f.dates(); help != "" {
			e.Msg, e.Help = fmt.Sprintf("it is text (Str): found dates such as %q", shortened(text)), help
			return e
		}
		if e.Help = csvWordHelp(column, text); e.Help != "" {
			e.Msg = fmt.Sprintf("it is text (Str): found %q", shortened(text))
			return e
		}
		e.Help = f.numbers()
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
		switch {
		case f.has(csvHugeInt):
			e.Msg = fmt.Sprintf("expected integers of at most 64 bits, found %s", shortened(f.at(csvHugeInt).text))
			e.Path, e.Line, e.Col = f.at(csvHugeInt).path, f.at(csvHugeInt).line, f.at(csvHugeInt).col
		case !f.has(csvDecimal):
			large := f.at(csvLarge)
			e.Path, e.Line, e.Col = large.path, large.line, large.col
			e.Msg = fmt.Sprintf("expected numbers of one kind, found %s, which only u64 holds, and %s on line %d%s, which it does not; f64 cannot hold %s exactly", large.text, other.text, other.line, other.elsewhere(large), at.text)
		}
		e.Help = "write " + shortened(at.text) + " with a point, as " + shortened(at.text) + ".0, to have it rounded"
		if !f.json {
			e.Help = "if the column is text, say so behind the name of the file: " + sayText(column) + "; or " + e.Help
		}
	}
	return e
}

func sayText(column string) string { return "?text=" + optionText(column) }

// doubt says what the type of a column takes for something else than is written; nil if nothing.
func (f *csvFound) doubt(column string) *Error {
	if kind, _ := f.kind(); kind != num.Bool || !f.has(csvBit) || f.declared != nil {
		return nil
	}
	bit, word := f.at(csvBit), f.at(csvWord)
	e := &Error{Path: bit.path, Row: -1, Line: bit.line, Col: bit.col, Column: column}
	e.Msg = fmt.Sprintf("it is bool: found %s among true and false, such as %s on line %d%s, and takes 1 for true, 0 for false", bit.text, shortened(word.text), word.line, word.elsewhere(bit))
	e.Help = "write true and false for them"
	if !f.json {
		e.Help += ", or, if the column is text, say so behind the name of the file: " + sayText(column)
	}
	return e
}

// undated says where the first word among dates is.
func (f *csvFound) undated(column string) *Error {
	word, day := f.at(csvPhrase), f.at(csvDay)
	if odd := f.at(csvSpelled); !f.has(csvPhrase) || f.has(csvSpelled) && odd.before(word) {
		word = odd
	}
	if moment := f.at(csvMoment); !f.has(csvDay) || f.has(csvMoment) && moment.before(day) {
		day = moment
	}
	e := &Error{Path: word.path, Row: -1, Line: word.line, Col: word.col, Column: column}
	e.Msg = fmt.Sprintf("it is text (Str): found %q among dates, such as %s on line %d%s", shortened(word.text), shortened(day.text), day.line, day.elsewhere(word))
	if f.json {
		e.Help = "mend the value, or write null where one is missing"
		return e
	}
	finest := ""
	if _, why := (meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Nano}).Parse([]byte(word.text)); why == "" {
		finest = "say that it has nanoseconds: " + SayType(column, "Timestamp<ns>")
	}
	e.Help = cmp.Or(csvWordHelp(column, word.text), finest, dateHelp(unfitForms(0, []byte(word.text))), "mend the field, or leave it empty where a value is missing")
	e.Help += "; if the column is text, say so behind the name of the file: " + sayText(column)
	return e
}

// elsewhere names the file of a place, unless it is that of another one.
func (p csvPlace) elsewhere(other csvPlace) string {
	if p.path == other.path {
		return ""
	}
	return " of " + p.path
}

// dates is the help for a column of dates that are all of one form, or may be of several.
func (f *csvFound) dates() string {
	if f.json || f.has(csvDay|csvMoment|csvSpelled) || f.unfit == 0 || f.unfit == allForms {
		return ""
	}
	return dateHelp(f.unfit)
}

// numbers is the help for a column whose words are all numbers of other forms.
func (f *csvFound) numbers() string {
	if f.odd == 0 { // nothing was looked at: any text is none of some form
		return ""
	}
	return numberHelp(f.odd)
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
	e.Msg = fmt.Sprintf("found %q among %s, such as %s on line %d%s", shortened(word.text), what, shortened(other.text), other.line, other.elsewhere(word))
	if f.json {
		e.Help = "make all of them numbers, or true and false, or put all in quotes; or say behind the name of the file that it is text, " + sayText(column)
		return e
	}
	e.Msg = "it is text (Str): " + e.Msg
	number := ""
	if sortsOf([]byte(word.text))&csvText != 0 {
		number = cmp.Or(f.numbers(), csvNumberHelp(word.text))
	} else if f.has(csvText) { // a number, but not where a comma stands before fractions
		number = numberHelp(oddForms(pointForms, []byte(word.text)))
	}
	e.Help = cmp.Or(csvWordHelp(column, word.text), number, "mend the field, or leave it empty where a value is missing")
	e.Help += "; if the column is text, say so behind the name of the file: " + sayText(column)
	return e
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
