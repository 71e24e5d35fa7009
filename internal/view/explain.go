package view

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/digest"
	"github.com/godwit-run/godwit/internal/front/compile"
)

// Explain writes an explanation for people, section by section.
func Explain(w io.Writer, e *compile.Explanation, s Style) error {
	p := &page{style: s}
	p.source(e)
	p.sizes(e)
	p.stages(e)
	p.folds(e)
	p.kernels(e)
	p.schedule(e)
	p.section("Strategy")
	for _, rule := range e.Strategy {
		p.wrap(rule)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// Head writes what a function is, and a note, if there is one.
func Head(w io.Writer, e *compile.Explanation, note string, s Style) error {
	p := &page{style: s}
	p.source(e)
	p.sizes(e)
	p.line("")
	if note != "" {
		p.wrap(note)
	}
	p.wrap("With --stages: the graph after each pass, the kernels with their bounds, and the schedule.")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// page collects text.
type page struct {
	b     strings.Builder
	style Style
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *page) section(title string) {
	if p.b.Len() > 0 {
		p.line("")
	}
	p.line("%s", p.style.paint(bold, title))
}

// indented writes text that brings its own lines.
func (p *page) indented(text, by string) {
	for line := range strings.Lines(text) {
		p.b.WriteString(by + strings.TrimRight(line, "\n") + "\n")
	}
}

// wrap sets prose in lines.
func (p *page) wrap(text string) {
	line := " "
	for _, word := range strings.Fields(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > 96 {
			p.line("%s", line)
			line = " "
		}
		line += " " + word
	}
	p.line("%s", line)
}

// table writes rows of cells in columns.
func (p *page) table(rows [][]string) {
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		line := ""
		for i, c := range r {
			line += "  " + c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
		}
		p.line("%s", strings.TrimRight(line, " "))
	}
}

func (p *page) source(e *compile.Explanation) {
	p.section("Function " + e.Function + " of " + e.File)
	if e.Doc != "" {
		p.indented(e.Doc, "  /// ")
	}
	p.line("  %s", e.Signature)
	for _, q := range e.Params {
		p.section("Argument " + q.Name + ": " + q.Type + at(q.Place) + ranged(q.Range))
		var rows [][]string
		for _, c := range q.Columns {
			used := ""
			if !c.Used {
				used = "not read"
			}
			rows = append(rows, []string{c.Path, c.Type, "× " + c.Length, c.From, used})
		}
		p.table(rows)
	}
	p.section("Result: " + e.Result.Type + at(e.Result.Place))
}

func ranged(r string) string {
	if r == "" {
		return ""
	}
	return " in " + r
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " @ " + place
}

func (p *page) sizes(e *compile.Explanation) {
	if len(e.Sizes) == 0 {
		return
	}
	p.section("Sizes")
	var rows [][]string
	for _, s := range e.Sizes {
		about := fmt.Sprintf("%d..=%d", s.Lo, s.Hi)
		if !s.Declared {
			about += " (not declared)"
		}
		if s.Expected > 0 {
			about += fmt.Sprintf(", expected %d", s.Expected)
		}
		value := ""
		if s.Value != nil {
			value = fmt.Sprintf("= %d: %s", *s.Value, s.From)
		}
		rows = append(rows, []string{s.Name, about, value})
	}
	p.table(rows)
}

func (p *page) stages(e *compile.Explanation) {
	before := ""
	for _, s := range e.Stages {
		p.section("Graph after " + s.Name)
		if s.Graph == before {
			p.line("  unchanged")
			continue
		}
		before = s.Graph
		p.indented(s.Graph, "  ")
	}
}

func (p *page) folds(e *compile.Explanation) {
	if len(e.Folds) == 0 {
		return
	}
	p.section("Laws of the folds")
	var rows [][]string
	for _, f := range e.Folds {
		rows = append(rows, []string{f.Operation + ":", f.Law})
	}
	p.table(rows)
}

func (p *page) kernels(e *compile.Explanation) {
	for _, k := range e.Kernels {
		p.section(fmt.Sprintf("Kernel %s, %d bytes: %s", digest.Cut(k.Hash), k.Bytes, k.Label))
		p.line("  outer indices: %s", k.Outer)
		if k.Steps != "" {
			p.line("  steps each:    at most %s", k.Steps)
		}
		p.list("sizes:", k.Sizes)
		p.list("folds:", k.Laws)
		p.list("walks:", k.Walks)
		p.list("memory:", k.Memory)
		p.indented(k.Text, "    ")
		if k.Assembly != "" {
			p.line("  native code:")
			p.indented(k.Assembly, "    ")
		}
	}
}

func (p *page) list(title string, items []string) {
	for i, item := range items {
		if i > 0 {
			title = ""
		}
		p.line("  %-14s %s", title, item)
	}
}

func (p *page) schedule(e *compile.Explanation) {
	p.section("Buffers")
	var rows [][]string
	for _, b := range e.Buffers {
		input := ""
		if b.Input {
			input = "input"
		}
		rows = append(rows, []string{fmt.Sprintf("b%d", b.Number), b.Name, b.Kind, "× " + b.Length, input})
	}
	p.table(rows)
	p.section("Schedule")
	for i, s := range e.Schedule {
		p.line("  %2d  %s%s", i+1, strings.Repeat("  ", s.Depth), s.Text)
	}
}
