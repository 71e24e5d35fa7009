package compile

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
)

// Arg is one argument as the caller gives it: Text, File, Files, Table or Value.
type Arg interface{ arg() }

// Text is an argument as written on a command line: a literal, or files with options and a column, see data.ParseSpec.
type Text string

// Files are several files, or one that is read in a way of its own.
type Files struct{ Spec *data.Spec }

// File is a file of which Column, or the columns that the parameter's type
// names, become the argument.
type File struct{ Path, Column string }

// Table is File for a source that is open. The caller keeps it.
type Table struct {
	Source data.Source
	Column string
}

// Value is an argument in memory, of which only the columns count. A negative
// dimension is one that an empty array does not show.
type Value struct {
	Value *value.Value
	// Orders, if set, has the value's columns of text in order, from the first binding on.
	Orders *column.Orders
}

func (Text) arg()  {}
func (File) arg()  {}
func (Files) arg() {}
func (Table) arg() {}
func (Value) arg() {}

// Args are the arguments of a run by the names of parameters and of sizes
// that no parameter fixes.
type Args map[string]Arg

// trimmed leaves out spaces around a value, but for those in options of text: ?thousands= and a space.
func trimmed(text string) string {
	if strings.Contains(text, "?") {
		return strings.TrimLeft(text, " \t\r\n")
	}
	return strings.TrimSpace(text)
}

// ParseArgs reads arguments of the form name=value.
func ParseArgs(list []string) (Args, error) {
	args := Args{}
	for _, s := range list {
		name, text, ok := strings.Cut(s, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return nil, refuse("", "write it as name=value: v=data.npy, k=3 or c='[1.0, 2.0]'", "`%s` is no argument", s)
		}
		if _, twice := args[name]; twice {
			return nil, refuse(name, "leave one of them out; several files are a list: "+name+"=a.csv,b.csv", "argument `%s` is given twice", name)
		}
		args[name] = Text(trimmed(text))
	}
	return args, nil
}
