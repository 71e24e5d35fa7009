package data

import (
	"errors"
	"math"
	"strconv"
	"unsafe"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Why a field is refused; "" if it is not.
const (
	csvNull   = "null"
	csvRange  = "out of range"
	csvHuge   = "too large"
	csvSyntax = "not such a value"
	csvExact  = "an integer that the float is not"
)

// store parses a field as what is wanted and puts it into its row.
func (t *csvTarget) store(field []byte, row int64) string {
	if len(field) == 0 || field[0] <= ' ' || field[len(field)-1] <= ' ' {
		if field = trimBlanks(field); len(field) == 0 {
			return t.storeNull(row)
		}
	}
	if t.want.Option {
		t.dst.Valid[row] = 1
	}
	if t.want.Presence {
		return ""
	}
	switch k := t.want.Kind; {
	case t.want.Means.Sort != meaning.None:
		return t.storeMeant(field, row)
	case k == num.F64:
		v, msg := parseFloat64(field)
		view[float64](t.dst.Values)[row] = v
		return msg
	case k == num.F32:
		v, msg := parseFloat32(field)
		view[float32](t.dst.Values)[row] = v
		return msg
	case k == num.U64 && t.want.Bound == 0:
		v, msg := parseUint(field)
		view[uint64](t.dst.Values)[row] = v
		return msg
	case k == num.Bool:
		v, ok := parseBool(field)
		t.dst.Values[row] = v
		if !ok {
			return csvSyntax
		}
		return ""
	}
	return t.storeInt(field, row)
}

// storeMeant parses a date, a time or a decimal. What is wrong is said in words.
func (t *csvTarget) storeMeant(field []byte, row int64) string {
	v, why := t.want.Means.Parse(field)
	if why == "" {
		column.Put(t.want.Kind, t.dst.Values, row, uint64(v))
	}
	return why
}

func (t *csvTarget) storeInt(field []byte, row int64) string {
	v, msg := parseInt(field)
	if msg != "" {
		return msg
	}
	if t.want.Kind == num.I64 && t.want.Bound == 0 {
		view[int64](t.dst.Values)[row] = v
		return ""
	}
	if !fits(v, t.want.Kind) || t.want.Bound > 0 && uint64(v) >= uint64(t.want.Bound) {
		return csvRange
	}
	switch t.want.Kind.Size() {
	case 1:
		t.dst.Values[row] = byte(v)
	case 2:
		view[uint16](t.dst.Values)[row] = uint16(v)
	case 4:
		view[uint32](t.dst.Values)[row] = uint32(v)
	default:
		view[uint64](t.dst.Values)[row] = uint64(v)
	}
	return ""
}

func (t *csvTarget) storeNull(row int64) string {
	if !t.want.Option {
		return csvNull
	}
	n := int64(t.want.Kind.Size())
	clear(t.dst.Values[row*n : (row+1)*n])
	t.dst.Valid[row] = 0
	return ""
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// textOf is b as a string that lives no longer than b.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func parseInt(b []byte) (int64, string) {
	digits, negative := b, false
	if len(b) > 1 && (b[0] == '-' || b[0] == '+') {
		negative, digits = b[0] == '-', b[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return parseLongInt(b)
	}
	v := int64(0)
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return 0, csvSyntax
		}
		v = v*10 + int64(c)
	}
	if negative {
		v = -v
	}
	return v, ""
}

func parseLongInt(b []byte) (int64, string) {
	v, err := strconv.ParseInt(textOf(b), 10, 64)
	return v, numberProblem(err, csvRange)
}

func parseUint(b []byte) (uint64, string) {
	if b[0] == '-' {
		if _, msg := parseInt(b); msg == csvSyntax {
			return 0, csvSyntax
		}
		return 0, csvRange
	}
	if b[0] == '+' && len(b) > 1 {
		b = b[1:]
	}
	v, err := strconv.ParseUint(textOf(b), 10, 64)
	return v, numberProblem(err, csvRange)
}

func numberProblem(err error, rangeMsg string) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, strconv.ErrRange):
		return rangeMsg
	}
	return csvSyntax
}

func parseBool(b []byte) (byte, bool) {
	switch string(b) {
	case "true", "True", "TRUE", "1":
		return 1, true
	case "false", "False", "FALSE", "0":
		return 0, true
	}
	return 0, false
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// plainDecimal reads digits with at most one point: ±mantissa / 10^places.
func plainDecimal(b []byte) (mantissa uint64, places int, negative, ok bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	point := -1
	if len(b) > 18 {
		return 0, 0, false, false
	}
	for i, c := range b {
		if c == '.' && point < 0 {
			point = i
			continue
		}
		if c -= '0'; c > 9 {
			return 0, 0, false, false
		}
		mantissa = mantissa*10 + uint64(c)
	}
	if point >= 0 {
		places = len(b) - 1 - point
	}
	return mantissa, places, negative, len(b) > 1 || len(b) == 1 && point < 0
}

// parseFloat64 is correctly rounded: the quotient of two exact floats is. A number
// without point and exponent is an integer, and no float is put in its place.
func parseFloat64(b []byte) (float64, string) {
	if m, places, negative, ok := plainDecimal(b); ok && m < 1<<53 {
		v := float64(m) / powersOfTen[places]
		if negative {
			v = -v
		}
		return v, ""
	}
	return slowFloat(b, 64)
}

func parseFloat32(b []byte) (float32, string) {
	if m, places, negative, ok := plainDecimal(b); ok && m < 1<<24 && places <= 10 {
		v := float32(m) / float32(powersOfTen[places])
		if negative {
			v = -v
		}
		return v, ""
	}
	v, msg := slowFloat(b, 32)
	return float32(v), msg
}

// integerDigits are the digits of an integer without leading zeros; nil for anything else.
func integerDigits(b []byte) []byte {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return nil
		}
	}
	for len(b) > 1 && b[0] == '0' {
		b = b[1:]
	}
	return b
}

// slowFloat leaves out the hexadecimal forms that strconv would read, and refuses a float
// that is not the integer b, if b is one.
func slowFloat(b []byte, bits int) (float64, string) {
	for _, c := range b {
		if c == 'x' || c == 'X' || c == '_' {
			return math.NaN(), csvSyntax
		}
	}
	v, err := strconv.ParseFloat(textOf(b), bits)
	if digits := integerDigits(b); err == nil && digits != nil && strconv.FormatFloat(math.Abs(v), 'f', 0, 64) != string(digits) {
		return v, csvExact
	}
	return v, numberProblem(err, csvHuge)
}
