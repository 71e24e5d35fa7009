package data

import (
	"fmt"
	"strings"
)

// Error is what is wrong with a file or with what is asked of it, and where.
type Error struct {
	Path      string
	Row       int64 // 0-based row in the file, -1 if the error is not about one row
	Line, Col int   // 1-based place in a text file (Col counts bytes), 0 if there is none
	Column    string
	Msg, Help string
	Err       error // the cause, if another package reported one
}

// Error renders "file.csv:17:9: column `delay`: expected …" or
// "file.parquet: row 12: column `delay`: expected …". Help is not part of it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	switch {
	case e.Line > 0 && e.Col > 0:
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Col)
	case e.Line > 0:
		fmt.Fprintf(&b, ":%d", e.Line)
	case e.Row >= 0:
		fmt.Fprintf(&b, ": row %d", e.Row)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, ": column `%s`", e.Column)
	}
	b.WriteString(": ")
	b.WriteString(e.Msg)
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// fail is an error about a whole file.
func fail(path, format string, args ...any) *Error {
	return &Error{Path: path, Row: -1, Msg: fmt.Sprintf(format, args...)}
}

func cutShort(path string, need, have int64) *Error {
	return &Error{
		Path: path, Row: -1,
		Msg:  fmt.Sprintf("the file is cut short: %d bytes are needed, %d are there", need, have),
		Help: "write or copy the file again; it may have been shortened while it was read",
	}
}

func nullAt(path string, row int64, column string) *Error {
	return &Error{
		Path: path, Row: row, Column: column,
		Msg:  "expected a value, found a null",
		Help: "declare the field as Option<T>, or remove the rows that have nulls",
	}
}

// guard turns a panic of a decoder into an error that names the file. The
// decoders of other projects do not promise to survive every input.
func guard(path string, err *error) {
	if p := recover(); p != nil {
		*err = &Error{Path: path, Row: -1, Msg: fmt.Sprintf("the file cannot be decoded: %v", p), Help: "the file is damaged or of an unsupported variant; write it again"}
	}
}
