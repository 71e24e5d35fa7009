package data

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantError checks the text after the path, and that there is a typed error.
func wantError(t testing.TB, path string, err error, text string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("expected an *Error, found %v", err)
	}
	if got := strings.TrimPrefix(err.Error(), path); got != text {
		t.Fatalf("\n got %s\nwant %s", got, text)
	}
	return e
}

func TestCSVErrors(t *testing.T) {
	long := "a,b\n" + strings.Repeat("1,2\n", 5000)
	for _, c := range []struct{ name, text, column, kind, want string }{
		{"word", long + "3,abc\n", "b", "i16", ":5002:3: column `b`: expected an integer (i16), found \"abc\""},
		{"first rows", "a,b\n1,x\n", "b", "f32", ":2:3: column `b`: expected a number (f32), found \"x\""},
		{"fraction", "a,b\n1.5,2\n", "a", "i16", ":2:1: column `a`: expected an integer (i16), found \"1.5\""},
		{"range", "a,b\n1,2\n\n99999,2\n", "a", "i16", ":4:1: column `a`: expected i16 (-32768 to 32767), found 99999"},
		{"negative", "a\n-1\n", "a", "u64", ":2:1: column `a`: expected u64 (0 to 18446744073709551615), found -1"},
		{"huge", "a\n1e400\n", "a", "f64", ":2:1: column `a`: expected a number (f64), found \"1e400\""},
		{"huge f32", "a\n1e300\n", "a", "f32", ":2:1: column `a`: expected f32, 1e300 is too large for it"},
		{"empty", "a,b\n1,\n", "b", "i64", ":2:3: column `b`: expected a value, found an empty field"},
		{"quoted lines", "a,b\n\"x\ny\",\"1\"\n\"\n\",z\n", "b", "i8", ":5:3: column `b`: expected an integer (i8), found \"z\""},
		{"bool", "a\n1\n2\n", "a", "bool", ":3:1: column `a`: expected true or false (bool), found \"2\""},
		{"hex", long + "0x10,1\n", "a", "f64", ":5002:1: column `a`: expected a number (f64), found \"0x10\""},
		{"underscore", long + "1_0,1\n", "a", "f64", ":5002:1: column `a`: expected a number (f64), found \"1_0\""},
		{"fields", long + "1,2,3\n", "a", "f64", ":5002: expected 2 fields, found 3"},
		{"one field", long + "1\n", "a", "f64", ":5002: expected 2 fields, found 1"},
		{"bare quote", long + "1,2\"\n1,\"\n", "a", "f64", ":5002:4: column `b`: a quote inside of a field that does not begin with one"},
		{"after quote", long + "\"1\"x,2\n", "a", "f64", ":5002:4: column `a`: expected a comma or the end of the line after a quoted field"},
		{"missing", "delay,b\n1,2\n", "dealy", "i64", ": there is no column `dealy`; the columns are `delay`, `b`"},
		{"text as bool", "a\ntrue\n", "a", "f64", ":2:1: column `a`: expected a number (f64), found \"true\""},
		{"numbers as bool", "a\n0.5\n", "a", "bool", ":2:1: column `a`: expected true or false (bool), found \"0.5\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, "x.csv", c.text)
			src := mustOpen(t, path)
			i, err := Lookup(src, c.column)
			if err == nil {
				k, _ := num.ParseKind(c.kind)
				_, _, err = tryReadAll(src, Want{Column: i, Kind: k})
			}
			wantError(t, path, err, c.want)
		})
	}
}

