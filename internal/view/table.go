package view

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// In: rows of cells, which hold names that anybody may have chosen. Out: text whose columns are
// aligned, of which no cell does anything to a terminal.

// most is to how many characters a cell is padded, and longest how many of it are shown.
const (
	most    = 48
	longest = 400
)

// table is rows of cells.
type table [][]string

func (t *table) row(cells ...string) { *t = append(*t, cells) }

// String aligns all columns but the last one of each row. A cell that is wider than most moves
// its own row alone.
func (t table) String() string {
	var wide []int
	for _, row := range t {
		for i, c := range row {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			row[i] = Shown(c)
			if i < len(row)-1 {
				wide[i] = max(wide[i], min(most, utf8.RuneCountInString(row[i])))
			}
		}
	}
	var b strings.Builder
	for _, row := range t {
		for i, c := range row {
			b.WriteString(c)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(0, wide[i]-utf8.RuneCountInString(c))+2))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Shown is text as it may be printed on one line: what does not print is written as in a Go
// string, and what is longer than anybody reads is cut. Ordinary text stays as it is.
func Shown(s string) string {
	if n := utf8.RuneCountInString(s); n > longest {
		s = string([]rune(s)[:longest]) + "…"
	}
	return escaped(s, "")
}

// escaped writes what does not print, and is none of keep, as in a Go string.
func escaped(s, keep string) string {
	harmless := func(r rune) bool { return unicode.IsPrint(r) || strings.ContainsRune(keep, r) }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !harmless(r) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || !harmless(r) {
			q := strconv.Quote(s[:n])
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
