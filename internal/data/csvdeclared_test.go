package data

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// isRead holds a text with options to the types of its columns, and to its first rows.
func isRead(t *testing.T, options, text, types, rows string) Source {
	t.Helper()
	src, err := exactly(t, options, text)
	if err != nil {
		t.Fatalf("%s of %q: %v", options, text, err)
	}
	var found []string
	for _, c := range src.Columns() {
		found = append(found, c.Type())
	}
	if got := fmt.Sprint(found); got != types {
		t.Errorf("%s of %q: %s, want %s", options, text, got, types)
	}
	meant, err := Meant(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := Head(t.Context(), meant, 4)
	if got := fmt.Sprint(first); err != nil || got != rows {
		t.Errorf("%s of %q: %s, want %s; %v", options, text, got, rows, err)
	}
	return src
}

// Columns that the option names are the Decimal with as many places as the field with most has, and come back as they were.
func TestExactNumbers(t *testing.T) {
	for _, c := range []struct{ options, text, types, rows string }{
		{"types=a:Decimal", "a,b\n19.99,0.1\n5,2\n-1234567890123.4,3\n", "[Decimal<18, 2> f64]", "[[19.99 0.1] [5.00 2.0] [-1234567890123.40 3.0]]"},
		{"types=a:Decimal", "a,b\n0.1,1\n,2\n+007.125,3\n", "[Option<Decimal<18, 3>> i64]", "[[0.100 1] [null 2] [7.125 3]]"},
		{"types=a:Decimal,b:Decimal&decimal=,&thousands=.&sep=;", "a;b\n1.234,50;1\n-,5;0\n", "[Decimal<18, 2> Decimal<18, 0>]", "[[1234.50 1] [-0.50 0]]"},
		{"types=a:Decimal", "a,b\n,1\n,2\n", "[Option<i8> i64]", "[[null 1] [null 2]]"},
		{"types=%231:Decimal&na=NA", "a,b\nNA,1\n0.000000000000000001,2\n", "[Option<Decimal<18, 18>> i64]", "[[null 1] [0.000000000000000001 2]]"},
	} {
		isRead(t, c.options, c.text, c.types, c.rows)
	}
}

// What no Decimal holds is never rounded: the column cannot be read, and the first field that makes it so is named.
func TestExactNumbersThatAreNone(t *testing.T) {
	for _, c := range []struct{ options, text, want string }{
		{"types=a:Decimal", "a\n1\n1e3\n", `3:1: column ` + "`a`" + `: expected a decimal of at most 18 digits, without an exponent, found "1e3"; ?types= says Decimal`},
		{"types=a:Decimal", "a\n1\nNaN\n", `found "NaN"`},
		{"types=a:Decimal", "a\n1234567890123456.789\n", `found "1234567890123456.789"`},
		{"types=a:Decimal", "a\n1234567890123\n0.123456\n", "found up to 13 before the point and 6 behind it"},
		{"types=a:Decimal", "a\n1\nx\n", `3:1: column ` + "`a`" + `: expected a decimal of at most 18 digits, without an exponent, found "x"; ?types= says Decimal`},
		{"types=a:Decimal&text=a", "a\n1\n", "?text= says that it is text, and ?types= that it is Decimal"},
		{"types=b:Decimal", "a\n1\n", "there is no column `b`"},
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

// Columns are what the option says, in the first rows and in all, and are read as that alone.
func TestDeclaredTypes(t *testing.T) {
	const all = "types=d:Decimal<10, 2>,t:Time,u:Duration<s>,z:i64,b:bool,f:f32,w:u16,a:Date,s:Timestamp<ms>,x:Str"
	const text = "d,t,u,z,b,f,w,a,s,x\n12.5,08:30,90min,00501,1,0.1,7,2001-03-14,2001-03-14T08:30:00Z,5\n,,,,,,,,,\n"
	for _, c := range []struct{ options, text, types, rows string }{
		{all, text, "[Option<Decimal<10, 2>> Option<Time> Option<Duration<s>> Option<i64> Option<bool> Option<f32> Option<u16> Option<Date> Option<Timestamp<ms>> Option<Str>]",
			"[[12.50 08:30:00 1h30min 501 true 0.1 7 2001-03-14 2001-03-14T08:30:00Z 5] [null null null null null null null null null null]]"},
		{"types=t:Time,i:u8", "t,i\n", "[Time u8]", "[]"},
		{"types=t:Time,i:u8", "t,i\n,\n", "[Option<Time> Option<u8>]", "[[null null]]"},
		{"types=%231:i64&header=no", "007\n", "[i64]", "[[7]]"},
		{"types=a:Decimal<10,2>,d:Date&decimal=,&date=dd.mm.yyyy&na=-", "a;d\n1,5;14.03.2001\n-;-\n", "[Option<Decimal<10, 2>> Option<Date>]", "[[1.50 2001-03-14] [null null]]"},
	} {
		if notes := Notes(isRead(t, c.options, c.text, c.types, c.rows), nil); len(notes) > 0 {
			t.Errorf("%s of %q: %s", c.options, c.text, notes)
		}
	}
}

// The first field that is not of the type is named: where it is, what was expected and found, by who reads all rows, by who reads the first, and by
// a program, also one that asks for another type, and in rows behind those that are looked at beforehand.
func TestFieldsOfOtherTypes(t *testing.T) {
	far := "1\n" + strings.Repeat("1\n", csvSample)
	for _, c := range []struct{ options, text, as, want, help string }{
		{"types=a:Time", "a\n08:30\nx\n", "Time", `:3:1: column ` + "`a`" + `: expected a time such as 08:30:00, found "x"; ?types= says Time`, "mend the field, leave it empty where a value is missing, or say another type, as ?types=a:Str"},
		{"types=a:i8", "a\n1\n300\n", "i64", `expected i8 (-128 to 127), found 300; ?types= says i8`, "mend the field"},
		{"types=a:Decimal<4,1>", "a\n1.25\n", "Decimal<9,2>", `found "1.25": it has more than 1 digits behind the point; ?types= says Decimal<4, 1>`, "mend the field"},
		{"types=a:f64", "a\n1.5\n\"1,5\"\n", "f64", `expected a number (f64), found "1,5"; ?types= says f64`, "?decimal=,"},
		{"types=a:i64", "a\n1\nNA\n", "f64", `expected an integer (i64), found "NA"; ?types= says i64`, "?na=NA"},
		{"types=a:Date", "a\n14.03.2001\n", "Date", `found "14.03.2001"; ?types= says Date`, "?date=dd.mm.yyyy"},
		{"types=a:u8", "a\n" + far + "256\n", "i64", `column ` + "`a`" + `: expected u8 (0 to 255), found 256; ?types= says u8`, "mend the field"},
	} {
		typed, err := exactly(t, c.options, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.options, err)
			continue
		}
		opt, _ := ParseOptions(c.options)
		src, err := OpenWith(typed.Path(), opt)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		_, ofHead := Head(t.Context(), src, 1<<20)
		as := declaredType(c.as).want
		means := map[int]meaning.Meaning{}
		if as.Means.Sort != meaning.None {
			means[0] = as.Means
		}
		read := Reading(src, means, nil, nil)
		n := src.Rows()
		var ofProgram error
		for i, chunk := range src.Chunks() {
			if ofProgram == nil {
				_, ofProgram = read.Fill(t.Context(), i, []Want{{Column: 0, Kind: as.Kind, Option: true}}, []Dest{{make([]byte, chunk.Rows()*8), make([]byte, n)}})
			}
		}
		for by, err := range map[string]error{"all": Unfit(typed, 0), "head": ofHead, "program": ofProgram} {
			var e *Error
			if !errors.As(err, &e) || e.Line == 0 || !strings.Contains(e.Error(), c.want) || !strings.Contains(e.Help, c.help) {
				t.Errorf("%s of %q, %s: %v, want %s and help %s", c.options, shortened(c.text), by, err, c.want, c.help)
			}
		}
	}
}

// A program that asks for what the type is not is told so, and what to write; it may ask for another type that holds the values.
func TestOtherTypesThanDeclared(t *testing.T) {
	for _, c := range []struct{ is, as, want string }{
		{"i8", "i64", ""}, {"i64", "f64", ""}, {"i64", "Decimal<9,2>", ""}, {"Date", "Timestamp", ""}, {"Decimal", "Decimal<9,2>", ""}, {"Duration<s>", "Duration<ns>", ""},
		{"f64", "i64", "expected i64, found f64, as ?types= says; declare it as f64, or say that it is the other: ?types=a:i64"},
		{"f32", "f64", "expected f64, found f32"}, {"Time", "Duration", "expected Duration<us>, found Time"}, {"Time", "i64", "expected i64, found Time"},
		{"Decimal", "f64", "expected f64, found Decimal, as ?types= says; declare it as Decimal<18, 0>"}, {"Str", "i64", "expected i64, found text, as ?types= says"},
	} {
		opt, err := ParseOptions("types=a:" + c.is)
		if err != nil {
			t.Fatal(err)
		}
		src, err := OpenWith(writeFile(t, "x.csv", "a\n"), opt)
		if err != nil {
			t.Fatal(err)
		}
		var e *Error
		got := ""
		if errors.As(Check(src, []Want{declaredType(c.as).want}), &e) {
			got = e.Error() + "; " + e.Help
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s as %s: %q, want %q", c.is, c.as, got, c.want)
		}
		if text := IsText(src, 0); text != (c.is == "Str") {
			t.Errorf("%s: text: %t", c.is, text)
		}
		src.Close()
	}
}

func TestBadDeclarations(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{"types=a", "has \"a\", expected a column and its type"},
		{"types=a:i64,b", "has \"b\", expected a column and its type"},
		{"types=a:Tim", "did you mean `Time`?"},
		{"types=a:Time<ms>", "has \"Time<ms>\" for `a`, expected a type"},
		{"types=a:Decimal<19,2>", "expected a type"},
		{"types=a:Option<i64>", "whether fields are empty is found"},
		{"types=a:i64,a:i8", "?types= gives it two types"},
		{"types=a:i64&number=a", "?number= says that it is numbers, and ?types= that it is i64"},
	} {
		opt, err := ParseOptions(c.options)
		if err == nil {
			_, err = OpenWith(writeFile(t, "x.csv", "a,b\n1,2\n"), opt)
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Error()+e.Help, c.want) {
			t.Errorf("%s: %v, want %s", c.options, err, c.want)
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

// TestDeclaredLate: behind the rows that are looked at first, too, a field is of the type that is said, although what is wanted would hold it.
func TestDeclaredLate(t *testing.T) {
	opt, err := ParseOptions("types=n:u8")
	if err != nil {
		t.Fatal(err)
	}
	src, err := OpenWith(writeFile(t, "x.csv", "k,n\n"+strings.Repeat("a,1\n", 2*csvSample)+"b,300\n"), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	_, kept, err := EncodeBeside(t.Context(), src, []int{0}, []bool{false}, []Want{{Column: 1, Kind: num.I64}})
	if err != nil || kept != nil {
		t.Fatal(kept, err)
	}
	_, _, err = tryReadAll(src, Want{Column: 1, Kind: num.I64})
	if want := fmt.Sprintf(":%d:3: column `n`", 2*csvSample+2); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "?types= says u8") {
		t.Errorf("%v, expected %s", err, want)
	}
}
