package view

import (
	"fmt"
	"slices"
	"strings"
)

// Diff writes the difference of two texts as patch(1) reads it; "" if there
// is none.
func Diff(name, before, after string, s Style) string {
	if before == after {
		return ""
	}
	edits := compareLines(lines(before), lines(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s (formatted)\n", name, name)
	for _, h := range hunks(edits) {
		h.write(&b, s)
	}
	return b.String()
}

func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

// edit is a line that stays (' '), goes ('-') or comes ('+').
type edit struct {
	op   byte
	text string
}

// compareLines finds a longest common subsequence, after what both texts
// have in common at their ends is set aside.
func compareLines(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, edit{' ', a[0]}), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append(tail, edit{' ', a[len(a)-1]}), a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(head, align(a, b), tail)
}

// align is the textbook table of longest common subsequences; without room
// for it, all of a goes and all of b comes.
func align(a, b []string) []edit {
	const room = 1 << 24
	var out []edit
	if len(a)*len(b) > room {
		return replaced(a, b)
	}
	best := make([][]int32, len(a)+1)
	for i := range best {
		best[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, edit{' ', a[i]})
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			out = append(out, edit{'-', a[i]})
			i++
		default:
			out = append(out, edit{'+', b[j]})
			j++
		}
	}
	return append(out, replaced(a[i:], b[j:])...)
}

func replaced(a, b []string) []edit {
	var out []edit
	for _, l := range a {
		out = append(out, edit{'-', l})
	}
	for _, l := range b {
		out = append(out, edit{'+', l})
	}
	return out
}

// hunk is a run of edits with up to three lines that stay around them.
type hunk struct {
	a, b  int // 0-based first lines
	edits []edit
}

const around = 3

func hunks(edits []edit) []hunk {
	keep := make([]bool, len(edits))
	for i, e := range edits {
		if e.op == ' ' {
			continue
		}
		for j := max(0, i-around); j <= min(len(edits)-1, i+around); j++ {
			keep[j] = true
		}
	}
	var out []hunk
	a, b := 0, 0
	for i, e := range edits {
		if keep[i] {
			if i == 0 || !keep[i-1] {
				out = append(out, hunk{a: a, b: b})
			}
			h := &out[len(out)-1]
			h.edits = append(h.edits, e)
		}
		if e.op != '+' {
			a++
		}
		if e.op != '-' {
			b++
		}
	}
	return out
}

func (h hunk) write(w *strings.Builder, s Style) {
	left, right := 0, 0
	for _, e := range h.edits {
		if e.op != '+' {
			left++
		}
		if e.op != '-' {
			right++
		}
	}
	head := fmt.Sprintf("@@ -%s +%s @@", span(h.a, left), span(h.b, right))
	w.WriteString(s.paint(cyan, head) + "\n")
	for _, e := range h.edits {
		text := string(e.op) + strings.TrimSuffix(e.text, "\n")
		switch e.op {
		case '-':
			text = s.paint(red, text)
		case '+':
			text = s.paint(green, text)
		}
		w.WriteString(text + "\n")
		if !strings.HasSuffix(e.text, "\n") {
			w.WriteString("\\ No newline at end of file\n")
		}
	}
}

// span is a hunk's place: of no lines it names the line before.
func span(first, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", first)
	}
	if n == 1 {
		return fmt.Sprint(first + 1)
	}
	return fmt.Sprintf("%d,%d", first+1, n)
}
