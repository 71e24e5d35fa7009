package data

import (
	"fmt"
	"strings"
	"testing"
)

// Columns that the option names are the Decimal with as many places as the field with most has, and come back as they were.
func TestExactNumbers(t *testing.T) {
	for _, c := range []struct{ options, text, types, rows string }{
		{"exact=a", "a,b\n19.99,0.1\n5,2\n-1234567890123.4,3\n", "[Decimal<18, 2> f64]", "[[19.99 0.1] [5.00 2.0] [-1234567890123.40 3.0]]"},
		{"exact=a", "a,b\n0.1,1\n,2\n+007.125,3\n", "[Option<Decimal<18, 3>> i64]", "[[0.100 1] [null 2] [7.125 3]]"},
		{"exact=a,b&decimal=,&thousands=.&sep=;", "a;b\n1.234,50;1\n-,5;0\n", "[Decimal<18, 2> Decimal<18, 0>]", "[[1234.50 1] [-0.50 0]]"},
		{"exact=a", "a,b\n,1\n,2\n", "[Option<i8> i64]", "[[null 1] [null 2]]"},
		{"exact=%231&na=NA", "a,b\nNA,1\n0.000000000000000001,2\n", "[Option<Decimal<18, 18>> i64]", "[[null 1] [0.000000000000000001 2]]"},
	} {
		src, err := exactly(t, c.options, c.text)
		if err != nil {
			t.Errorf("%s of %q: %v", c.options, c.text, err)
			continue
		}
		var types []string
		for _, c := range src.Columns() {
			types = append(types, c.Type())
		}
		if got := fmt.Sprint(types); got != c.types {
			t.Errorf("%s of %q: %s, want %s", c.options, c.text, got, c.types)
		}
		if src, err = Meant(t.Context(), src, nil); err != nil {
			t.Fatal(err)
		}
		rows, err := Head(t.Context(), src, 4)
		if got := fmt.Sprint(rows); err != nil || got != c.rows {
			t.Errorf("%s of %q: %s, want %s; %v", c.options, c.text, got, c.rows, err)
		}
	}
}

// What no Decimal holds is never rounded: the column cannot be read, and the first field that makes it so is named.
func TestExactNumbersThatAreNone(t *testing.T) {
	for _, c := range []struct{ options, text, want string }{
		{"exact=a", "a\n1\n1e3\n", `3:1: column ` + "`a`" + `: expected decimals of at most 18 digits without an exponent, as ?exact= says, found "1e3"`},
		{"exact=a", "a\n1\nNaN\n", `found "NaN"`},
		{"exact=a", "a\n1234567890123456.789\n", `found "1234567890123456.789"`},
		{"exact=a", "a\n1234567890123\n0.123456\n", "found up to 13 before the point and 6 behind it"},
		{"exact=a", "a\n1\nx\n", `3:1: column ` + "`a`" + `: expected numbers, as ?exact= says, found "x"`},
		{"exact=a&text=a", "a\n1\n", "?text= says that it is text, and ?exact= that it is numbers"},
		{"exact=b", "a\n1\n", "there is no column `b`"},
	} {
		src, err := exactly(t, c.options, c.text)
		if err == nil {
			if why := Unfit(src, 0); why != nil {
				err = why
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %q: %v, want %s", c.options, c.text, err, c.want)
		}
	}
}

// exactly opens text with options, and looks at all of it.
func exactly(t *testing.T, options, text string) (Source, error) {
	t.Helper()
	opt, err := ParseOptions(options)
	if err != nil {
		t.Fatal(err)
	}
	src, err := OpenWith(writeFile(t, "x.csv", text), opt)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { src.Close() })
	return Typed(t.Context(), src, nil)
}
