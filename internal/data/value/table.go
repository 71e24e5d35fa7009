package value

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// rows picks the elements of an array to show; -1 stands for those left out.
func (r *renderer) rows(n int64) []int64 {
	most := int64(r.opt.Rows)
	var rows []int64
	if n <= most {
		for i := range n {
			rows = append(rows, i)
		}
		return rows
	}
	back := most / 4
	for i := range most - back {
		rows = append(rows, i)
	}
	rows = append(rows, -1)
	for i := n - back; i < n; i++ {
		rows = append(rows, i)
	}
	return rows
}

// table renders an array of tuples: a line for each, its number first.
func (r *renderer) table(v view) string {
	t := v.t.Elem()
	head := []string{""}
	for i := range t.Elems {
		head = append(head, t.FieldName(i))
	}
	lines := [][]string{head}
	for _, i := range r.rows(v.len()) {
		cells := []string{"…"}
		if i >= 0 {
			cells[0] = fmt.Sprint(i)
		}
		for f := range t.Elems {
			cell := "…"
			if i >= 0 {
				cell = r.cell(v.elem(i).field(f))
			}
			cells = append(cells, cell)
		}
		lines = append(lines, cells)
	}
	return align(lines)
}

// cell is a field; text stands without quotes.
func (r *renderer) cell(v view) string {
	if v.t.Means.Sort == meaning.Text {
		return strings.Map(printable, v.words())
	}
	return r.within(v, r.opt.Width/2)
}

// printable keeps a cell on one line.
func printable(c rune) rune {
	if unicode.IsPrint(c) {
		return c
	}
	return ' '
}

// matrix renders an array of arrays: a line for each row, of which the
// columns in the middle are left out when they do not fit.
func (r *renderer) matrix(v view) string {
	if v.t.Elem().Elem().Kind == graph.Array || v.elem(0).len() == 0 {
		return r.list(v)
	}
	text := ""
	for _, most := range append([]int64{3 * edges[0]}, edges...) {
		var lines [][]string
		for _, i := range r.rows(v.len()) {
			if i < 0 {
				lines = append(lines, []string{"…"})
				continue
			}
			lines = append(lines, inlineItems(v.elem(i), most))
		}
		if text = align(lines); widest(text) <= r.opt.Width {
			break
		}
	}
	return text
}

// list renders an array one element a line.
func (r *renderer) list(v view) string {
	var b strings.Builder
	for _, i := range r.rows(v.len()) {
		if i < 0 {
			b.WriteString("…\n")
			continue
		}
		b.WriteString(r.line(v.elem(i)) + "\n")
	}
	return b.String()
}

func widest(text string) int {
	most := 0
	for line := range strings.Lines(text) {
		most = max(most, utf8.RuneCountInString(line)-1)
	}
	return most
}

// align sets cells in columns, to the right as numbers are.
func align(lines [][]string) string {
	var widths []int
	for _, cells := range lines {
		for j, c := range cells {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, cells := range lines {
		for j, c := range cells {
			if j > 0 {
				b.WriteString("  ")
			}
			b.WriteString(strings.Repeat(" ", widths[j]-utf8.RuneCountInString(c)) + c)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
