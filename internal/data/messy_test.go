package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// reference reads a text as Go's encoding/csv does. Quotes other than ", encodings and numbers of other countries are made those of Go before.
type reference struct {
	comma          rune
	decode         func([]byte) string
	replace        []string // in the whole text, before
	numbers        []string // in fields that are numbers, before
	na             []string
	skip           int
	header, ragged bool
}

func (r *reference) rows(t *testing.T, b []byte) [][]string {
	t.Helper()
	text := string(b)
	if r.decode != nil {
		text = r.decode(b)
	}
	text = strings.NewReplacer(r.replace...).Replace(strings.TrimPrefix(text, "\ufeff"))
	for range r.skip {
		_, text, _ = strings.Cut(text, "\n")
	}
	c := csv.NewReader(strings.NewReader(text))
	c.Comma = r.comma
	if c.Comma == 0 {
		c.Comma = ','
	}
	rows, err := c.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func fromUTF16(big bool) func([]byte) string {
	return func(b []byte) string {
		var units []uint16
		for i := 2; i+1 < len(b); i += 2 {
			lo, hi := uint16(b[i]), uint16(b[i+1])
			if big {
				lo, hi = hi, lo
			}
			units = append(units, hi<<8|lo)
		}
		return string(utf16.Decode(units))
	}
}

func fromLatin1(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return strings.ReplaceAll(s.String(), "\u0080", "€")
}

// TestMessyFiles reads each file of testdata/messy as it is, or as its refusal says, and compares all values and names with those of
// encoding/csv. A refusal must name the option that lets the file be read, or say what is wrong with it.
func TestMessyFiles(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct {
		file, refused string // in the error or help without options
		opt           string
		ref           reference
		kinds         string // by column; - for text
	}{
		{"quotes.csv", "", "", reference{}, "- f64 -"},
		{"na.csv", "?na=NA", "na=NA,-", reference{na: []string{"NA", "-"}}, "i64 i64 f64"},
		{"semicolon.csv", "", "", reference{comma: ';'}, "i64 f64 i64"},
		{"decimal.csv", "?decimal=,", "decimal=,", reference{comma: ';', numbers: []string{",", "."}}, "- f64 i64"},
		{"thousands.csv", "?decimal=,&thousands=.", "decimal=,&thousands=.", reference{comma: ';', numbers: []string{".", "", ",", "."}}, "- i64 f64"},
		{"us-thousands.csv", "?thousands=,", "thousands=,", reference{numbers: []string{",", ""}}, "i64 f64"},
		{"crlf.csv", "", "", reference{}, "i64 f64"},
		{"bom.csv", "", "", reference{}, "i64 i64"},
		{"utf16.csv", "", "", reference{decode: fromUTF16(false)}, "i64 i64"},
		{"utf16be.csv", "", "", reference{decode: fromUTF16(true), comma: ';'}, "i64 i64"},
		{"latin1.csv", "?encoding=latin1", "encoding=latin1", reference{decode: fromLatin1}, "i64 f64"},
		{"cp1252.csv", "windows-1252", "encoding=windows-1252", reference{decode: fromLatin1}, "f64 i64"},
		{"duplicate.csv", "?header=unique", "header=no&skip=1", reference{skip: 1, header: true}, "i64 i64 i64"},
		{"ragged.csv", "expected 3 fields, found 2", "", reference{ragged: true}, ""},
		{"ragged-long.csv", "expected 2 fields, found 3", "", reference{ragged: true}, ""},
		{"wide-integers.csv", "", "", reference{}, "i64 i64"},
		{"unsigned.csv", "", "", reference{}, "i64 u64"},
		{"empty.csv", "the file is empty", "", reference{ragged: true}, ""},
		{"header-only.csv", "", "", reference{}, "i8 i8 i8"},
		{"no-header.csv", "?header=no", "header=no", reference{header: true}, "i64 f64"},
		{"tabs.tsv", "", "", reference{comma: '\t'}, "i64 f64"},
		{"pipes.csv", "", "", reference{comma: '|'}, "i64 i64 -"},
		{"preamble.csv", "?skip=1", "skip=2", reference{skip: 2}, "i64 i64"},
		{"single-quotes.csv", "expected 2 fields, found 3", "quote='", reference{replace: []string{"''", "'", "'", `"`}}, "- i64"},
		{"no-quotes.csv", "a quote inside of a field", "quote=none", reference{replace: []string{`5" pipe`, `"5"" pipe"`, `7"`, `"7"""`}}, "- i64"},
		{"blanks.csv", "", "", reference{}, "i64 i64"},
		{"bools.csv", "", "", reference{}, "bool i64"},
		{"spaces-in-names.csv", "", "", reference{}, "f64 i64"},
		{"words.csv", "", "", reference{}, "- - i64"},
		{"apostrophes.csv", "?thousands='", "thousands='", reference{comma: ';', numbers: []string{"'", ""}}, "- i64"},
	} {
		t.Run(c.file, func(t *testing.T) {
			seen[c.file] = true
			path := filepath.Join("testdata", "messy", c.file)
			if c.refused != "" {
				refusedWith(t, path, c.refused)
			}
			if c.ref.ragged {
				return
			}
			opt := Options{}
			if c.opt != "" {
				var err error
				if opt, err = ParseOptions(c.opt); err != nil {
					t.Fatal(err)
				}
			}
			src, err := OpenWith(path, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c.ref.compare(t, src, c.ref.rows(t, b), strings.Fields(c.kinds))
		})
	}
	files, err := os.ReadDir("testdata/messy")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("%s is not tested", f.Name())
		}
	}
}

