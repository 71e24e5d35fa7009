package data

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: the fields of a column of text that ?exact= names. Out: the Decimal that holds all of them as they are written, with as many
// places as the field with most has, or the first field that none holds.

// exactNumbers is what the numbers of a column have been so far.
type exactNumbers struct {
	asked         bool
	whole, places int // most digits before a point, without zeros at the beginning, and behind it
}

// look takes in a field; it reports one that is a number, and no decimal.
func (x *exactNumbers) look(field []byte) (odd bool) {
	if !x.asked || len(field) == 0 {
		return false
	}
	if field[0] == '-' || field[0] == '+' {
		field = field[1:]
	}
	whole, places, point := 0, 0, false
	for _, c := range field {
		switch {
		case c == '.' && !point:
			point = true
		case c-'0' > 9:
			return true // an exponent, or NaN
		case point:
			places++
		case whole > 0 || c != '0':
			whole++
		}
	}
	if whole+places > meaning.MaxDigits {
		return true
	}
	x.whole, x.places = max(x.whole, whole), max(x.places, places)
	return false
}

func (x *exactNumbers) join(y exactNumbers) {
	x.asked, x.whole, x.places = x.asked || y.asked, max(x.whole, y.whole), max(x.places, y.places)
}

// exactly reports a column that is a Decimal.
func (f *csvFound) exactly() bool {
	return f.exact.asked && !f.worded() && f.has(csvBit|csvNumber) && !f.inexact()
}

// inexact reports a column that was to be a Decimal, and that none holds.
func (f *csvFound) inexact() bool {
	return f.exact.asked && (f.has(csvOdd) || f.exact.whole+f.exact.places > meaning.MaxDigits)
}

// decimal is the Decimal. It has all digits that one can have, so that rows that are added may be larger.
func (f *csvFound) decimal() meaning.Meaning {
	return meaning.Meaning{Sort: meaning.Decimal, Digits: meaning.MaxDigits, Places: uint8(f.exact.places)}
}

// noDecimal says why no Decimal holds a column.
func (f *csvFound) noDecimal(e *Error) {
	e.Help = "take the name of the column out of the option ?exact=: then it is f64, which rounds"
	if !f.has(csvOdd) {
		e.Msg = fmt.Sprintf("expected decimals of at most %d digits together, as ?exact= says, found up to %d before the point and %d behind it", meaning.MaxDigits, f.exact.whole, f.exact.places)
		return
	}
	at := f.at(csvOdd)
	e.Path, e.Line, e.Col = at.path, at.line, at.col
	e.Msg = fmt.Sprintf("expected decimals of at most %d digits without an exponent, as ?exact= says, found %q", meaning.MaxDigits, shortened(at.text))
}