func TestOpenErrors(t *testing.T) {
	npy := func(dict string) string {
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(dict)), 0}) + dict
	}
	for _, c := range []struct{ file, text, want string }{
		{"x.csv", "", ": the file is empty, expected a first row with the names of the columns"},
		{"x.csv", "\r\n\n", ": the file is empty, expected a first row with the names of the columns"},
		{"x.csv", "1,2\n3,4\n", ":1:1: expected the names of the columns, found `1`, `2`"},
		{"x.csv", "a;b\n3;4;5\n", ":1:1: the fields are not separated by commas"},
		{"x.csv", "\ufeff", ": the file is empty, expected a first row with the names of the columns"},
		{"x.csv", "1", ":1:1: expected the names of the columns, found `1`"},
		{"x.csv", "\"", ":1:1: a quoted field has no end"},
		{"x.csv", "\"a\"b\n1\n", ":1:1: expected a comma or the end of the line after a quoted field"},
		{"x.csv", "\xff\xfea\x00\n", ": expected text in UTF-16, found half a character at the end before byte 5"},
		{"x.csv", "a\x00\n\x001\x00\n\x00", ": expected text in UTF-8, found a zero byte at 1"},
		{"x.csv", "a,b\r1,2\r3,4\r", ":1:4: expected lines that end in \\n or \\r\\n, found \\r alone"},
		{"x.csv", "caf\xe9,b\n1,2\n", ":1:1: expected names in UTF-8, found \"caf\\xe9\""},
		{"x.csv", "a,b,a\n1,2,3\n", ":1: column `a`: columns 1 and 3 have this name"},
		{"x.csv", "a\n1\n\n2\n", ":3: expected a value, found an empty line in a file of one column"},
		{"x.csv", "a\n\n\r\n2", ":2: expected a value, found an empty line in a file of one column"},
		{"x.csv", "a,b\n1,\"2\n3,4\n", ":2: a quoted field that begins on this line has no end, or goes on behind its closing quote"},
		{"x.npy", "", ": the file is cut short: 10 bytes are needed, 0 are there"},
		{"x.npy", "abcde", `: this is not an NPY file: it begins with "abcde"`},
		{"x.npy", "\x93NUMP", ": the file is cut short: 10 bytes are needed, 5 are there"},
		{"x.parquet", "abcde", `: this is not a Parquet file: it begins with "abcd"`},
		{"x.parquet", "PAR1x", ": the file is cut short: 12 bytes are needed, 5 are there"},
		{"x.arrow", "abcde", `: this is not an Arrow file: it begins with "abcde"`},
		{"x.arrow", "ARROW", ": the file is cut short: 8 bytes are needed, 5 are there"},
		{"x.npy", "0123456789ab", `: this is not an NPY file: it begins with "012345"`},
		{"x.npy", "\x93NUMPY\x09\x00ab123", ": NPY version 9.0 is not known; versions 1 to 3 are"},
		{"x.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }") + "1234", ": the file is cut short: 79 bytes are needed, 71 are there (the shape is (3,) of <f4)"},
		{"x.npy", npy("{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }"), ": the type \"<f2\" is not supported: float16"},
		{"x.npy", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }"), ": the type \"[('a', '<f4')]\" is not supported: a structured type"},
		{"x.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }"), ": the type \"|O\" is not supported: Python objects"},
		{"x.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }"), ": the array is stored column by column (fortran_order), rows are needed one after another"},
		{"x.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (3, -2), }"), `: the NPY header is damaged: expected a size before "-2), }"`},
		{"x.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4), }"), ": the shape [9223372036854775807 4] is too large"},
		{"x.npy", npy("{'descr': '<f4'}"), ": the NPY header is damaged: descr, fortran_order or shape is missing"},
		{"x.parquet", "PAR1 something PAR0", ": the Parquet file is cut short: its last 4 bytes are not \"PAR1\""},
		{"x.parquet", "not a parquet file", `: this is not a Parquet file: it begins with "not "`},
		{"x.arrow", "FEA1 something", ": this is a Feather version 1 file, which is not supported"},
		{"x.xlsx", "", ": the file's format is not known by its extension"},
	} {
		path := writeFile(t, c.file, c.text)
		_, err := Open(path)
		e := wantError(t, path, err, c.want)
		if strings.Contains(c.want, "(fortran_order)") && !strings.Contains(e.Help, "ascontiguousarray") {
			t.Error(e.Help)
		}
	}
	_, err := Open("/no/such/file.npy")
	wantError(t, "/no/such/file.npy", err, ": cannot open the file: no such file or directory")
}

