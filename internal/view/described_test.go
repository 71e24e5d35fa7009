package view

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// First rows fit a terminal, in which columns in the middle are left out; without one the first twenty columns are shown.
func TestRowsFit(t *testing.T) {
	r := &Rows{First: [][]string{{}}, Rows: 1}
	for i := range 30 {
		r.Columns = append(r.Columns, fmt.Sprintf("column_%d", i))
		r.First[0] = append(r.First[0], fmt.Sprint(i))
	}
	for _, room := range []int{40, 80, 200} {
		text := r.Text(room)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(line) - 1; n > room && !strings.Contains(line, "left out") {
				t.Errorf("at %d a line has %d signs: %s", room, n, line)
			}
		}
		if !strings.Contains(text, "column_0") || !strings.Contains(text, "column_29") || !strings.Contains(text, "of 30 columns are left out") {
			t.Errorf("at %d:\n%s", room, text)
		}
	}
	for room, last := range map[int]string{0: "column_19\n", 1000: "column_29\n"} {
		if text := r.Text(room); !strings.Contains(text, last) || strings.Contains(text, "…") {
			t.Errorf("at %d:\n%s", room, text)
		}
	}
}
