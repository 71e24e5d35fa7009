package data

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// typedCSV opens text whose columns have the types of all of it.
func typedCSV(t *testing.T, text string) (string, Source) {
	t.Helper()
	path := writeFile(t, "x.csv", text)
	src, err := Typed(t.Context(), mustOpen(t, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	return path, src
}

// A column is what all of its fields are, wherever the one stands that decides.
func TestCSVTypes(t *testing.T) {
	for _, c := range []struct{ name, first, rest, kind, why string }{
		{"integers", "1", "-2", "i64", ""},
		{"integers beyond 2^53", "1", "9007199254740993", "i64", ""},
		{"least and greatest", "-9223372036854775808", "9223372036854775807", "i64", ""},
		{"big unsigned", "1", "18446744073709551615", "u64", ""},
		{"decimal", "1", "2.5", "f64", ""},
		{"decimal first", "2.5", "1", "f64", ""},
		{"exponent", "1", "1e3", "f64", ""},
		{"not a number", "1", "NaN", "f64", ""},
		{"minus zero", "1", "-0", "f64", ""},
		{"exact in f64", "1.5", "18014398509481984", "f64", ""},
		{"larger than u64, exact in f64", "1", "100000000000000000000", "f64", ""},
		{"bits", "1", "0", "i64", ""},
		{"words", "true", "False", "bool", ""},
		{"words and bits", "1", "true", "bool", ""},
		{"empty at first", "", "9007199254740993", "i64", ""},
		{"nothing", "", "", "i8", ""},
		{"text", "x", "y", "Str", ":2:1: column `a`: expected numbers, or true and false, found \"x\""},
		{"text after numbers", "1", "x", "Str", ":5002:1: column `a`: it is text (Str): found \"x\" among numbers, such as 1 on line 2"},
		{"number after text", "x", "1", "Str", ":2:1: column `a`: it is text (Str): found \"x\" among numbers, such as 1 on line 5002"},
		{"codes that are numbers", "00M", "0E0", "Str", ":2:1: column `a`: it is text (Str): found \"00M\" among numbers, such as 0E0 on line 5002"},
		{"date after numbers", "1", "2020-01-01", "Str", ":5002:1: column `a`: it is text (Str): found \"2020-01-01\" among numbers, such as 1 on line 2"},
		{"text after words", "true", "x", "Str", ":5002:1: column `a`: it is text (Str): found \"x\" among true and false, such as true on line 2"},
		{"no answer", "1", "NA", "Str", ":5002:1: column `a`: it is text (Str): found \"NA\" among numbers, such as 1 on line 2"},
		{"names again", "1", "a", "Str", ":5002:1: column `a`: it is text (Str): found \"a\" among numbers, such as 1 on line 2"},
		{"word after numbers", "2", "true", "Str", ":5002:1: column `a`: it is text (Str): found \"true\" among numbers, such as 2 on line 2"},
		{"number after words", "true", "0.5", "Str", ":5002:1: column `a`: it is text (Str): found \"0.5\" among true and false, such as true on line 2"},
		{"integer that no f64 is", "1.5", "9007199254740993", "", ":5002:1: column `a`: expected numbers of one kind, found 9007199254740993, an integer that f64 cannot hold exactly, and 1.5 on line 2, which needs it"},
		{"integers of no width", "-1", "18446744073709551615", "", ":5002:1: column `a`: expected numbers of one kind, found 18446744073709551615, which only u64 holds, and -1 on line 2, which it does not; f64 cannot hold 18446744073709551615 exactly"},
		{"too large an integer", "1", "18446744073709551617", "", ":5002:1: column `a`: expected integers of at most 64 bits, found 18446744073709551617"},
		{"too large", "1.5", "1e400", "Str", ":5002:1: column `a`: it is text (Str): found \"1e400\" among numbers, such as 1.5 on line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, src := typedCSV(t, "a,b\n"+strings.Repeat(c.first+",1\n", 5000)+c.rest+",1\n")
			col := src.Columns()[0]
			if c.why != "" {
				e := Unfit(src, 0)
				if e == nil {
					t.Fatalf("it is %v", col.Kind)
				}
				wantError(t, path, e, c.why)
				if e.Help == "" && c.name != "text" {
					t.Error("no help")
				}
				if is := col.Means.Sort == meaning.Text; is != (c.kind == "Str") {
					t.Errorf("it is %v, %s", col.Means, col.Stored)
				}
				return
			}
			if col.Kind.String() != c.kind || Unfit(src, 0) != nil {
				t.Fatalf("it is %v, %s: %v", col.Kind, col.Stored, Unfit(src, 0))
			}
			if empty := c.first == "" || c.rest == ""; col.Nullable != empty {
				t.Errorf("nullable: %v", col.Nullable)
			}
			readAll(t, src, Want{Column: 0, Kind: col.Kind, Option: col.Nullable})
		})
	}
}

// What decides may stand in any block, and the first of its sort is named.
func TestCSVTypesOfBlocks(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b\n")
	line := 1
	for b.Len() < 3*csvBlockSize {
		line++
		fmt.Fprintf(&b, "%d,%d\n", line, line)
	}
	b.WriteString("0.5,x\n")
	for range 300_000 {
		b.WriteString("0.25,y\n")
	}
	path, src := typedCSV(t, b.String())
	if len(src.Chunks()) < 4 || src.Columns()[0].Kind != num.F64 {
		t.Fatal(len(src.Chunks()), src.Columns())
	}
	wantError(t, path, Unfit(src, 1), fmt.Sprintf(":%d:5: column `b`: it is text (Str): found \"x\" among numbers, such as 2 on line 2", line+1))
}

// Integers become floats and bools where that is exact, in every format.
func TestIntegersAsOthers(t *testing.T) {
	for _, c := range []struct {
		value int64
		kind  num.Kind
		bits  uint64
		why   string
	}{
		{1 << 53, num.F64, math.Float64bits(1 << 53), ""},
		{-1 << 63, num.F64, math.Float64bits(-1 << 63), ""},
		{1<<53 + 1, num.F64, 0, "expected f64, found 9007199254740993, an integer that f64 cannot hold exactly"},
		{math.MaxInt64, num.F64, 0, "expected f64, found 9223372036854775807, an integer that f64 cannot hold exactly"},
		{-1 << 24, num.F32, uint64(math.Float32bits(-1 << 24)), ""},
		{1<<24 + 1, num.F32, 0, "expected f32, found 16777217, an integer that f32 cannot hold exactly"},
		{1, num.Bool, 1, ""},
	} {
		out := &Output{Rows: 2, Columns: []OutColumn{{Name: "a", Kind: num.I64, Values: bytesOf([]int64{0, c.value})}}}
		for _, ext := range []string{".csv", ".npy", ".arrow", ".parquet"} {
			path := t.TempDir() + "/x" + ext
			if err := Write(path, out); err != nil {
				t.Fatal(err)
			}
			got, _, err := tryReadAll(mustOpen(t, path), Want{Kind: c.kind})
			if c.why != "" {
				if err == nil || !strings.HasSuffix(err.Error(), c.why) {
					t.Errorf("%s, %d as %v: %v", ext, c.value, c.kind, err)
				}
				continue
			}
			size := c.kind.Size()
			if err != nil || integerAt(got[size:], c.kind) != c.bits {
				t.Errorf("%s, %d as %v: %x %v", ext, c.value, c.kind, got, err)
			}
		}
	}
}

// integerAt is the first element's bits.
func integerAt(b []byte, k num.Kind) (bits uint64) {
	for i := range k.Size() {
		bits |= uint64(b[i]) << (8 * i)
	}
	return bits
}

// Presence is told without a look at values, of which nobody knows the type.
func TestCSVPresence(t *testing.T) {
	text := "a,b\n" + strings.Repeat("1,x\n", 5000) + "2.5,\n"
	src := mustOpen(t, writeFile(t, "x.csv", text))
	for i, last := range []byte{1, 0} {
		_, valid, err := tryReadAll(src, Want{Column: i, Kind: PresenceKind(&src.Columns()[i]), Option: true, Presence: true})
		if err != nil || valid[0] != 1 || valid[5000] != last {
			t.Errorf("column %d: %v", i, err)
		}
	}
}

// A number in letters is a text among texts, and a number among numbers: a column of names may have one that is "NaN".
func TestNumbersInLetters(t *testing.T) {
	for _, c := range []struct {
		fields string
		sort   meaning.Sort
		kind   string
	}{
		{"abc NaN x inf", meaning.Text, "text"},
		{"NaN abc", meaning.Text, "text"},
		{"2020-01-01 NaN", meaning.Text, "text"},
		{"NaN inf", meaning.None, "f64"},
		{"1 NaN", meaning.None, "f64"},
		{"1 NaN x", meaning.Text, "text"},
		{"NaN true", meaning.Text, "text"},
	} {
		_, src := typedCSV(t, "a,b\n"+strings.ReplaceAll(c.fields, " ", ",1\n")+",1\n")
		col := src.Columns()[0]
		switch fit := Unfit(src, 0); {
		case c.kind == "" && fit == nil:
			t.Errorf("%s: it is %v %s", c.fields, col.Kind, col.Stored)
		case c.sort == meaning.Text && (col.Means.Sort != c.sort || col.Stored != "text"):
			t.Errorf("%s: it is %v %s", c.fields, col.Means, col.Stored)
		case c.kind == "f64" && (col.Kind != num.F64 || fit != nil):
			t.Errorf("%s: it is %v: %v", c.fields, col.Kind, fit)
		}
	}
}
