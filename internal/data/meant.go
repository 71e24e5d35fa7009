package data

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: values of a column, which stand for something, and what a program wants them to stand for.
// Out: the same moments, spans or amounts, counted in the wanted unit. Invariant: nothing is
// rounded; what has a rest, or does not fit, is an error that names its row.

// prepared says for each want how stored values become the wanted ones.
func prepared(cols []Column, wants []Want) []Want {
	if !slices.ContainsFunc(wants, func(w Want) bool { return w.Means.Sort != meaning.None }) {
		return wants
	}
	wants = slices.Clone(wants)
	for i := range wants {
		w := &wants[i]
		w.from = cols[w.Column].Means
		w.scale, _ = w.from.To(w.Means)
	}
	return wants
}

// rescaled reports a want for which values have to be computed, and not just copied or narrowed.
func (w *Want) rescaled(from num.Kind) bool {
	return w.Means.Sort != meaning.None && w.scale.Mul != 0 && (!w.scale.Same() || from != w.Kind || w.Means != w.from)
}

// rescale is convert for such a want.
func rescale(dst []byte, w Want, src []byte, from num.Kind) int {
	n := len(src) / from.Size()
	for i := range n {
		bits := column.Get(from, src, int64(i))
		v, ok := w.scale.Rescale(int64(bits))
		if !ok || !w.Means.Fits(v) || from == num.U64 && int64(bits) < 0 {
			return i
		}
		column.Put(w.Kind, dst, int64(i), uint64(v))
	}
	return -1
}

// unscaled is the error for a value that rescale refused.
func unscaled(w Want, value string) (msg, help string) {
	shown := value
	if v, err := strconv.ParseInt(value, 10, 64); err == nil && w.from.Sort != meaning.None {
		shown = string(w.from.Append(nil, v))
	}
	msg = fmt.Sprintf("expected %s, found %s", w.Means, shown)
	switch {
	case w.from.Sort == meaning.None:
		return msg + ", which does not fit", decimalHelp(w.Means, shown, "as i64")
	case w.from.Sort == meaning.Decimal:
		return msg + ", which does not fit", decimalHelp(w.Means, shown, "leave the column out")
	case w.from.Sort == meaning.Date && w.Means.Sort == meaning.Date:
		return msg + ", which is no day of 32 bits", "leave such rows out, or declare it as i64, which counts days since 1970-01-01"
	case w.from.Sort == meaning.Date:
		return msg + ", which " + w.Means.Unit.String() + " of 64 bits do not reach", "declare it as Date"
	case w.Means.Sort == meaning.Date:
		return msg + ", which is no whole day", fmt.Sprintf("declare it as %s, and take its .date()", w.from)
	}
	return msg + ", which is no whole number of " + w.Means.Unit.String() + " that fits", fmt.Sprintf("declare it as %s, and convert it with `as %s`, which rounds down", w.from, w.Means)
}

// checkMeant reports whether values stored as c can become what w wants.
func checkMeant(path string, c *Column, w Want) error {
	if w.Means.Sort == meaning.None {
		return checkKind(path, c, w.Kind)
	}
	if _, ok := c.Means.To(w.Means); ok && (c.Kind.IsInt() || c.Means.Sort == meaning.Decimal) {
		return nil
	}
	e := columnError(path, c, fmt.Sprintf("expected %s, found %s", w.Means, found(c)))
	switch {
	case c.Means.Sort == meaning.Text:
		e.Help = "declare it as Str"
	case c.Means.Sort != meaning.None:
		e.Help = fmt.Sprintf("declare it as %s", declarable(c.Means))
	case c.Kind.IsInt() && w.Means.IsTime():
		e.Help = countedHelp(w.Means)
	case c.Kind.Valid():
		e.Help = fmt.Sprintf("declare it as %s", c.Kind)
	default:
		e.Help = numbersHelp(c.Stored)
	}
	return e
}

// countedHelp is how numbers become times. People write dates as numbers that count nothing, too.
func countedHelp(m meaning.Meaning) string {
	help := fmt.Sprintf("declare it as i64, and convert it: `as %s`, which counts %s", m, unitOf(m))
	if m.Sort == meaning.Date {
		help += "; a number such as 20240304 counts none: take it apart as n / 10000, n / 100 % 100 and n % 100"
	}
	return help
}

// found is a column's type in words.
func found(c *Column) string {
	switch {
	case c.Means.Sort == meaning.Text:
		return "text"
	case c.Means.Sort != meaning.None:
		return fmt.Sprintf("%s (%s)", c.Means, c.Stored)
	case c.Kind.Valid():
		return fmt.Sprintf("%s (%s)", c.Kind, c.Stored)
	}
	return c.Stored
}

// declarable is the type of the language for what is stored: a time of day has one unit there.
func declarable(m meaning.Meaning) meaning.Meaning {
	if m.Sort == meaning.Time {
		m.Unit = meaning.Micro
	}
	return m
}

// unitOf says what the integer of a time counts.
func unitOf(m meaning.Meaning) string {
	switch m.Sort {
	case meaning.Date:
		return "days since 1970-01-01"
	case meaning.Timestamp:
		return m.Unit.String() + " since 1970-01-01T00:00:00Z"
	case meaning.Time:
		return m.Unit.String() + " since midnight"
	}
	return m.Unit.String()
}

// meantName is the type of a row in the language's words.
func meantName(c *Column) string {
	name := declarable(c.Means).String()
	for i := len(c.Dims) - 1; i >= 0; i-- {
		name = fmt.Sprintf("[%s; %d]", name, c.Dims[i])
	}
	if c.Nullable {
		return "Option<" + name + ">"
	}
	return name
}
