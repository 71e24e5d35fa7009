package meaning

import (
	"math"
	"strconv"
)

// Append writes a value as the language writes it, which Parse reads.
func (m Meaning) Append(b []byte, v int64) []byte {
	switch m.Sort {
	case Date:
		return appendDate(b, v)
	case Time:
		return appendTime(b, v, m.Unit)
	case Timestamp:
		perDay := dayNanos / m.Unit.Nanos()
		days := floor(v, perDay)
		b = append(appendDate(b, days), 'T')
		return append(appendTime(b, v-days*perDay, m.Unit), 'Z')
	case Duration:
		return appendDuration(b, v, m.Unit, false)
	case Decimal:
		return m.appendDecimal(b, v)
	}
	return strconv.AppendInt(b, v, 10)
}

// AppendISO is Append in the form that other programs read: durations as PT1H30M.
func (m Meaning) AppendISO(b []byte, v int64) []byte {
	if m.Sort == Duration {
		return appendDuration(b, v, m.Unit, true)
	}
	return m.Append(b, v)
}

func appendDate(b []byte, days int64) []byte {
	y, m, d := Civil(days)
	switch {
	case y < 0:
		b, y = append(b, '-'), -y
	case y > 9999:
		b = append(b, '+')
	}
	b = appendPadded(b, y, 4)
	b = appendPadded(append(b, '-'), int64(m), 2)
	return appendPadded(append(b, '-'), int64(d), 2)
}

func appendPadded(b []byte, v int64, width int) []byte {
	for n := int64(10); width > 1; width-- {
		if v < n {
			for ; width > 1; width-- {
				b = append(b, '0')
			}
			break
		}
		n *= 10
	}
	return strconv.AppendInt(b, v, 10)
}

// appendTime writes a time of day. What is none, as the greatest of no times, has more hours than a day, or a sign.
func appendTime(b []byte, v int64, u Unit) []byte {
	perSecond, n := uint64(1e9/u.Nanos()), uint64(v)
	if v < 0 {
		b, n = append(b, '-'), -n
	}
	s := int64(n / perSecond)
	b = appendPadded(b, s/3600, 2)
	b = appendPadded(append(b, ':'), s/60%60, 2)
	b = appendPadded(append(b, ':'), s%60, 2)
	return appendFraction(b, int64(n%perSecond)*u.Nanos())
}

// appendFraction writes nanoseconds behind a point, three digits at a time.
func appendFraction(b []byte, nanos int64) []byte {
	if nanos == 0 {
		return b
	}
	width := 9
	for nanos%1000 == 0 {
		nanos, width = nanos/1000, width-3
	}
	return appendPadded(append(b, '.'), nanos, width)
}

func appendDuration(b []byte, v int64, u Unit, iso bool) []byte {
	perSecond := uint64(1e9 / u.Nanos())
	n := uint64(v)
	if v < 0 {
		b, n = append(b, '-'), -n
	}
	s, nanos := n/perSecond, int64(n%perSecond)*u.Nanos()
	if iso {
		return appendISODuration(b, s, nanos)
	}
	start := len(b)
	part := func(n uint64, name string) {
		if n > 0 {
			b = append(strconv.AppendUint(b, n, 10), name...)
		}
	}
	part(s/86400, "day")
	part(s/3600%24, "h")
	part(s/60%60, "min")
	part(s%60, "s")
	part(uint64(nanos/1e6), "ms")
	part(uint64(nanos/1e3%1e3), "us")
	part(uint64(nanos%1e3), "ns")
	if len(b) == start {
		b = append(b, "0s"...)
	}
	return b
}

func appendISODuration(b []byte, s uint64, nanos int64) []byte {
	b = append(b, 'P')
	if s >= 86400 {
		b = append(strconv.AppendUint(b, s/86400, 10), 'D')
	}
	h, m, sec := s/3600%24, s/60%60, s%60
	if h+m+sec == 0 && nanos == 0 && s >= 86400 {
		return b
	}
	b = append(b, 'T')
	if h > 0 {
		b = append(strconv.AppendUint(b, h, 10), 'H')
	}
	if m > 0 {
		b = append(strconv.AppendUint(b, m, 10), 'M')
	}
	if sec > 0 || nanos > 0 || h+m == 0 {
		b = append(appendFraction(strconv.AppendUint(b, sec, 10), nanos), 'S')
	}
	return b
}

func (m Meaning) appendDecimal(b []byte, v int64) []byte {
	n := uint64(v)
	if v < 0 {
		b, n = append(b, '-'), -n
	}
	p := uint64(pow10[m.Places])
	b = strconv.AppendUint(b, n/p, 10)
	if m.Places == 0 {
		return b
	}
	return appendPadded(append(b, '.'), int64(n%p), int(m.Places))
}

// Float is a Decimal as the nearest float.
func (m Meaning) Float(v int64) float64 {
	x, err := strconv.ParseFloat(string(m.Append(nil, v)), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}
