package meaning

import (
	"fmt"
	"math"
	"math/bits"
)

// Parse reads a value as text has it. why says what is wrong: in words, or Malformed where the
// text is of another form. The hour of a Timestamp may have an offset, which is taken off; one
// without is in UTC.
func (m Meaning) Parse(b []byte) (v int64, why string) {
	switch m.Sort {
	case Date:
		return parseDate(b)
	case Time:
		p := &clock{rest: b}
		v = p.time(m.Unit)
		if why = p.end(); why != "" {
			v = 0
		}
		return v, why
	case Timestamp:
		return parseTimestamp(b, m.Unit)
	case Duration:
		return parseDuration(b, m.Unit)
	case Decimal:
		return m.parseDecimal(b)
	}
	return 0, Malformed
}

// Malformed says that a text has not the form of Meaning.Form.
const Malformed = "malformed"

// clock reads the parts of a date or time, and keeps the first thing that is wrong.
type clock struct {
	rest []byte
	why  string
}

func (p *clock) fail(why string) {
	if p.why == "" {
		p.why = why
	}
}

func (p *clock) end() string {
	if len(p.rest) > 0 {
		p.fail(Malformed)
	}
	return p.why
}

func (p *clock) take(c byte) bool {
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *clock) want(c byte) {
	if !p.take(c) {
		p.fail(Malformed)
	}
}

// two reads two digits.
func (p *clock) two() int {
	if len(p.rest) < 2 || p.rest[0]-'0' > 9 || p.rest[1]-'0' > 9 {
		p.fail(Malformed)
		return 0
	}
	n := int(p.rest[0]-'0')*10 + int(p.rest[1]-'0')
	p.rest = p.rest[2:]
	return n
}

// digits reads up to most digits.
func (p *clock) digits(most int) (v int64, n int) {
	for n < len(p.rest) && n < most && p.rest[n]-'0' <= 9 {
		v = v*10 + int64(p.rest[n]-'0')
		n++
	}
	p.rest = p.rest[n:]
	return v, n
}

// date reads YYYY-MM-DD; a year of more digits, or before 0, has a sign.
func (p *clock) date() int64 {
	negative, signed := p.take('-'), false
	if !negative {
		signed = p.take('+')
	}
	y, n := p.digits(11) // so that seconds are an int64
	if n < 4 || n > 4 && !negative && !signed {
		p.fail(Malformed)
	}
	if negative {
		y = -y
	}
	p.want('-')
	m := p.two()
	p.want('-')
	d := p.two()
	if p.why != "" {
		return 0
	}
	switch {
	case m < 1 || m > 12:
		p.fail(fmt.Sprintf("there is no month %02d", m))
		return 0
	case d < 1 || d > monthDays(y, m):
		p.fail(fmt.Sprintf("month %d of %04d has no day %02d", m, y, d))
		return 0
	}
	return Days(y, m, d)
}

func parseDate(b []byte) (int64, string) {
	p := &clock{rest: b}
	v := p.date()
	if why := p.end(); why != "" {
		return 0, why
	}
	if v != int64(int32(v)) {
		return 0, "a date reaches from -5877641-06-23 to +5881580-07-11"
	}
	return v, ""
}

// time reads hh:mm, seconds and a fraction that the unit holds, as units since midnight.
func (p *clock) time(u Unit) int64 {
	h := p.two()
	p.want(':')
	m := p.two()
	s, frac := 0, int64(0)
	if p.take(':') {
		s = p.two()
		if p.take('.') || p.take(',') {
			frac = p.fraction(u)
		}
	}
	if p.why == "" && (h > 23 || m > 59 || s > 59) {
		p.fail(fmt.Sprintf("there is no time %02d:%02d:%02d", h, m, s))
	}
	return int64(h*3600+m*60+s)*(1e9/u.Nanos()) + frac
}

// fraction reads the digits behind a second's point, in the unit.
func (p *clock) fraction(u Unit) int64 {
	v, n := p.digits(9)
	for len(p.rest) > 0 && p.rest[0] == '0' {
		p.rest = p.rest[1:] // nothing is lost
	}
	if n == 0 {
		p.fail(Malformed)
		return 0
	}
	if len(p.rest) > 0 && p.rest[0]-'0' <= 9 {
		p.fail("it has more digits than nanoseconds")
		return 0
	}
	v *= pow10[9-n]
	if v%u.Nanos() != 0 {
		p.fail("it has more digits than " + u.String() + " holds")
		return 0
	}
	return v / u.Nanos()
}

