package data

import (
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// wantChecker is a source with rules of its own on what it can be read as.
type wantChecker interface{ checkWant(w Want) error }

// Check reports, before anything is read, whether src can serve wants: every
// column exists and its stored kind converts to the wanted one. Whether each
// value fits, and whether nulls occur, is known only to Fill. Errors are
// *Error.
func Check(src Source, wants []Want) error {
	cols := src.Columns()
	own, _ := src.(wantChecker)
	for _, w := range wants {
		if w.Column < 0 || w.Column >= len(cols) {
			return fail(src.Path(), "column number %d was asked for, the file has %d", w.Column, len(cols))
		}
		if !w.Kind.Valid() {
			return columnError(src.Path(), &cols[w.Column], "read as an unknown kind")
		}
		if w.Bound > 0 && !w.Kind.IsInt() {
			return columnError(src.Path(), &cols[w.Column], "a bound needs an integer kind, found "+w.Kind.String())
		}
		if w.Blanks != NotBlank && !blanksFit(src, &w) {
			return columnError(src.Path(), &cols[w.Column], "missing values of it are no text")
		}
		if own != nil {
			if err := own.checkWant(w); err != nil {
				return err
			}
			continue
		}
		if err := checkMeant(src.Path(), &cols[w.Column], w); err != nil {
			return err
		}
	}
	return nil
}

// checkKind reports whether values stored as c can become kind.
func checkKind(path string, c *Column, kind num.Kind) error {
	switch {
	case c.Kind == num.Invalid:
		e := columnError(path, c, fmt.Sprintf("expected numbers (%s), found %s", kind, c.Stored))
		e.Help = numbersHelp(c.Stored)
		return e
	case converts(c.Kind, kind):
		return nil
	}
	e := columnError(path, c, fmt.Sprintf("expected %s, found %s (%s)", kind, c.Kind, c.Stored))
	e.Help = fmt.Sprintf("declare it as %s", c.Kind)
	return e
}

// numbersHelp is what can be done about a column of no numbers, by the name
// of its type.
func numbersHelp(stored string) string {
	switch stored = strings.ToLower(stored); {
	case strings.Contains(stored, "list") || strings.HasPrefix(stored, "nested"):
		return "lists have one length in all rows here: store them as lists of a fixed size, or each element as a row with the number of its list"
	case strings.HasPrefix(stored, "text"):
		return "declare it as Str, or leave the column out"
	case strings.Contains(stored, "binary") || stored == "byte_array":
		return "leave the column out, or have the file say that it is text: .cast(pyarrow.string()) in pyarrow, before it is written"
	case strings.Contains(stored, "utf8") || strings.Contains(stored, "string"):
		return "declare it as Str, or leave the column out"
	}
	return "leave the column out, or store it as numbers"
}

// converts reports whether a value of from has one meaning in to: equal kinds, f32
// to f64, and integers to any kind that holds the value exactly (0 and 1 to bool),
// which is checked value by value.
func converts(from, to num.Kind) bool {
	return from == to || from.IsInt() || from == num.F32 && to == num.F64
}

// unfitter is a source that knows more of why nothing can be computed with a column.
type unfitter interface{ unfit(column int) *Error }

// Unfit says why nothing can be computed with a column; nil if something can.
func Unfit(src Source, column int) *Error {
	c := &src.Columns()[column]
	if c.Kind.Valid() {
		return nil
	}
	if own, ok := src.(unfitter); ok {
		return own.unfit(column)
	}
	return unreadable(src.Path(), c)
}

// unreadable is the error for a column of a type that is none of Godwit's.
func unreadable(path string, c *Column) *Error {
	e := columnError(path, c, "expected numbers, bools, text, dates, times or decimals, found "+c.Stored)
	e.Help = numbersHelp(c.Stored)
	return e
}

// doubter is a source that knows where the type of a column takes something for what is written otherwise.
type doubter interface{ doubt(column int) *Error }

// Notes say where columns, but for those of left, have what may be meant as something else, and what to write then. src is
// a source of Typed.
func Notes(src Source, left map[int]bool) []string {
	notes := []string{}
	for i := range src.Columns() {
		if left[i] {
			continue
		}
		if c := &src.Columns()[i]; c.Wider {
			notes = append(notes, columnError(src.Path(), c, fmt.Sprintf("it is stored as %s, and read as %s, the widest that there is: a value of more digits is an error", c.Stored, c.Means)).Error())
		}
		e := Unfit(src, i)
		if e != nil && e.Line == 0 {
			e = nil // that of a format with types
		}
		if d, ok := src.(doubter); ok && e == nil {
			e = d.doubt(i)
		}
		if e != nil && e.Help != "" {
			notes = append(notes, e.Error()+"; "+e.Help)
		}
	}
	return notes
}

// PresenceKind is a kind in which a column can be read for its presence alone.
func PresenceKind(c *Column) num.Kind {
	if c.Kind.Valid() {
		return c.Kind
	}
	return num.Bool // of text, which sources of text read
}

func columnError(path string, c *Column, msg string) *Error {
	return &Error{Path: path, Row: -1, Column: c.Name, Msg: msg}
}

// listed quotes names, at most 20 of them.
func listed(names []string) string {
	const most = 20
	var b strings.Builder
	for i, n := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "`%s`", n)
	}
	return b.String()
}
