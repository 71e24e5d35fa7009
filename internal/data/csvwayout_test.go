package data

import (
	"errors"
	"strings"
	"testing"
)

// What is said of a file that cannot be read, or is read otherwise than is meant, names a way out, and that way leads there.
func TestWaysOutOfCSV(t *testing.T) {
	for _, c := range []struct{ text, says, option, typ string }{
		{"# comment\n\na,b\n1,2\n", "the table only begins below it: ?skip=2", "skip=2", "i64"},
		{"Report\nof 2020\n\na,b\n1,2\n", "the table only begins below it: ?skip=3", "skip=3", "i64"},
		{"a\n2024-01-01 10:00:00\n2024-01-01 10:00:00.123456789\n", "?types=a:Timestamp<ns>", "types=a:Timestamp<ns>", "Timestamp<ns>"},
		{"a,b\n1,2,\n3,4,\n", "the row ends in a comma", "", ""},
		{"a,b\n1,2,3\n", "put fields that contain a comma in quotes", "", ""},
		{"a,b\n1,2,,\n", "put fields that contain a comma in quotes", "", ""},
	} {
		path := writeFile(t, "x.csv", c.text)
		said := ""
		src, err := Open(path)
		if err == nil {
			src, err = Typed(t.Context(), src, nil)
		}
		var e *Error
		switch {
		case errors.As(err, &e):
			said = e.Help
		case err != nil:
			t.Fatal(err)
		default:
			said = strings.Join(Notes(src, nil), "\n")
		}
		if !strings.Contains(said, c.says) {
			t.Errorf("%q: %s", c.text, said)
		}
		if c.option == "" {
			continue
		}
		opt, err := ParseOptions(c.option)
		if err != nil {
			t.Fatal(err)
		}
		src, err = OpenWith(path, opt)
		if err != nil {
			t.Errorf("%q, %s: %v", c.text, c.option, err)
			continue
		}
		if src, err = Typed(t.Context(), src, nil); err != nil {
			t.Fatal(err)
		}
		if got := src.Columns()[0].Type(); got != c.typ {
			t.Errorf("%q, %s: %s", c.text, c.option, got)
		}
		if notes := Notes(src, nil); len(notes) > 0 {
			t.Errorf("%q, %s: %q", c.text, c.option, notes)
		}
	}
}
