package diag

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

// Prose is a number as sentences have it: 3,000,000.
func Prose(n int64) string { return grouped(n, ",") }

// Literal is a number as programs have it: 4096, 3_000_000.
func Literal(n int64) string {
	if n < 10_000 {
		return strconv.FormatInt(n, 10)
	}
	return grouped(n, "_")
}

// Counted is "1 row", "2 rows".
func Counted(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Prose(n) + " " + word + "s"
}