// offset reads Z or ±hh:mm, in seconds.
func (p *clock) offset() int64 {
	if len(p.rest) == 0 || p.take('Z') || p.take('z') {
		return 0
	}
	sign := int64(1)
	if p.take('-') {
		sign = -1
	} else if !p.take('+') {
		p.fail(Malformed)
		return 0
	}
	h, m := p.two(), 0
	if p.take(':') || len(p.rest) > 0 {
		m = p.two()
	}
	if h > 23 || m > 59 {
		p.fail(fmt.Sprintf("there is no offset %02d:%02d", h, m))
	}
	return sign * int64(h*3600+m*60)
}

func parseTimestamp(b []byte, u Unit) (int64, string) {
	if v, ok := usual(b, u); ok {
		return v, ""
	}
	return parseSlowly(b, u)
}

// parseSlowly reads a timestamp in any form.
func parseSlowly(b []byte, u Unit) (int64, string) {
	p := &clock{rest: b}
	days, clockTime, offset := p.date(), int64(0), int64(0)
	if p.take('T') || p.take('t') || p.take(' ') {
		clockTime = p.time(u)
		p.take(' ')
		offset = p.offset()
	}
	if why := p.end(); why != "" {
		return 0, why
	}
	perSecond := 1e9 / u.Nanos()
	v, ok := mulAdd(days*86400-offset, perSecond, clockTime)
	if !ok {
		return 0, "it is too far away to be counted in " + u.String()
	}
	return v, ""
}

// mulAdd is a*b + c; false if that is no int64. b and c are not negative.
func mulAdd(a, b, c int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		// The least of all is one less than its negative: c may bring it back.
		if hi == 0 && a < 0 && lo-uint64(c) <= 1<<63 && uint64(c) <= lo {
			return -int64(lo - uint64(c)), true
		}
		return 0, false
	}
	v := int64(lo)
	if a < 0 {
		v = -v
	}
	return v + c, v <= math.MaxInt64-c
}

// durationUnits are those of text, with their nanoseconds.
var durationUnits = []struct {
	name  string
	nanos int64
}{
	{"days", dayNanos}, {"day", dayNanos}, {"min", 60e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"h", 3600e9}, {"s", 1e9},
	{"d", dayNanos},
}

// IsDurationSuffix reports that text behind digits makes a duration of them.
func IsDurationSuffix(s string) bool {
	_, why := parseDuration([]byte("1"+s), Nano)
	return s != "" && why != Malformed
}

// parseDuration reads 1h30min, the ISO form PT1H30M, or a clock: [D days ]hh:mm:ss.
func parseDuration(b []byte, u Unit) (int64, string) {
	text, sign := b, int64(1)
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	var sum span
	sum.unit = u
	switch {
	case len(text) == 0:
		return 0, Malformed
	case text[0] == 'P' || text[0] == 'p':
		sum.iso(text[1:])
	default:
		sum.parts(text)
	}
	if sum.why != "" {
		return 0, sum.why
	}
	return sign * sum.total, ""
}

// span adds parts of a duration up.
type span struct {
	unit  Unit
	total int64
	why   string
}

func (s *span) add(n, nanos int64) {
	per := s.unit.Nanos()
	if s.why != "" {
		return
	}
	hi, lo := bits.Mul64(uint64(n), uint64(nanos))
	if hi >= uint64(per) {
		s.why = "it is too long to be counted in " + s.unit.String()
		return
	}
	q, rest := bits.Div64(hi, lo, uint64(per))
	switch {
	case rest != 0:
		s.why = "it is no whole number of " + s.unit.String()
	case q > uint64(math.MaxInt64-s.total):
		s.why = "it is too long to be counted in " + s.unit.String()
	default:
		s.total += int64(q)
	}
}

