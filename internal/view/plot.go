package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"
)

// In: numbers, with labels or without. Out: a picture of them in text: a bar for each of a few, a line for many.

// mostBars is how many numbers have a bar each.
const mostBars = 40

// Plot draws numbers in so many columns; labels may be nil. NaN and infinities leave gaps.
func Plot(labels []string, values []float64, width int) string {
	if len(values) == 0 {
		return "nothing to draw\n"
	}
	if len(values) > mostBars {
		return line(values, width)
	}
	if labels == nil {
		for i := range values {
			labels = append(labels, strconv.Itoa(i))
		}
	}
	return bars(labels, values, width)
}

// bars are as long as their numbers, from the left for what is above 0 and to the left of the others for what is below.
func bars(labels []string, values []float64, width int) string {
	name, digits := 0, 0
	texts := make([]string, len(values))
	least, greatest := 0.0, 0.0
	for i, v := range values {
		labels[i] = Shown(labels[i])
		texts[i] = strconv.FormatFloat(v, 'g', 6, 64)
		name, digits = max(name, utf8.RuneCountInString(labels[i])), max(digits, len(texts[i]))
		if finite(v) {
			least, greatest = min(least, v), max(greatest, v)
		}
	}
	room := max(10, width-name-digits-4)
	scale := 0.0
	if greatest > least {
		scale = float64(room) / (greatest - least)
	}
	zero := int(math.Round(-least * scale))
	var b strings.Builder
	for i, v := range values {
		from, to := zero, zero
		if finite(v) {
			end := min(int(math.Round((v-least)*scale)), room)
			from, to = min(zero, end), max(zero, end)
		}
		row := fmt.Sprintf("%s  %*s  %s", labels[i]+strings.Repeat(" ", name-utf8.RuneCountInString(labels[i])), digits, texts[i],
			strings.Repeat(" ", from)+strings.Repeat("█", to-from))
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return b.String()
}

// line draws a curve through numbers, whose means are taken where there are more than columns.
func line(values []float64, width int) string {
	shown := slices.Clone(values)
	for i, v := range shown {
		if !finite(v) {
			shown[i] = math.NaN()
		}
	}
	if !slices.ContainsFunc(shown, finite) {
		return "nothing to draw\n"
	}
	return asciigraph.Plot(shown, asciigraph.Height(12), asciigraph.Width(max(20, width-16))) + "\n"
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
