package compile

import (
	"os"
	"strings"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/value"
)

// Arg is one argument as the caller gives it: Text, File, Table or Value.
type Arg interface{ arg() }

// Text is an argument as written on a command line: a literal, the path of a
// file, or path#column.
type Text string

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
type Value struct{ Value *value.Value }

func (Text) arg()  {}
func (File) arg()  {}
func (Table) arg() {}
func (Value) arg() {}

// Args are the arguments of a run by the names of parameters and of sizes
// that no parameter fixes.
type Args map[string]Arg

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
			return nil, refuse(name, "leave one of them out", "argument `%s` is given twice", name)
		}
		args[name] = Text(strings.TrimSpace(text))
	}
	return args, nil
}

// file tells whether a text means a file: it has a known extension, contains
// a slash, or is the name of something that exists.
func (t Text) file() (File, bool) {
	path, column, _ := strings.Cut(string(t), "#")
	switch {
	case path == "":
		return File{}, false
	case data.Reads(path), strings.ContainsRune(path, '/'):
		return File{path, column}, true
	case strings.ContainsAny(path, "[](){}, "):
		return File{}, false
	}
	if _, err := os.Stat(path); err == nil {
		return File{path, column}, true
	}
	return File{}, false
}
