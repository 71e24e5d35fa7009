package data

import "strings"

// In: text that may be numbers as they are written in other countries. Out: the options with which it is a number. Invariant: all that fit
// are named, so that nobody takes the first for the only one: 1,250 is one and a quarter in one country, and some more in another.

// numberForm is what stands before the fraction and between groups of digits.
type numberForm struct {
	decimal, thousands byte // '.' and 0 where nothing is said
	say                string
}

var numberForms = []numberForm{
	{',', 0, "decimal=,"}, {'.', ',', "thousands=,"}, {',', '.', "decimal=,&thousands=."},
	{',', ' ', "decimal=,&thousands= "}, {'.', ' ', "thousands= "}, {'.', '\'', "thousands='"},
}

// everyNumberForm has a bit for each of numberForms.
var everyNumberForm = uint8(1<<len(numberForms) - 1)

// pointForms has the bits of those with a point before fractions.
const pointForms = 1<<1 | 1<<4 | 1<<5

// oddForms has the bits of those in which a text is no number, and of known ones, which are not tried.
func oddForms(known uint8, text []byte) uint8 {
	if known == everyNumberForm {
		return known
	}
	odd, buf := known, make([]byte, 0, 40)
	for i, as := range numberForms {
		if known>>i&1 != 0 {
			continue
		}
		d := &dialect{decimal: as.decimal, thousands: as.thousands}
		if sortsOf(d.rewritten(text, &buf))&csvNumber == 0 {
			odd |= 1 << i
		}
	}
	return odd
}

// numberHelp proposes the forms that are not odd, but for those that say more than another one; "" if none is left.
func numberHelp(odd uint8) string {
	var list []string
	for i, as := range numberForms {
		if odd>>i&1 == 0 && !as.exceeds(odd) {
			list = append(list, as.say)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "say how numbers are written, behind the name of the file: ?" + strings.Join(list, " or ?")
}

// exceeds reports that another form, which is not odd either, says less.
func (as numberForm) exceeds(odd uint8) bool {
	for i, less := range numberForms {
		if odd>>i&1 == 0 && less != as && (less.decimal == '.' || less.decimal == as.decimal) && (less.thousands == 0 || less.thousands == as.thousands) {
			return true
		}
	}
	return false
}

// csvNumberHelp is numberHelp for one text.
func csvNumberHelp(text string) string { return numberHelp(oddForms(0, []byte(text))) }