// refusedWith makes sure that the file as it is leads to an error that says so, at the latest when all of its columns are wanted as numbers.
func refusedWith(t *testing.T, path, text string) {
	t.Helper()
	var all []string
	src, err := Open(path)
	if err == nil {
		defer src.Close()
		for i := range src.Columns() {
			if _, _, err := tryReadAll(src, Want{Column: i, Kind: num.F64, Option: true}); err != nil {
				var e *Error
				if !errors.As(err, &e) {
					t.Fatal(err)
				}
				all = append(all, e.Error()+"\n"+e.Help)
			}
		}
	} else {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		all = append(all, e.Error()+"\n"+e.Help)
	}
	if !slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, text) }) {
		t.Errorf("nothing says %q: %q", text, all)
	}
}

func (r *reference) compare(t *testing.T, src Source, rows [][]string, kinds []string) {
	t.Helper()
	src, err := Typed(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.header {
		for i, name := range rows[0] {
			if got := src.Columns()[i].Name; got != strings.TrimSpace(name) {
				t.Errorf("column %d is called %q, expected %q", i, got, name)
			}
		}
		rows = rows[1:]
	}
	if src.Rows() != int64(len(rows)) {
		t.Fatalf("%d rows, expected %d", src.Rows(), len(rows))
	}
	for i, c := range src.Columns() {
		if want := strings.ReplaceAll(kinds[i], "-", "invalid"); c.Kind.Valid() && c.Kind.String() != want || !c.Kind.Valid() && want != "invalid" {
			t.Errorf("column %d is %v, expected %s", i, c.Kind, want)
			continue
		}
		if c.Kind.Valid() {
			values, valid := readAll(t, src, Want{Column: i, Kind: c.Kind, Option: true})
			for row := range rows {
				r.compareField(t, rows[row][i], values, valid, c.Kind, row)
			}
		}
	}
}

func (r *reference) compareField(t *testing.T, field string, values, valid []byte, k num.Kind, row int) {
	t.Helper()
	field = strings.NewReplacer(r.numbers...).Replace(strings.TrimSpace(field))
	missing := field == "" || slices.Contains(r.na, field)
	if missing != (valid[row] == 0) {
		t.Errorf("row %d, %q: valid is %d", row, field, valid[row])
	}
	if missing {
		return
	}
	want := ""
	switch {
	case k == num.F64:
		x, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		want = strconv.FormatFloat(x, 'g', -1, 64)
	case k == num.Bool:
		want = strings.ToLower(field)
	default:
		want = strings.TrimPrefix(field, "+")
	}
	if got := valueAt(values, k, row); got != want {
		t.Errorf("row %d is %s, expected %s", row, got, want)
	}
}

// A table of many columns opens, finds the last one, and reads it.
func TestWideTable(t *testing.T) {
	const columns, rows = 2000, 300
	var b bytes.Buffer
	for i := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("c" + strconv.Itoa(i))
	}
	for row := range rows {
		b.WriteByte('\n')
		for i := range columns {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(row*columns + i))
		}
	}
	src, err := Typed(t.Context(), mustOpen(t, writeFile(t, "wide.csv", b.String())), nil)
	if err != nil {
		t.Fatal(err)
	}
	i, err := Lookup(src, "c1999")
	if err != nil || i != 1999 || len(src.Columns()) != columns || src.Columns()[i].Kind != num.I64 {
		t.Fatal(i, err, len(src.Columns()))
	}
	got, _ := readAll(t, src, Want{Column: i, Kind: num.I32})
	for row, x := range view[int32](got) {
		if int(x) != row*columns+1999 {
			t.Fatalf("row %d is %d", row, x)
		}
	}
}