// parts reads 2h30min; the last part may be a clock.
func (s *span) parts(text []byte) {
	for len(text) > 0 {
		p := &clock{rest: text}
		n, digits := p.digits(18)
		if digits == 0 {
			s.why = Malformed
			return
		}
		if len(p.rest) > 0 && p.rest[0] == ':' {
			s.clock(text)
			return
		}
		frac, scale := int64(0), int64(1)
		if p.take('.') {
			f, k := p.digits(9)
			if k == 0 {
				s.why = Malformed
				return
			}
			frac, scale = f, pow10[k]
		}
		for p.take(' ') {
		}
		unit := int64(0)
		for _, u := range durationUnits {
			if len(p.rest) >= len(u.name) && string(p.rest[:len(u.name)]) == u.name {
				unit, p.rest = u.nanos, p.rest[len(u.name):]
				break
			}
		}
		if unit == 0 {
			s.why = Malformed
			return
		}
		s.add(n, unit)
		if part := frac * (unit / scale); unit%scale != 0 && frac != 0 {
			s.why = "it is no whole number of ns"
		} else {
			s.add(part, 1)
		}
		for p.take(' ') {
		}
		text = p.rest
	}
}

func (s *span) clock(text []byte) {
	p := &clock{rest: text}
	h, n := p.digits(9)
	p.want(':')
	rest := &clock{rest: append([]byte("00:"), p.rest...)}
	v := rest.time(s.unit)
	if why := rest.end(); n == 0 || p.why != "" || why != "" {
		s.why = Malformed
		if why != "" {
			s.why = why
		}
		return
	}
	s.add(h, 3600e9)
	s.add(v, s.unit.Nanos())
}

// iso reads what stands behind the P: days, and behind a T hours, minutes and seconds.
func (s *span) iso(text []byte) {
	clockPart, any := false, false
	for len(text) > 0 {
		if text[0] == 'T' || text[0] == 't' {
			clockPart, text = true, text[1:]
			continue
		}
		p := &clock{rest: text}
		n, digits := p.digits(18)
		frac := int64(0)
		if p.take('.') {
			f, k := p.digits(9)
			if k == 0 {
				digits = 0
			} else {
				frac = f * pow10[9-k]
			}
		}
		if digits == 0 || len(p.rest) == 0 {
			s.why = Malformed
			return
		}
		unit := int64(0)
		switch c := p.rest[0] | 0x20; {
		case c == 'd' && !clockPart:
			unit = dayNanos
		case c == 'w' && !clockPart:
			unit = 7 * dayNanos
		case c == 'h' && clockPart:
			unit = 3600e9
		case c == 'm' && clockPart:
			unit = 60e9
		case c == 's' && clockPart:
			unit = 1e9
		}
		if unit == 0 || frac != 0 && unit != 1e9 {
			s.why = Malformed
			return
		}
		s.add(n, unit)
		s.add(frac, 1)
		text, any = p.rest[1:], true
	}
	if !any {
		s.why = Malformed
	}
}

func (m Meaning) parseDecimal(b []byte) (int64, string) {
	p := &clock{rest: b}
	negative := p.take('-')
	if !negative {
		p.take('+')
	}
	v, seen, places, point := int64(0), 0, 0, false
	for ; len(p.rest) > 0; p.rest = p.rest[1:] {
		c := p.rest[0] - '0'
		switch {
		case p.rest[0] == '.' && !point:
			point = true
			continue
		case c > 9:
			return 0, Malformed
		}
		seen++
		if point {
			if places++; places > int(m.Places) {
				if c != 0 {
					return 0, fmt.Sprintf("it has more than %d digits behind the point", m.Places)
				}
				continue
			}
		}
		if v >= pow10[MaxDigits-1] { // one digit more would be 19
			return 0, m.tooWide()
		}
		v = v*10 + int64(c)
	}
	if seen == 0 {
		return 0, Malformed
	}
	for places < int(m.Places) {
		places++
		if v >= pow10[MaxDigits-1] {
			return 0, m.tooWide()
		}
		v *= 10
	}
	if !m.Fits(v) {
		return 0, m.tooWide()
	}
	if negative {
		v = -v
	}
	return v, ""
}

func (m Meaning) tooWide() string {
	return fmt.Sprintf("it has more than %d digits before the point", m.Digits-m.Places)
}
