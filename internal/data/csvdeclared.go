package data

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the types that ?types= gives columns of text, and their fields. Out: these types, or the first field that is not of its own.
// Invariant: whoever reads such a column, as whatever it is asked for, gets no field that is not of the type.

// errStray is the cause of errors about such a field.
var errStray = errors.New("a field is not of the type that is said")

// declared is the type that an option gives a column.
type declared struct {
	want    Want // its kind and meaning
	most    bool // a Decimal with as many places as the field with most has
	dialect *dialect
}

func (d *declared) String() string {
	switch {
	case d.most:
		return "Decimal"
	case d.want.Means.Sort != meaning.None:
		return d.want.Means.String()
	}
	return d.want.Kind.String()
}

// declaredTypes are examples of all, for who misspells one.
var declaredTypes = []string{"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "Str", "Date", "Time", "Timestamp", "Duration", "Decimal"}

// declaration reads price:Decimal<10,2>.
func declaration(text string) (column string, d *declared, err error) {
	at := strings.LastIndexByte(text, ':')
	e := &Error{Row: -1, Help: "write a column, a colon and its type: ?types=price:Decimal<10,2>,left:Time,zip:i64"}
	if at <= 0 {
		e.Msg = fmt.Sprintf("the option `types` has %q, expected a column and its type", text)
		return "", nil, e
	}
	column, d = text[:at], declaredType(text[at+1:])
	if d == nil {
		e.Msg = fmt.Sprintf("the option `types` has %q for `%s`, expected a type", text[at+1:], column)
		e.Help = "types are " + listed(declaredTypes) + "; also Timestamp<ms>, Duration<s> and Decimal<10,2>, and whether fields are empty is found"
		if near := diag.Nearest(text[at+1:], declaredTypes); near != "" {
			e.Help = fmt.Sprintf("did you mean `%s`? %s", near, e.Help)
		}
		return "", nil, e
	}
	return column, d, nil
}

// declaredType is the type that a program writes so; nil if text is read as none such.
func declaredType(text string) *declared {
	name := strings.ReplaceAll(text, " ", "")
	if k, ok := num.ParseKind(name); ok {
		return &declared{want: Want{Kind: k}}
	}
	d := &declared{most: name == "Decimal"}
	switch name {
	case "Decimal":
		name = fmt.Sprintf("Decimal<%d,0>", meaning.MaxDigits)
	case "Timestamp", "Duration":
		name += "<us>"
	}
	m, ok := meaning.Named(strings.Replace(name, ",", ", ", 1))
	if !ok || m.Sort == meaning.Decimal && m.Digits == 0 || m.Sort == meaning.Time && m.Unit != meaning.Micro {
		return nil
	}
	d.want = Want{Kind: kindOfMeaning(m), Means: m}
	return d
}

// declarations splits what stands behind types= at the commas that are in no type.
func declarations(text string) (list []string) {
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '<':
			depth++
		case '>':
			depth--
		case ',':
			if depth == 0 {
				list, from = append(list, text[from:i]), i+1
			}
		}
	}
	return append(list, text[from:])
}

// declare gives columns the types that options say, and columns of text that they are such.
func (s *csvFile) declare() error {
	s.declared = make([]*declared, len(s.cols))
	for _, text := range s.input.opt.Types {
		name, d, err := declaration(text)
		if err != nil {
			err.(*Error).Path = s.input.path
			return err
		}
		i, err := Lookup(s, name)
		if err != nil {
			return err
		}
		other := ""
		switch {
		case s.declared[i] != nil:
			other = "?types= gives it two types"
		case s.forced[i]:
			other = "?text= says that it is text, and ?types= that it is " + d.String()
		case s.number[i]:
			other = "?number= says that it is numbers, and ?types= that it is " + d.String()
		}
		if other != "" {
			e := columnError(s.input.path, &s.cols[i], other)
			e.Help = "leave one of them out"
			return e
		}
		d.dialect = s.dialect
		s.declared[i] = d
	}
	for i, d := range s.declared {
		s.forced[i] = s.forced[i] || d != nil && d.want.Means.Sort == meaning.Text
	}
	return nil
}

// typing is the type that an option gives column i; nil if none does, or it is text.
func (s *csvFile) typing(i int) *declared {
	if s.forced[i] {
		return nil
	}
	return s.declared[i]
}

// Declared reports that ?types= says what a column of text is.
func Declared(src Source, column int) bool {
	var found []csvFound
	switch s := src.(type) {
	case *list:
		found = s.found
	case untyped:
		found = s.looks()
	}
	return column < len(found) && found[column].declared != nil
}

// SayType is the option that gives a column a type.
func SayType(column, typ string) string {
	return "?types=" + optionText(column) + ":" + strings.ReplaceAll(typ, " ", "")
}

// kind is what fields are stored as, and the name of that: what has a meaning is read as integers only where it is asked for.
func (d *declared) kind() (num.Kind, string) {
	switch k := d.want.Kind; {
	case d.want.Means.Sort != meaning.None:
		return num.Invalid, strings.ToLower(d.want.Means.Sort.String()) + "s"
	case k == num.Bool:
		return k, "true and false"
	case k.IsInt():
		return k, "integers"
	}
	return d.want.Kind, "numbers"
}

// refuses says what is wrong with a field that has something, "" if it is of the type.
func (d *declared) refuses(field []byte) string {
	if d.most {
		if (&exactNumbers{}).look(field) {
			return meaning.Malformed
		}
		return ""
	}
	var value [1]uint64
	to := csvTarget{d.want, Dest{Values: bytesOf(value[:])}}
	return to.store(field, 0)
}