func TestFoldedNames(t *testing.T) {
	src := mustOpen(t, writeFile(t, "x.csv", "Total Amount,order-id,a b,A_B,exact,EXACT\n1,2,3,4,5,6\n"))
	for name, want := range map[string]int{"total_amount": 0, "Total Amount": 0, "orderId": 1, "OrderID": 1, "exact": 4, "EXACT": 5, "a b": 2, "#2": 1} {
		if i, err := Lookup(src, name); err != nil || i != want {
			t.Errorf("%s: %d, %v", name, i, err)
		}
	}
	for name, text := range map[string]string{"ab": "both `a b` and `A_B` are like it", "Exact": "both `exact` and `EXACT`", "amount": "there is no column `amount`", "-": "there is no column `-`"} {
		if _, err := Lookup(src, name); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOptions(t *testing.T) {
	for text, want := range map[string]string{
		"sep=;&na=NA,-&decimal=,": "", "sep=%26": "", "sep=tab": "", `sep=\t`: "", "quote=none&header=yes&skip=3": "", "encoding=Latin1&format=csv": "",
		"sepp=;": "did you mean `sep`?", "sep=ab": "one character, or tab", "sep=": "one character", "decimal=;": "expected . or ,",
		"sep=,&decimal=,&quote=none": "both \",\"", "sep=.": "both \".\"", "sep=,&decimal=,": "", "header=maybe": "yes, no or unique", "header=unique&text=a,b": "", "text=": "names of columns", "skip=-1": "a number of lines", "sep=;&sep=,": "given twice",
		"encoding=klingon": "utf-8, utf-16", "format=xls": "csv, jsonl", "thousands=5": "no digit", "quote=;&sep=;": "both",
	} {
		_, err := ParseOptions(text)
		var e *Error
		switch {
		case want == "" && err != nil, want != "" && err == nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (!errors.As(err, &e) || !strings.Contains(e.Error()+e.Help, want)):
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
	o, err := ParseOptions("sep=%26&na=%23N/A,x%26y&thousands=%25")
	if err != nil || o.Separator != '&' || o.Thousands != '%' || !slices.Equal(o.NA, []string{"#N/A", "x&y"}) {
		t.Errorf("%+v, %v", o, err)
	}
	npy := writeFile(t, "x.npy", "")
	writeTo(t, npy, &Output{Rows: 1, Columns: []OutColumn{{Kind: num.I8, Values: []byte{1}}}})
	lines := writeFile(t, "x.jsonl", "{\"a\":1}\n")
	for _, o := range []Options{{Separator: ';'}, {NA: []string{"-"}}, {Header: true}, {NoHeader: true}, {Unique: true}, {Text: []string{"a"}}, {Date: "dd.mm.yyyy"}, {Skip: 1}, {Decimal: ','}} {
		for _, path := range []string{npy, lines} {
			if len(o.Text) > 0 && path == lines {
				continue // which may say so
			}
			if _, err := OpenWith(path, o); err == nil || !strings.Contains(err.Error(), "only CSV has") {
				t.Errorf("%s, %+v: %v", path, o, err)
			}
		}
	}
}

func writeTo(t testing.TB, path string, out *Output) {
	t.Helper()
	if err := Write(path, out); err != nil {
		t.Fatal(err)
	}
}

// Two signs that cut all rows evenly are not chosen between, and what was found is held to in the rest of the file.
func TestSeparatorIsNotGuessed(t *testing.T) {
	_, err := Open(writeFile(t, "x.csv", "a;b|c\n1;2|3\n"))
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Msg, `";" or by "|"`) || !strings.Contains(e.Help, "?sep=;") {
		t.Error(err)
	}
	src := mustOpen(t, writeFile(t, "x.csv", "a;b\n"+strings.Repeat("1;2\n", csvBlockSize/4)+"1,2\n"))
	if _, _, err := tryReadAll(src, Want{Column: 1, Kind: num.I8}); err == nil || !strings.Contains(err.Error(), "expected 2 fields, found 1") {
		t.Error(err)
	}
}

// Number signs are held to groups of three and to one decimal sign: what is no such number is none.
func TestNumbersOfOtherCountries(t *testing.T) {
	d := dialectOf(&Options{Decimal: ',', Thousands: '.'})
	for in, want := range map[string]string{"1.234,5": "1234.5", "1.234.567": "1234567", "12,5": "12.5", "-1.000": "-1000", "1,5e3": "1.5e3", "1.000e2": "1000e2", "7": "7", "abc.d": "abc.d", "": ""} {
		var buf []byte
		if got := string(d.rewritten([]byte(in), &buf)); got != want {
			t.Errorf("%s became %q, expected %q", in, got, want)
		}
	}
	for _, in := range []string{"1.5", "1.23", "12.3456", "1..234", "1.234.5", ".123", "1,2,3", "1.2345,6", "1,234.5", "1234.567"} {
		var buf []byte
		if got := d.rewritten([]byte(in), &buf); sortsOf(got) != csvText|csvPhrase {
			t.Errorf("%s became the number %q", in, got)
		}
	}
}

// Whatever cuts the text into pieces, the copy in UTF-8 is the same.
func TestRecoded(t *testing.T) {
	text := strings.Repeat("häß€,😀\n", 100_000)
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	r := recoder(b[:headBytes], &Options{})("x", bufioReader(b))
	got, err := io.ReadAll(r)
	if err != nil || string(got) != "\ufeff"+text {
		t.Error(len(got), err)
	}
}

func bufioReader(b []byte) *bufio.Reader {
	return bufio.NewReaderSize(iotest.HalfReader(bytes.NewReader(b)), 1000)
}
