package meaning

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var all = []Meaning{
	{Sort: Date}, {Sort: Time}, {Sort: Time, Unit: Nano}, {Sort: Timestamp}, {Sort: Timestamp, Unit: Second}, {Sort: Timestamp, Unit: Milli},
	{Sort: Timestamp, Unit: Nano}, {Sort: Duration}, {Sort: Duration, Unit: Second}, {Sort: Duration, Unit: Milli}, {Sort: Duration, Unit: Nano},
	{Sort: Decimal, Digits: 10, Places: 2}, {Sort: Decimal, Digits: 18, Places: 18}, {Sort: Decimal, Digits: 18}, {Sort: Decimal, Digits: 3, Places: 1},
}

// value draws one that the meaning has.
func value(t *rapid.T, m Meaning) int64 {
	switch m.Sort {
	case Date:
		return int64(rapid.Int32().Draw(t, "days"))
	case Time:
		return rapid.Int64Range(0, dayNanos/m.Unit.Nanos()-1).Draw(t, "time")
	case Decimal:
		return rapid.Int64Range(1-pow10[m.Digits], pow10[m.Digits]-1).Draw(t, "decimal")
	case Duration: // the least has no text of its own: its size is no int64
		return rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "duration")
	case Timestamp:
		if m.Unit == Second { // as far as years have twelve digits
			return rapid.Int64Range(-1e17, 1e17).Draw(t, "seconds")
		}
	}
	return rapid.Int64().Draw(t, "value")
}

func TestTextComesBack(t *testing.T) {
	for _, m := range all {
		rapid.Check(t, func(t *rapid.T) {
			v := value(t, m)
			for _, text := range [][]byte{m.Append(nil, v), m.AppendISO(nil, v)} {
				if got, why := m.Parse(text); got != v || why != "" {
					t.Fatalf("%s: %d is written %q, which is read as %d (%s)", m, v, text, got, why)
				}
			}
		})
	}
}

func TestCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.Int64Range(-1e6, 1e7).Draw(t, "days")
		want := time.Unix(days*86400, 0).UTC()
		y, m, d := Civil(days)
		if int(y) != want.Year() || m != int(want.Month()) || d != want.Day() {
			t.Fatalf("day %d is %d-%d-%d, expected %v", days, y, m, d, want)
		}
		if back := Days(y, m, d); back != days {
			t.Fatalf("%d-%d-%d is day %d, expected %d", y, m, d, back, days)
		}
	})
}