// explain says what is wrong with a field as the file has it.
func (d *declared) explain(e *Error, raw string) {
	text := []byte(raw)
	if d.dialect.rewrites {
		text = trimBlanks(d.dialect.rewritten(text, new([]byte)))
	}
	if d.most {
		e.Msg = fmt.Sprintf("expected a decimal of at most %d digits, without an exponent, found %q", meaning.MaxDigits, shortened(raw))
	} else {
		explain(e, d.want, raw, d.refuses(text))
	}
	e.Help = ""
	switch m := d.want.Means; {
	case !d.dated():
		if !m.IsTime() && d.want.Kind != num.Bool && sortsOf([]byte(raw))&csvText != 0 {
			e.Help = csvNumberHelp(raw)
		}
	case d.dialect.date != nil:
		d.dialect.date.expect(e)
	default:
		e.Help = dateHelp(unfitForms(0, []byte(raw)))
	}
	e.Msg += "; ?types= says " + d.String()
	e.Help = cmp.Or(csvWordHelp(e.Column, raw), e.Help, "mend the field, leave it empty where a value is missing, or say another type, as "+SayType(e.Column, "Str"))
}

func (d *declared) dated() bool {
	return slices.Contains([]meaning.Sort{meaning.Date, meaning.Timestamp}, d.want.Means.Sort)
}

// gives reports that a field of the type can be read as what w wants, to the same value.
func (d *declared) gives(w Want) bool {
	switch is := d.want; {
	case w.Presence:
		return true
	case d.most:
		return w.Means.Sort == meaning.Decimal
	case is.Means.Sort != meaning.None || w.Means.Sort != meaning.None:
		_, ok := is.Means.To(w.Means)
		return ok && w.Means.Sort != meaning.None && (is.Means.Sort != meaning.None || is.Kind.IsInt())
	default:
		return is.Kind == w.Kind || is.Kind.IsInt()
	}
}

// checkDeclared is checkWant for a column with a type of ?types=.
func (s *csvFile) checkDeclared(d *declared, w Want) error {
	if f := &s.found[w.Column]; f.has(csvOdd) {
		return f.conflict(s.input.path, Called(s, w.Column))
	}
	if d.gives(w) || d.most && s.cols[w.Column].Unknown { // without a value it is whatever is asked for
		return nil
	}
	expected := (&declared{want: w}).String()
	e := columnError(s.input.path, &s.cols[w.Column], fmt.Sprintf("expected %s, found %s, as ?types= says", expected, d))
	e.Help = fmt.Sprintf("declare it as %s, or say that it is the other: %s", cmp.Or(s.found[w.Column].decimalName(), d.String()), SayType(Called(s, w.Column), expected))
	return e
}

// decimalName is the Decimal of a column for which the places are found; "" of others.
func (f *csvFound) decimalName() string {
	if f.declared == nil || !f.declared.most {
		return ""
	}
	return f.decimal().String()
}

// exactNumbers is what the numbers of a column have been so far.
type exactNumbers struct {
	whole, places int // most digits before a point, without zeros at the beginning, and behind it
}

// look takes in a field; it reports one that is no decimal.
func (x *exactNumbers) look(field []byte) (odd bool) {
	if len(field) > 0 && (field[0] == '-' || field[0] == '+') {
		field = field[1:]
	}
	whole, places, point, digits := 0, 0, false, 0
	for _, c := range field {
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c-'0' > 9:
			return true // an exponent, NaN, or a word
		case point:
			places++
		case whole > 0 || c != '0':
			whole++
		}
		digits++
	}
	if digits == 0 || whole+places > meaning.MaxDigits {
		return true
	}
	x.whole, x.places = max(x.whole, whole), max(x.places, places)
	return false
}

func (x *exactNumbers) join(y exactNumbers) {
	x.whole, x.places = max(x.whole, y.whole), max(x.places, y.places)
}

// strays reports a field that is not of the type that an option says.
func (f *csvFound) strays(field []byte) bool {
	switch {
	case f.declared == nil || f.forced:
		return false
	case f.declared.most:
		return f.exact.look(field)
	}
	return f.declared.refuses(field) != ""
}

// valued reports that some field has a value.
func (f *csvFound) valued() bool { return f.seen&^(csvMissing|csvAbsent) != 0 }

// settled reports a column whose type an option says: a Decimal of which the places are to be found is none as long as it has no value.
func (f *csvFound) settled() bool {
	return f.declared != nil && !f.forced && (!f.declared.most || f.valued())
}

// astray reports a column of which some field is not of the type, or that no Decimal holds.
func (f *csvFound) astray() bool {
	return f.settled() && (f.has(csvOdd) || f.declared.most && f.exact.whole+f.exact.places > meaning.MaxDigits)
}

// decimal is the Decimal of the most places. It has all digits that one can have, so that rows that are added may be larger.
func (f *csvFound) decimal() meaning.Meaning {
	return meaning.Meaning{Sort: meaning.Decimal, Digits: meaning.MaxDigits, Places: uint8(f.exact.places)}
}

// means is what a settled column stands for.
func (f *csvFound) means() meaning.Meaning {
	if f.declared.most {
		return f.decimal()
	}
	return f.declared.want.Means
}

// stray says which field is not of the type.
func (f *csvFound) stray(e *Error) {
	e.Err = errStray
	if !f.has(csvOdd) {
		e.Msg = fmt.Sprintf("expected decimals of at most %d digits together, as ?types= says, found up to %d before the point and %d behind it", meaning.MaxDigits, f.exact.whole, f.exact.places)
		e.Help = "say another type, as " + SayType(e.Column, "f64") + ", which rounds"
		return
	}
	at := f.at(csvOdd)
	e.Path, e.Line, e.Col = at.path, at.line, at.col
	f.declared.explain(e, at.text)
}
