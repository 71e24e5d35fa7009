package compile

import "strconv"

// grouped writes a number with separators between thousands.
func grouped(n int64, sep string) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + sep + s[i:]
	}
	return s
}

// prose is a number as sentences have it: 3,000,000.
func prose(n int64) string { return grouped(n, ",") }

// source is a number as programs have it: 4096, 3_000_000.
func source(n int64) string {
	if n < 10_000 {
		return strconv.FormatInt(n, 10)
	}
	return grouped(n, "_")
}

// plural is "1 row", "2 rows".
func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return prose(n) + " " + word + "s"
}
