package data

import (
	"bytes"
	"math/bits"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: how the dates of a text are written, as dd.mm.yyyy, and fields. Out: dates as the language writes them, 2001-03-14. What stands
// behind a date, a blank or T and a time, stays as it is. Invariant: a field that has not the form is none, and stays what it is;
// which form a file has is said, never guessed.

// dateForm is such a form.
type dateForm struct {
	order [3]byte // d, m and y
	signs [2]byte // between them
}

// parseDateForm reads dd.mm.yyyy and the like. A sign between the parts tells dates from numbers.
func parseDateForm(text string) (*dateForm, bool) {
	f := &dateForm{}
	rest := strings.ToLower(text)
	for i := range f.order {
		part := ""
		for _, word := range []string{"yyyy", "dd", "mm", "d", "m"} {
			if strings.HasPrefix(rest, word) {
				part = word
				break
			}
		}
		if part == "" || bytes.IndexByte(f.order[:], part[0]) >= 0 {
			return nil, false
		}
		f.order[i], rest = part[0], rest[len(part):]
		if i < len(f.signs) {
			if rest == "" || rest[0] >= 0x80 || rest[0] < ' ' || rest[0] >= '0' && rest[0] <= '9' || rest[0] >= 'a' && rest[0] <= 'z' {
				return nil, false
			}
			f.signs[i], rest = rest[0], rest[1:]
		}
	}
	return f, rest == ""
}

func (f *dateForm) String() string {
	words := map[byte]string{'d': "dd", 'm': "mm", 'y': "yyyy"}
	return words[f.order[0]] + string(f.signs[0]) + words[f.order[1]] + string(f.signs[1]) + words[f.order[2]]
}

// example is a day as it is written.
func (f *dateForm) example() string {
	parts := map[byte]string{'d': "14", 'm': "03", 'y': "2001"}
	return parts[f.order[0]] + string(f.signs[0]) + parts[f.order[1]] + string(f.signs[1]) + parts[f.order[2]]
}

// expect puts the form into what is said of a field that is no date.
func (f *dateForm) expect(e *Error) {
	const iso = "2001-03-14"
	e.Msg = strings.Replace(e.Msg, "such as "+iso, "such as "+f.example(), 1)
	e.Help = strings.Replace(e.Help, "write it as in "+iso, "?date= says "+f.String()+": write it as in "+f.example(), 1)
}

// iso writes a field of this form behind out as the language writes it; false for other fields. Whether there is such a day is not
// looked at.
func (f *dateForm) iso(out, b []byte) ([]byte, bool) {
	var part [3][]byte // year, month, day
	for i, which := range f.order {
		n := digits(textOf(b))
		if which == 'y' && n != 4 || n < 1 || which != 'y' && n > 2 {
			return out, false
		}
		part[strings.IndexByte("ymd", which)], b = b[:n], b[n:]
		if i < len(f.signs) {
			if len(b) == 0 || b[0] != f.signs[i] {
				return out, false
			}
			b = b[1:]
		}
	}
	if len(b) > 0 && b[0] != ' ' && b[0] != 'T' && b[0] != 't' {
		return out, false
	}
	out = append(out, part[0]...)
	for _, p := range part[1:] {
		if out = append(out, '-'); len(p) == 1 {
			out = append(out, '0')
		}
		out = append(out, p...)
	}
	return append(out, b...), true
}

// dateForms are those that are proposed: of other countries, with the usual signs.
var dateForms = func() (list []*dateForm) {
	for _, text := range []string{"dd.mm.yyyy", "mm.dd.yyyy", "dd/mm/yyyy", "mm/dd/yyyy", "dd-mm-yyyy", "mm-dd-yyyy", "yyyy/mm/dd", "yyyy.mm.dd"} {
		f, _ := parseDateForm(text)
		list = append(list, f)
	}
	return list
}()

// allForms has a bit for each of dateForms.
const allForms = uint8(0xff)

// unfitForms has the bits of those in which a text is no date and no timestamp, and of known ones, which are not tried.
func unfitForms(known uint8, b []byte) uint8 {
	if known == allForms || len(b) == 0 || b[0]-'0' > 9 {
		return allForms
	}
	unfit, buf := known, make([]byte, 0, 40)
	for i, f := range dateForms {
		if known>>i&1 != 0 {
			continue
		}
		iso, ok := f.iso(buf, b)
		if ok {
			_, why := meaning.Meaning{Sort: meaning.Timestamp}.Parse(iso)
			ok = why == ""
		}
		if !ok {
			unfit |= 1 << i
		}
	}
	return unfit
}

// dateHelp proposes the forms that are not unfit; "" if none is left.
func dateHelp(unfit uint8) string {
	var list []string
	for fit := ^unfit; fit != 0; fit &= fit - 1 {
		list = append(list, dateForms[bits.TrailingZeros8(fit)].String())
	}
	if len(list) == 0 {
		return ""
	}
	return "say how dates are written, behind the name of the file: ?date=" + strings.Join(list, ", or ?date=")
}
