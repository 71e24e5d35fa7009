package value

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// rows picks the elements of an array to show; -1 stands for those left out.
func (r *renderer) rows(n int64) []int64 {
	most := int64(r.opt.Rows)
	var rows []int64
	if n <= most+1 { // a line that stands for one row is no shorter
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
	if r.opt.Fit == "" {
		return align(lines)
	}
	return r.fitted(lines)
}

// fitted is align without the columns in the middle that the width has no room for.
func (r *renderer) fitted(lines [][]string) string {
	show, left := Columns(cellWidths(lines), 2, r.opt.Width)
	text := align(chosen(lines, show))
	if left > 0 {
		text += fmt.Sprintf("… %d of %d columns are left out; %s\n", left, len(lines[0])-1, r.opt.Fit)
	}
	return text
}

// Columns chooses columns of these widths, with gaps between them, that have room in a width: those at the beginning and, after a
// column of …, which is -1, those at the end, one at each end in any case. It says how many are left out.
func Columns(widths []int, gap, width int) (show []int, left int) {
	total := -gap
	for i, w := range widths {
		total += w + gap
		show = append(show, i)
	}
	if total <= width || len(widths) < 3 {
		return show, 0
	}
	front, back := 1, len(widths)-1
	have := widths[0] + gap + 1 + gap + widths[back]
	for back-front > 1 {
		next := front
		if 2*(len(widths)-back) < front { // two at the beginning for one at the end
			next = back - 1
		}
		if have += widths[next] + gap; have > width {
			break
		}
		if next == front {
			front++
		} else {
			back--
		}
	}
	return slices.Concat(show[:front], []int{-1}, show[back:]), back - front
}

// chosen are columns of a table, with … for -1.
func chosen(lines [][]string, show []int) (out [][]string) {
	for _, cells := range lines {
		var row []string
		for _, i := range show {
			if i < 0 {
				row = append(row, "…")
			} else {
				row = append(row, cells[i])
			}
		}
		out = append(out, row)
	}
	return out
}

// cell is a field; text stands without quotes, and the value of an Option without Some.
func (r *renderer) cell(v view) string {
	if v.t.Means.Sort == meaning.Text {
		return Escaped(v.words(), "")
	}
	if v.t.Kind == graph.Option {
		if !v.present() {
			return data.Null
		}
		return r.cell(v.inner())
	}
	return r.within(v, r.opt.Width/2)
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

func cellWidths(lines [][]string) (widths []int) {
	for _, cells := range lines {
		for j, c := range cells {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(c))
		}
	}
	return widths
}

// align sets cells in columns, to the right as numbers are.
func align(lines [][]string) string {
	widths := cellWidths(lines)
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
