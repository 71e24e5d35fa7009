package compile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
)

// A table has all fields of the record, also those that the function does not use: without them it is another table. A field of JSON
// lines that may be missing is null in all rows.
func TestFieldsThatTheFileLacks(t *testing.T) {
	for _, c := range []struct{ record, name, text, want, help string }{
		{"{ customer: Str }", "x.csv", "id,city\n1,a\n", "there is no column `customer`; the columns are `id`, `city`", ""},
		{"{ id: i64, ctiy: Str }", "x.csv", "id,city\n1,a\n", "there is no column `ctiy`; the columns are `id`, `city`", "did you mean `city`?"},
		{"{ id: i64, extra: Option<i64> }", "x.csv", "id,city\n1,a\n", "there is no column `extra`; the columns are `id`, `city`", ""},
		{"{ id: i64, extra: i64 }", "x.jsonl", "{\"id\": 1}\n", "there is no column `extra`; the columns are `id`", ""},
		{"{ id: i64, extra: Option<i64> }", "x.jsonl", "{\"id\": 1}\n", "", ""},
		{"{ price: f64, prices: Option<f64> }", "x.jsonl", "{\"price\": 1.5}\n", "", ""}, // what is declared itself is no slip for another
		{"{ o: Option<f64>, oi: Option<i64> }", "x.jsonl", "", "", ""},
		{"{ prices: Option<f64> }", "x.jsonl", "{\"price\": 1.5}\n", "there is no column `prices`; the columns are `price`", "did you mean `price`?"},
		{"{ city: i64 }", "x.csv", "id,city\n1,a\n", "", ""}, // it is there, and nobody reads it
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		f := function(t, "record R "+c.record+" fn f(v: &[R; N]) -> i64 { v.len() }")
		src, err := data.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []Arg{File{Path: path}, Table{Source: src}} { // a data set is such a table, too
			b, err := f.Bind(Args{"v": a})
			if err == nil {
				b.Close()
			}
			var e *InputError
			switch {
			case c.want == "" && err != nil, c.want != "" && !errors.As(err, &e):
				t.Errorf("%s of %s: %v", c.record, c.name, err)
			case c.want != "" && (e.Text != "argument `v`: "+path+": "+c.want || e.Help != c.help):
				t.Errorf("%s of %s: %s (%s)", c.record, c.name, e.Text, e.Help)
			}
		}
		src.Close()
	}
}
