package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"slices"
	"strings"
	"testing"
)

// What is said of a file that cannot be read, or is read otherwise than is meant, names a way out, and that way leads there.
func TestWaysOutOfCSV(t *testing.T) {
	for _, c := range []struct{ text, given, says, option, typ string }{
		{"# comment\n\na,b\n1,2\n", "", "the table only begins below it: ?skip=2", "skip=2", "i64"},
		{"Report\nof 2020\n\na,b\n1,2\n", "", "the table only begins below it: ?skip=3", "skip=3", "i64"},
		{"a\n2024-01-01 10:00:00\n2024-01-01 10:00:00.123456789\n", "", "?types=a:Timestamp<ns>", "types=a:Timestamp<ns>", "Timestamp<ns>"},
		{"a,b\n1,2,\n3,4,\n", "", "the row ends in a comma", "", ""},
		{"a,b\n1,2,3\n", "", "put fields that contain a comma in quotes", "", ""},
		{"a;b\n1;2,5\n1.000;3,5\n", "decimal=,", "file: ?decimal=,&thousands=.; if the column is text", "decimal=,&thousands=.", "i64"},
		{"# export\na,b\n1,-999\n", "na=-999", "x.csv?na=-999&skip=1", "na=-999&skip=1", "i64"},
		{"# export\na;b\n1;2,5\n", "skip=0&sep=;&decimal=,", "x.csv?sep=;&decimal=,&skip=1", "sep=;&decimal=,&skip=1", "i64"},
		{"1,2\n3,4\n", "na=-", "x.csv?na=-&header=no", "na=-&header=no", "i64"},
		{"a|b\n1|2.5\n2|x|y\n", "", "say what separates them: ?sep=|", "", ""},
		{"meta\nmeta2\nx;d\n1,5;a\n2,5;b\n", "na=-", "x.csv?na=-&skip=2; or put fields that contain a comma in quotes", "", ""},
		{"a\n1\nNA\nn/a\n", "na=NA", "?na=n/a", "na=NA&na=n/a", "Option<i64>"},
		{"x\n1\n\n2\n\n3\n", "", "remove the line: sed -i 3d ", "", ""},
		{"a,b\n1,2,,\n", "", "put fields that contain a comma in quotes", "", ""},
	} {
		path := writeFile(t, "x.csv", c.text)
		said := ""
		var given Options
		if c.given != "" {
			var err error
			if given, err = ParseOptions(c.given); err != nil {
				t.Fatal(err)
			}
		}
		src, err := OpenWith(path, given)
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

// A command that changes a file is given for one that lies there as text, and not for one that is compressed.
func TestNoCommandForCompressed(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte("x\n1\n\n2\n"))
	z.Close()
	_, err := Open(writeFile(t, "x.csv.gz", b.String()))
	var e *Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Help, `write "" for a missing value, or remove the line; `) {
		t.Errorf("%v", err)
	}
}

// The first rows of a folder show what its columns hold, and not the words in the names of folders: a missing value and a text that looks like the
// name for one are told apart.
func TestHeadOfFolders(t *testing.T) {
	dir := tree(t, map[string]string{"n=01/t=__HIVE_DEFAULT_PARTITION__/d=2024-01-02/a.csv": "a\n1\n", "n=02/t=%5F_HIVE_DEFAULT_PARTITION__/d=2024-01-02T03:00:00/b.csv": "a\n2\n"})
	rows, err := Head(t.Context(), openList(t, dir), 5)
	want := [][]string{{"1", "1", "null", "2024-01-02T00:00:00Z"}, {"2", "2", "__HIVE_DEFAULT_PARTITION__", "2024-01-02T03:00:00Z"}}
	if err != nil || !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("%q, %v", rows, err)
	}
}
