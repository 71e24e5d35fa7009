// Package meaning says what a scalar stands for above its kind: a day, a time, a span of
// time, an exact decimal, or an entry of a dictionary of text.
//
// In: a meaning, and text or the integer that stands for it. Out: the other one. Kernels see
// the integer alone; who reads, checks and shows programs and values asks here.
package meaning

import (
	"fmt"
	"strings"
)

// Sort tells meanings apart.
type Sort uint8

const (
	None      Sort = iota
	Date           // i32: days since 1970-01-01
	Time           // i64: units since midnight
	Timestamp      // i64: units since 1970-01-01T00:00:00Z
	Duration       // i64: units
	Decimal        // i64: units of the last place
	Text           // an index into a sorted dictionary
)

var sortNames = [...]string{None: "number", Date: "Date", Time: "Time", Timestamp: "Timestamp", Duration: "Duration", Decimal: "Decimal", Text: "Str"}

func (s Sort) String() string { return sortNames[s] }

// Unit is what a time is counted in; the zero value is what programs mean that do not say.
type Unit uint8

const (
	Micro Unit = iota
	Second
	Milli
	Nano
)

var unitNames = [...]string{Micro: "us", Second: "s", Milli: "ms", Nano: "ns"}

func (u Unit) String() string { return unitNames[u] }

// Nanos is how many nanoseconds a unit has.
func (u Unit) Nanos() int64 { return [...]int64{Micro: 1e3, Second: 1e9, Milli: 1e6, Nano: 1}[u] }

// ParseUnit finds a unit by its name.
func ParseUnit(name string) (Unit, bool) {
	for u, n := range unitNames {
		if n == name {
			return Unit(u), true
		}
	}
	return 0, false
}

// MaxDigits is how many digits a Decimal may have: so many fit an i64, whatever they are.
const MaxDigits = 18

// Meaning is what a scalar stands for. The zero value is a plain number or bool.
type Meaning struct {
	Sort           Sort
	Unit           Unit  // of a Time, Timestamp or Duration
	Digits, Places uint8 // of a Decimal
	Dict           int   // of a Text: the number of its dictionary, from 1 on; 0 is any
}

// Bits is the width of the signed integer that stands for a value.
func (m Meaning) Bits() int {
	if m.Sort == Date {
		return 32
	}
	return 64
}

// String is the type as programs write it.
func (m Meaning) String() string {
	switch m.Sort {
	case Date:
		return "Date"
	case Time:
		if m.Unit == Micro {
			return "Time"
		}
		return "Time<" + m.Unit.String() + ">"
	case Timestamp:
		return "Timestamp<" + m.Unit.String() + ">"
	case Duration:
		return "Duration<" + m.Unit.String() + ">"
	case Decimal:
		return fmt.Sprintf("Decimal<%d, %d>", m.Digits, m.Places)
	case Text:
		return "Str"
	}
	return "a number"
}

// Named reads what String writes; ok is false for anything else. Text is of any dictionary.
func Named(name string) (m Meaning, ok bool) {
	word, args, more := strings.Cut(strings.TrimSuffix(name, ">"), "<")
	switch {
	case name == "Date":
		return Meaning{Sort: Date}, true
	case name == "Str":
		return Meaning{Sort: Text}, true
	case name == "Time":
		return Meaning{Sort: Time}, true
	case word == "Decimal":
		var digits, places uint8
		if _, err := fmt.Sscanf(args, "%d, %d", &digits, &places); err != nil {
			return m, false
		}
		m = Meaning{Sort: Decimal, Digits: digits, Places: places}
	case more:
		u, known := ParseUnit(args)
		sort := map[string]Sort{"Time": Time, "Timestamp": Timestamp, "Duration": Duration}[word]
		if !known || sort == None {
			return m, false
		}
		m = Meaning{Sort: sort, Unit: u}
	}
	return m, m.Sort != None && m.String() == name && m.Digits <= MaxDigits && m.Places <= m.Digits
}

// IsTime reports a day, a time or a span of time.
func (m Meaning) IsTime() bool { return m.Sort.IsTime() }

// IsTime reports a day, a time or a span of time.
func (s Sort) IsTime() bool { return s >= Date && s <= Duration }

// Form is an example of how values are written.
func (m Meaning) Form() string {
	switch m.Sort {
	case Date:
		return "a date such as 2001-03-14"
	case Time:
		return "a time such as 08:30:00"
	case Timestamp:
		return "a timestamp such as 2001-03-14T08:30:00Z"
	case Duration:
		return "a duration such as 1h30min"
	case Decimal:
		return "a decimal such as " + string(m.Append(nil, pow10[m.Places]*12/10))
	case Text:
		return "text"
	}
	return "a number"
}

const dayNanos = 24 * 3600 * int64(1e9)

// nanos is what one unit of a value is of a meaning that can be rescaled; 0 of any other.
func (m Meaning) nanos() int64 {
	switch m.Sort {
	case Date:
		return dayNanos
	case Time, Timestamp, Duration:
		return m.Unit.Nanos()
	}
	return 0
}

// Scale is how values change into another meaning: times Mul, then by Div, which must leave no rest.
type Scale struct{ Mul, Div int64 }

// Same reports that values stay what they are.
func (s Scale) Same() bool { return s.Mul == s.Div }

// To says how values of m become those of another meaning of the same thing; false if they are none.
func (m Meaning) To(to Meaning) (Scale, bool) {
	points := func(s Sort) bool { return s == Date || s == Timestamp }
	switch {
	case m.Sort == Decimal && to.Sort == Decimal:
		return ratio(pow10[to.Places], pow10[m.Places]), true
	case m.Sort == None && to.Sort == Decimal: // an integer
		return Scale{pow10[to.Places], 1}, true
	case m.Sort != to.Sort && !(points(m.Sort) && points(to.Sort)) || !m.IsTime():
		return Scale{}, false
	}
	return ratio(m.nanos(), to.nanos()), true
}

func ratio(a, b int64) Scale {
	if a >= b {
		return Scale{a / b, 1}
	}
	return Scale{1, b / a}
}

// Rescale applies a scale; false if there is a rest, or the result is no int64.
func (s Scale) Rescale(v int64) (int64, bool) {
	if s.Div > 1 {
		if v%s.Div != 0 {
			return 0, false
		}
		v /= s.Div
	}
	if s.Mul > 1 {
		p := v * s.Mul
		if p/s.Mul != v {
			return 0, false
		}
		v = p
	}
	return v, true
}

// Fits reports that a value is one of the meaning: a decimal has no more than its digits.
func (m Meaning) Fits(v int64) bool {
	switch m.Sort {
	case Date:
		return v == int64(int32(v))
	case Time:
		return v >= 0 && v < dayNanos/m.Unit.Nanos()
	case Decimal:
		return m.Digits > MaxDigits || v > -pow10[m.Digits] && v < pow10[m.Digits]
	}
	return true
}

var pow10 = func() (p [MaxDigits + 1]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// Power is 10 to the places of a Decimal.
func (m Meaning) Power() int64 { return pow10[m.Places] }
