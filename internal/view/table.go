package view

import (
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/value"
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
	return value.Escaped(s, "")
}
