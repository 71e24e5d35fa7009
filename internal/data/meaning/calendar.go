package meaning

// The Gregorian calendar, carried on before its beginning: days since 1970-01-01 and the year,
// month and day that they are. An era has 400 years, which all have the same days.

const eraDays = 146097

// Days is the number of a day; the month and day may be any that the calendar has.
func Days(y int64, m, d int) int64 {
	if m <= 2 {
		y--
	}
	era := floor(y, 400)
	yoe := y - era*400
	mp := int64((m + 9) % 12) // March is 0
	doy := (153*mp+2)/5 + int64(d) - 1
	return era*eraDays + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// Civil is the year, month and day of a number.
func Civil(days int64) (y int64, m, d int) {
	z := days + 719468
	era := floor(z, eraDays)
	doe := z - era*eraDays
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d = int(doy - (153*mp+2)/5 + 1)
	m = int(mp+2)%12 + 1
	y = yoe + era*400
	if m <= 2 {
		y++
	}
	return y, m, d
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// monthDays is how many days a month has.
func monthDays(y int64, m int) int {
	switch m {
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}