// TestFillErrors reads one small table from every format that holds it.
func TestFillErrors(t *testing.T) {
	big := make([]int64, 3000)
	big[2500] = 70_000
	out := &Output{Rows: 3000, Columns: []OutColumn{
		{Name: "big", Kind: num.I64, Values: bytesOf(big)},
		{Name: "nulls", Kind: num.I32, Values: make([]byte, 3000*4), Valid: append(onesThenNull(1700), make([]byte, 1299)...)},
	}}
	for _, ext := range []string{".arrow", ".parquet"} {
		path := filepath.Join(t.TempDir(), "x"+ext)
		if err := Write(path, out); err != nil {
			t.Fatal(err)
		}
		src := mustOpen(t, path)
		_, _, err := tryReadAll(src, Want{Column: 0, Kind: num.I16})
		e := wantError(t, path, err, ": row 2500: column `big`: expected i16 (-32768 to 32767), found 70000")
		if e.Help != "declare a wider type: i32" {
			t.Error(e.Help)
		}
		_, _, err = tryReadAll(src, Want{Column: 0, Kind: num.I64, Bound: 50_000})
		wantError(t, path, err, ": row 2500: column `big`: expected an index below 50000, found 70000")
		_, _, err = tryReadAll(src, Want{Column: 0, Kind: num.U32, Bound: 70_000})
		wantError(t, path, err, ": row 2500: column `big`: expected an index below 70000, found 70000")
		_, _, err = tryReadAll(src, Want{Column: 1, Kind: num.I32})
		wantError(t, path, err, ": row 1700: column `nulls`: expected a value, found a null")
		if _, _, err = tryReadAll(src, Want{Column: 0, Kind: num.F32}); err != nil {
			t.Error(err)
		}
		_, _, err = tryReadAll(src, Want{Column: 0, Kind: num.Bool})
		wantError(t, path, err, ": row 2500: column `big`: expected bool (0 or 1), found 70000")
		_, _, err = tryReadAll(src, Want{Column: 7, Kind: num.F32})
		wantError(t, path, err, ": column number 7 was asked for, the file has 2")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = src.Fill(ctx, 0, []Want{{Kind: num.I32}}, []Dest{{Values: make([]byte, 12000)}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: expected to be cancelled, found %v", ext, err)
		}
		_, err = src.Fill(context.Background(), 0, []Want{{Kind: num.I64}}, []Dest{{Values: make([]byte, 5)}})
		wantError(t, path, err, ": column `big`: its destination has the wrong length")
	}
}

func onesThenNull(n int) []byte {
	b := make([]byte, n+1)
	fillOnes(b[:n])
	return b
}

func TestConversions(t *testing.T) {
	xs := []int64{-1 << 63, -1 << 31, -32769, -32768, -129, -128, -1, 0, 1, 127, 128, 255, 256, 32767, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1}
	for _, from := range allKinds {
		for _, to := range allKinds {
			if !from.IsInt() || !to.IsInt() {
				continue
			}
			for _, x := range xs {
				if !fits(x, from) {
					continue
				}
				src := make([]byte, 8)
				view[int64](src)[0] = x
				dst := make([]byte, 8)
				bad := convert(dst[:to.Size()], Want{Kind: to}, src[:from.Size()], from)
				if (bad < 0) != fits(x, to) {
					t.Errorf("%v to %v: %d: %v", from, to, x, bad)
				}
				if bad < 0 && valueAt(dst, to, 0) != valueAt(src, from, 0) {
					t.Errorf("%v to %v: %d became %s", from, to, x, valueAt(dst, to, 0))
				}
			}
		}
	}
	top := []uint64{1 << 63}
	if convert(make([]byte, 8), Want{Kind: num.I64}, bytesOf(top), num.U64) != 0 {
		t.Error("2^63 fits i64")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"origin", "delay", "distance"}
	for in, want := range map[string]string{"Delay": "delay", "dely": "delay", "distnce": "distance", "xyz": "", "": ""} {
		if got := diag.Nearest(in, names); got != want {
			t.Errorf("%q: %q, expected %q", in, got, want)
		}
	}
}

// TestNumbersHelp tells texts from lists.
func TestNumbersHelp(t *testing.T) {
	for stored, want := range map[string]string{
		"utf8": "declare it as Str", "String": "declare it as Str", "BYTE_ARRAY": "leave the column out, or have the file say that it is text", "binary_view": "leave the column out, or have the file say", "large_utf8": "declare it as Str", "dictionary<values=utf8, indices=int32, ordered=false>": "declare it as Str",
		"list<item: int64, nullable>": "lists have one length", "large_list<item: utf8>": "lists have one length", "nested values": "lists have one length",
		"decimal128(10, 2)": "leave the column out",
	} {
		if got := numbersHelp(stored); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", stored, got)
		}
	}
}

// A pipe that nobody writes to is refused at once.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.npy")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := Open(path)
		ended <- err
	}()
	select {
	case err := <-ended:
		if e := wantError(t, path, err, ": not a regular file"); !strings.Contains(e.Help, "standard input, which - stands for") {
			t.Error(e.Help)
		}
	case <-time.After(time.Minute):
		f, err := os.OpenFile(path, os.O_RDWR, 0) // whoever waits gets the file's end
		if err == nil {
			f.Close()
		}
		t.Fatal("it waits for a writer")
	}
}