func TestParse(t *testing.T) {
	date, stamp, clock := Meaning{Sort: Date}, Meaning{Sort: Timestamp}, Meaning{Sort: Time}
	span, money := Meaning{Sort: Duration}, Meaning{Sort: Decimal, Digits: 6, Places: 2}
	for _, c := range []struct {
		m    Meaning
		text string
		want int64
		why  string
	}{
		{date, "1970-01-01", 0, ""},
		{date, "2001-03-14", 11395, ""},
		{date, "2000-02-29", 11016, ""},
		{date, "1900-02-29", 0, "month 2 of 1900 has no day 29"},
		{date, "2001-13-01", 0, "there is no month 13"},
		{date, "2001-3-14", 0, Malformed},
		{date, "14.03.2001", 0, Malformed},
		{date, "2001-03-14x", 0, Malformed},
		{date, "12001-03-14", 0, Malformed},
		{date, "+6000000-01-01", 0, "a date reaches from -5877641-06-23 to +5881580-07-11"},
		{stamp, "1970-01-01T00:00:01Z", 1e6, ""},
		{stamp, "1970-01-01 00:00:01", 1e6, ""},
		{stamp, "1970-01-01T02:00:00+02:00", 0, ""},
		{stamp, "1969-12-31T19:00:00-0500", 0, ""},
		{stamp, "1970-01-01T00:00:00.000001Z", 1, ""},
		{stamp, "1970-01-01T00:00:00.0000010000Z", 1, ""},
		{stamp, "1970-01-01T00:00:00.0000001Z", 0, "it has more digits than us holds"},
		{stamp, "1970-01-01", 0, ""},
		{stamp, "1970-01-01T24:00:00Z", 0, "there is no time 24:00:00"},
		{stamp, "+400000-01-01T00:00:00Z", 0, "it is too far away to be counted in us"},
		{clock, "08:30", 30600e6, ""},
		{clock, "23:59:59.999999", 86399999999, ""},
		{clock, "25:00:00", 0, "there is no time 25:00:00"},
		{span, "30min", 1800e6, ""},
		{span, "1h30min", 5400e6, ""},
		{span, "1.5h", 5400e6, ""},
		{span, "-250ms", -250e3, ""},
		{span, "PT1H30M", 5400e6, ""},
		{span, "P1DT0.5S", 86400500e3, ""},
		{span, "2 days 01:00:00", 49 * 3600e6, ""},
		{span, "01:00:00", 3600e6, ""},
		{span, "5", 0, Malformed},
		{span, "1ns", 0, "it is no whole number of us"},
		{span, "400000000days", 0, "it is too long to be counted in us"},
		{money, "12.5", 1250, ""},
		{money, "-0.01", -1, ""},
		{money, "9999.99", 999999, ""},
		{money, "10000", 0, "it has more than 4 digits before the point"},
		{money, "1.005", 0, "it has more than 2 digits behind the point"},
		{money, "1.5000", 150, ""},
		{money, "12a", 0, Malformed},
		{money, "", 0, Malformed},
		{money, "99999999999999999999999", 0, "it has more than 4 digits before the point"},
	} {
		got, why := c.m.Parse([]byte(c.text))
		if got != c.want || why != c.why {
			t.Errorf("%s %q is %d (%s), expected %d (%s)", c.m, c.text, got, why, c.want, c.why)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		m         Meaning
		v         int64
		text, iso string
	}{
		{Meaning{Sort: Date}, -719529, "-0001-12-31", "-0001-12-31"},
		{Meaning{Sort: Date}, math.MaxInt32, "+5881580-07-11", "+5881580-07-11"},
		{Meaning{Sort: Timestamp}, -1, "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"},
		{Meaning{Sort: Timestamp, Unit: Nano}, 1e6, "1970-01-01T00:00:00.001Z", "1970-01-01T00:00:00.001Z"},
		{Meaning{Sort: Duration}, 93784e6 + 5, "1day2h3min4s5us", "P1DT2H3M4.000005S"},
		{Meaning{Sort: Duration}, 0, "0s", "PT0S"},
		{Meaning{Sort: Duration, Unit: Second}, -86400, "-1day", "-P1D"},
		{Meaning{Sort: Decimal, Digits: 9, Places: 2}, -5, "-0.05", "-0.05"},
		{Meaning{Sort: Time}, math.MinInt64, "-2562047788:00:54.775808", "-2562047788:00:54.775808"},
	} {
		if got := string(c.m.Append(nil, c.v)); got != c.text {
			t.Errorf("%s %d is %s, expected %s", c.m, c.v, got, c.text)
		}
		if got := string(c.m.AppendISO(nil, c.v)); got != c.iso {
			t.Errorf("%s %d is %s, expected %s", c.m, c.v, got, c.iso)
		}
	}
}

func TestScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(all).Draw(t, "from"), rapid.SampledFrom(all).Draw(t, "to")
		s, ok := from.To(to)
		back, other := to.To(from)
		if ok != other {
			t.Fatalf("%s to %s is %v, back %v", from, to, ok, other)
		}
		if !ok {
			return
		}
		v := value(t, from)
		if w, fits := s.Rescale(v); fits {
			if u, again := back.Rescale(w); !again || u != v {
				t.Fatalf("%d of %s is %d of %s, and back %d", v, from, w, to, u)
			}
		}
	})
}
