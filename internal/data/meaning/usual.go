package meaning

// In: a timestamp as programs write nearly all: 2001-03-14T08:30:00, or with a space, with or without Z. Out: what clock makes of it, in a third of the
// time. All else, what is wrong included, is the clock's.

// usualDays are the days that each month has: the clock looks at the others.
const usualDays = 28

// usual reads such a timestamp; false if it is none.
func usual(b []byte, u Unit) (v int64, ok bool) {
	if len(b) == 20 && b[19] == 'Z' {
		b = b[:19]
	}
	if len(b) != 19 || b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	century, year, month, day := pair(b[0], b[1]), pair(b[2], b[3]), pair(b[5], b[6]), pair(b[8], b[9])
	hour, minute, second := pair(b[11], b[12]), pair(b[14], b[15]), pair(b[17], b[18])
	year += century * 100
	if year-1 > 9998 || month-1 > 11 || day-1 > usualDays-1 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	days := usualDay(year, month, day)
	perSecond := 1e9 / u.Nanos()
	return mulAdd(days*86400, perSecond, int64(hour*3600+minute*60+second)*perSecond)
}

// beforeMonth are the days of a year that begins in March before each month.
var beforeMonth = [13]int64{1: 306, 2: 337, 3: 0, 4: 31, 5: 61, 6: 92, 7: 122, 8: 153, 9: 184, 10: 214, 11: 245, 12: 275}

// usualDay is Days, of a year above 0.
func usualDay(year, month, day uint) int64 {
	if month <= 2 {
		year--
	}
	return int64(365*year+year/4-year/100+year/400+day) + beforeMonth[month] - 719469
}

// pair is the number of two digits; more than any if they are none.
func pair(tens, ones byte) uint {
	if tens-'0' > 9 || ones-'0' > 9 {
		return 1 << 20
	}
	return uint(tens-'0')*10 + uint(ones-'0')
}
