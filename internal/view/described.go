package view

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// Described is what godwit describe shows.
type Described struct {
	Path    string            `json:"path"`
	Format  string            `json:"format"`
	Files   int               `json:"files,omitempty"`
	Rows    int64             `json:"rows"`
	Columns []DescribedColumn `json:"columns"`
	First   [][]string        `json:"first"`   // the first rows, values as texts
	Declare string            `json:"declare"` // what a program declares to read the columns
	Notes   []string          `json:"notes"`   // why columns are text that might be meant as numbers, and what to write
}

// DescribedColumn is a column. What was not found out is not there.
type DescribedColumn struct {
	Name     string `json:"name"`
	Type     string `json:"type"`   // to be declared; of what cannot be read the file's own name
	Stored   string `json:"stored"` // the file's own name of the type
	Nulls    *int64 `json:"nulls,omitempty"`
	Min      string `json:"min,omitempty"`
	Max      string `json:"max,omitempty"`
	Distinct *int64 `json:"distinct,omitempty"`
	More     bool   `json:"more,omitempty"` // there are more different values than Distinct
}

// Rows are first rows of a table.
type Rows struct {
	Columns []string   `json:"columns"`
	First   [][]string `json:"first"` // values as texts
	Rows    int64      `json:"rows"`  // of the whole table
}

// Description is for people; see Rows.Text for the room.
func Description(d *Described, room int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s\n", Shown(d.Path), Number(int(d.Rows), "row"), Number(len(d.Columns), "column"), d.Format)
	w := &table{}
	w.row("  column", "type", "nulls", "min", "max", "distinct")
	for _, c := range d.Columns {
		w.row("  "+nameText(c.Name), c.Type, numberText(c.Nulls, false), c.Min, c.Max, numberText(c.Distinct, c.More))
	}
	b.WriteString(trimmedLines(w.String()))
	if len(d.First) > 0 {
		r := &Rows{First: d.First, Rows: d.Rows}
		for _, c := range d.Columns {
			r.Columns = append(r.Columns, c.Name)
		}
		b.WriteString("\n" + r.Text(room))
	}
	if d.Declare != "" {
		b.WriteString("\n" + d.Declare + "\n")
	}
	for i, note := range d.Notes {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("note: " + Shown(note) + "\n")
	}
	return b.String()
}

// trimmedLines has no blanks at the ends of lines.
func trimmedLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

func nameText(name string) string {
	if name == "" {
		return "-"
	}
	return syntax.FieldText(name)
}

func numberText(n *int64, more bool) string {
	switch {
	case n == nil:
		return ""
	case more:
		return fmt.Sprintf("more than %d", *n)
	}
	return fmt.Sprint(*n)
}

// shownColumns is how many columns a line has.
const shownColumns = 20

// cellWidth is how much of a value is shown.
const cellWidth = 24

// Text is the rows for people, numbers to the right. Columns in the middle are left out where a terminal has only so much room;
// 0 is no terminal.
func (r *Rows) Text(room int) string {
	n := len(r.Columns)
	if room == 0 {
		n = min(n, shownColumns)
	}
	var lines [][]string
	for _, row := range append([][]string{r.Columns}, r.First...) {
		line := make([]string, n)
		for i := range n {
			if line[i] = row[i]; len(lines) == 0 {
				line[i] = nameText(row[i])
			}
			line[i] = cellText(line[i])
		}
		lines = append(lines, line)
	}
	wide, show := make([]int, n), make([]int, n)
	for i := range wide {
		show[i] = i
		for _, l := range lines {
			wide[i] = max(wide[i], utf8.RuneCountInString(l[i]))
		}
	}
	left := 0
	if room > 0 {
		show, left = value.Columns(wide, 2, room-2)
	}
	var b strings.Builder
	for _, l := range lines {
		for _, i := range show {
			if i < 0 {
				b.WriteString("  …")
				continue
			}
			b.WriteString("  " + strings.Repeat(" ", wide[i]-utf8.RuneCountInString(l[i])) + l[i])
		}
		b.WriteString("\n")
	}
	if more := len(r.Columns) - n; more > 0 {
		fmt.Fprintf(&b, "  and %s\n", Number(more, "column"))
	}
	if left > 0 {
		fmt.Fprintf(&b, "  … %d of %s are left out; --json shows all, and so does a wider terminal\n", left, Number(n, "column"))
	}
	if more := r.Rows - int64(len(r.First)); more > 0 {
		fmt.Fprintf(&b, "  … %s more\n", Number(int(more), "row"))
	}
	return b.String()
}

func cellText(s string) string {
	s = Shown(s)
	if r := []rune(s); len(r) > cellWidth {
		return string(r[:cellWidth-1]) + "…"
	}
	return s
}

// Converted writes what a conversion has written.
func Converted(out string, rows int64, columns []DescribedColumn, left []string) string {
	w := &table{}
	for _, c := range columns {
		w.row("  "+nameText(c.Name), c.Type, c.Stored)
	}
	for _, name := range left {
		w.row("  "+nameText(name), "left out")
	}
	return fmt.Sprintf("%s: %s, %s\n", Shown(out), Number(int(rows), "row"), Number(len(columns), "column")) + w.String()
}
