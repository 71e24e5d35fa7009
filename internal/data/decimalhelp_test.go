package data

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// What a help about a decimal names holds the value that it is about, and is never what was declared.
func TestDecimalHelps(t *testing.T) {
	for _, c := range []struct{ declared, text, want string }{
		{"Decimal<18, 6>", "1234567890123.45", "declare it with fewer digits behind the point, such as Decimal<18, 2>, if no other value needs them, or as f64"},
		{"Decimal<4, 2>", "-123.45", "declare it with more digits, such as Decimal<18, 2>, or as f64"},
		{"Decimal<4, 2>", "3.456", "declare it with more digits, such as Decimal<18, 3>, or as f64"},
		{"Decimal<18, 2>", "+000123456789012345678.00", "declare it with fewer digits behind the point, such as Decimal<18, 0>, if no other value needs them, or as f64"},
		{"Decimal<18, 2>", "0.1234567890123456", "declare it with fewer digits before the point, such as Decimal<18, 16>, if no other value needs them, or as f64"},
		{"Decimal<18, 2>", "123456789012345678.5", "no decimal has more than 18 digits: declare it as f64"},
	} {
		m, ok := meaning.Named(c.declared)
		if !ok {
			t.Fatal(c.declared)
		}
		src := mustOpen(t, writeFile(t, "x.csv", "v\n"+c.text+"\n"))
		_, _, err := tryReadAll(src, Want{Kind: num.I64, Means: m})
		e, is := err.(*Error)
		if !is || e.Help != c.want {
			t.Errorf("%s as %s: %v", c.text, c.declared, err)
			continue
		}
		_, named, ok := strings.Cut(e.Help, "such as ")
		if !ok {
			continue
		}
		if m, ok = meaning.Named(named[:strings.IndexByte(named, '>')+1]); !ok || m.String() == c.declared {
			t.Errorf("%s names %s", c.text, named)
		}
		readAll(t, src, Want{Kind: num.I64, Means: m})
	}
}

// Integers and decimals of other files are told of what they can be, too.
func TestDecimalHelpsOfFiles(t *testing.T) {
	wide := meaning.Meaning{Sort: meaning.Decimal, Digits: 18, Places: 2}
	path := t.TempDir() + "/x.arrow"
	cols := []OutColumn{{Name: "i", Kind: num.I64, Values: bytesOf([]int64{1234567890123456789})}, {Name: "d", Kind: num.I64, Means: wide, Values: bytesOf([]int64{123456789012345})}}
	if err := Write(path, &Output{Rows: 1, Columns: cols}); err != nil {
		t.Fatal(err)
	}
	src := mustOpen(t, path)
	for column, want := range []string{
		"no decimal has more than 18 digits: declare it as i64",
		"declare it with fewer digits behind the point, such as Decimal<18, 2>, if no other value needs them, or leave the column out",
	} {
		_, _, err := tryReadAll(src, Want{Column: column, Kind: num.I64, Means: meaning.Meaning{Sort: meaning.Decimal, Digits: 18, Places: 6}})
		if e, ok := err.(*Error); !ok || e.Help != want {
			t.Errorf("column %d: %v", column, err)
		}
	}
}
