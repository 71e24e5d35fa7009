package data

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// readAllText opens a file of CSV and reads all of its columns as text.
func readAllText(t *testing.T, path, options string) error {
	t.Helper()
	var opt Options
	if options != "" {
		var err error
		if opt, err = ParseOptions(options); err != nil {
			t.Fatal(options, err)
		}
	}
	src, err := OpenWith(path, opt)
	if err != nil {
		return err
	}
	defer src.Close()
	columns := make([]int, len(src.Columns()))
	for i := range columns {
		columns[i] = i
	}
	_, err = Encode(t.Context(), src, columns, make([]bool, len(columns)))
	return err
}

// Quotes that are not as they should be are told where they first are so, however far from there the file ends, and the help is an option
// with which it can be read.
func TestStrayQuotes(t *testing.T) {
	rows := strings.Repeat("\"1\",\"2\"\n", 400_000) // some blocks
	const inside, behind = "a quote inside of a field that does not begin with one", "expected a comma or the end of the line after a quoted field"
	for _, c := range []struct{ text, want string }{
		{"a,b\n1,5\" pipe\n2,6\" pipe\n", ":2:4: column `b`: " + inside},
		{"a,b\n1,\"x\" y\n", ":2:7: column `b`: " + behind},
		{"a,b\"c\"\n1,2\n", ":1:3: " + inside},
		{"a,5\" b\n1,2\n", ":1:3: " + inside},
		{"a,b\n1,6\" pipe\n2,3\n4,\"q\"\n5,x\n", ":2:4: column `b`: " + inside},
		{"a,b\n1,6\" pipe\n" + rows, ":2:4: column `b`: " + inside},
		{"a,b\n" + rows + "1,6\" pipe\n" + rows, ":400002:4: column `b`: " + inside},
		{"a,b\n1,2,3\n\n1,6\" pipe\n\"q\",1", ":4:4: column `b`: " + inside},
		{"a,b\n1,\"x\n2,\"y\"\n3,4\n", ":3:4: column `b`: " + behind + ", which begins on line 2"},
		{"a,b\n1,\"x\n2,y\n" + strings.Repeat("3,4\n", 400_000), ":2: a quoted field that begins on this line has no end, or goes on behind its closing quote"},
		{"a,b\n\"1\",\"2\"\n1,\"x\"\"\n2,\"\"\n", ":3: a quoted field that begins on this line has no end, or goes on behind its closing quote"},
	} {
		path := writeFile(t, "x.csv", c.text)
		err := readAllText(t, path, "")
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.40q: %v", c.text, err)
			continue
		}
		if got := strings.TrimPrefix(e.Error(), path); got != c.want {
			t.Errorf("%.40q:\n got %s\nwant %s", c.text, got, c.want)
		}
		_, option, ok := strings.Cut(e.Help, "behind the name of the file: ?")
		if !ok || option != "quote=none" {
			t.Errorf("%.40q: help: %s", c.text, e.Help)
			continue
		}
		if err := readAllText(t, path, option); err != nil && !strings.Contains(c.text, "1,2,3") {
			t.Errorf("%.40q with %s: %v", c.text, option, err)
		}
	}
}

// The other way out that the help says: the quote twice, and the field in quotes.
func TestQuoteTwice(t *testing.T) {
	src, err := Typed(t.Context(), mustOpen(t, writeFile(t, "x.csv", "a,b\n1,\"5\"\" pipe\"\n2,\"6\"\" pipe\"\n")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := Head(t.Context(), src, 2); err != nil || fmt.Sprint(rows) != `[[1 5" pipe] [2 6" pipe]]` {
		t.Error(rows, err)
	}
}
