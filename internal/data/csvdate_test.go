package data

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// layouts are the forms as the standard library writes them.
var layouts = map[string]string{"dd.mm.yyyy": "02.01.2006", "mm.dd.yyyy": "01.02.2006", "d/m/yyyy": "2/1/2006", "mm/dd/yyyy": "01/02/2006",
	"dd-mm-yyyy": "02-01-2006", "M-D-YYYY": "1-2-2006", "yyyy/mm/dd": "2006/01/02", "yyyy-dd-mm": "2006-02-01", "dd mm.yyyy": "02 01.2006"}

// Dates and timestamps of every form are the days that they are, next to dates of the usual form, and text keeps what is written.
func TestDateForms(t *testing.T) {
	if len(dateForms) != 8 {
		t.Fatal("allForms has a bit for each")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for form, layout := range layouts {
		var text strings.Builder
		text.WriteString("day,at,iso,word\n")
		var days []int32
		var moments []int64
		for range 300 {
			at := time.Unix(r.Int64N(4e9)-1e9, 0).UTC()
			days, moments = append(days, int32(at.Truncate(24*time.Hour).Unix()/86400)), append(moments, at.UnixMicro())
			fmt.Fprintf(&text, "%s,%s,%s,x%s\n", at.Format(layout), at.Format(layout+" 15:04:05"), at.Format("2006-01-02"), at.Format(layout))
		}
		opt, err := ParseOptions("date=" + form)
		if err != nil {
			t.Fatal(err)
		}
		src, err := OpenWith(writeFile(t, "x.csv", text.String()), opt)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := Typed(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		usual := "Date"
		if form == "yyyy-dd-mm" {
			usual = "Str" // some of them are none in this order
		}
		for i, want := range []string{"Date", "Timestamp<us>", usual, "Str"} {
			if got := typed.Columns()[i].Type(); got != want {
				t.Errorf("%s: column %d is %s, expected %s", form, i, got, want)
			}
		}
		got, _ := readAll(t, src, Want{Column: 0, Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Date}})
		stamps, _ := readAll(t, src, Want{Column: 1, Kind: num.I64, Means: meaning.Meaning{Sort: meaning.Timestamp}})
		for i := range days {
			if view[int32](got)[i] != days[i] || view[int64](stamps)[i] != moments[i] {
				t.Fatalf("%s: row %d is %d, %d, expected %d, %d", form, i, view[int32](got)[i], view[int64](stamps)[i], days[i], moments[i])
			}
		}
		list, err := Encode(t.Context(), src, []int{0}, []bool{true})
		if first, _, _ := strings.Cut(strings.SplitAfter(text.String(), "\n")[1], ","); err != nil || list[0].Texts[view[uint16](list[0].codes)[0]] != first {
			t.Errorf("%s: the text is not %q: %v", form, first, err)
		}
		src.Close()
	}
	for _, bad := range []string{"", "yyyymmdd", "dd.mm", "dd.mm.yy", "dd.dd.yyyy", "dd.mm.yyyy ", "%d.%m.%Y", "ddxmmxyyyy"} {
		if _, err := ParseOptions("date=" + bad); err == nil {
			t.Errorf("%q is a form", bad)
		}
	}
}

// A form is proposed where all of a column are dates of it, and for a field that was to be a date.
func TestDateFormsAreProposed(t *testing.T) {
	for _, c := range []struct{ fields, note, help string }{
		{"23.09.2016 1.10.2016", "?date=dd.mm.yyyy", "?date=dd.mm.yyyy"},
		{"1/2/2024 12/31/2024", "?date=mm/dd/yyyy", "?date=dd/mm/yyyy, or ?date=mm/dd/yyyy"},
		{"31-12-2024T08:30 1-1-2024", "?date=dd-mm-yyyy", "?date=dd-mm-yyyy"},
		{"2024/12/31", "?date=yyyy/mm/dd", "?date=yyyy/mm/dd"},
		{"1/2/2024 3/4/2024", "?date=dd/mm/yyyy, or ?date=mm/dd/yyyy", "?date=dd/mm/yyyy, or ?date=mm/dd/yyyy"},
		{"31.12.2024 12/31/2024", "", "?date=dd.mm.yyyy"},
		{"31.12.2024 2024-12-31", "?date=dd.mm.yyyy; if the column is text, say so behind the name of the file: ?text=a", "?date=dd.mm.yyyy"},
		{"31.12.2024 x", "", "?date=dd.mm.yyyy"},
		{"32.12.2024 31.12.2024", "", "declare it as Str"},
		{"31.12.2024x", "", "declare it as Str"},
	} {
		_, src := typedCSV(t, "a,b\n"+strings.ReplaceAll(c.fields, " ", ",1\n")+",1\n")
		note := strings.Join(Notes(src, nil), "\n")
		if c.note == "" && note != "" || !strings.HasSuffix(note, c.note) {
			t.Errorf("%s: the note is %q", c.fields, note)
		}
		_, _, err := tryReadAll(src, Want{Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Date}})
		if e, ok := err.(*Error); !ok || !strings.HasSuffix(e.Help, c.help) {
			t.Errorf("%s: %v, expected %s", c.fields, err, c.help)
		}
	}
	opt := Options{Date: "dd.mm.yyyy"}
	path := writeFile(t, "x.csv", "a,b\n31.12.2024,1\n30.02.2024,1\n")
	odd := writeFile(t, "odd.csv", "a,b\n31.12.2024,1\nsoon,1\n")
	src, err := OpenWith(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	_, _, err = tryReadAll(src, Want{Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Date}})
	wantError(t, path, err, ":3:1: column `a`: expected a date such as 14.03.2001, found \"30.02.2024\": month 2 of 2024 has no day 30")
	other, err := OpenWith(odd, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, _, err = tryReadAll(other, Want{Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Date}})
	e := wantError(t, odd, err, ":3:1: column `a`: expected a date such as 14.03.2001, found \"soon\"")
	if e.Help != "?date= says dd.mm.yyyy: write it as in 14.03.2001, or declare it as Str" {
		t.Error(e.Help)
	}
	lines := writeFile(t, "odd.jsonl", "{\"a\":\"31/12/2024\"}\n")
	object, err := OpenWith(lines, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	_, _, err = tryReadAll(object, Want{Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Date}})
	e = wantError(t, lines, err, ":1:6: column `a`: expected a date such as 2001-03-14, found \"31/12/2024\"")
	if e.Help != "write the file as CSV with `godwit convert`, and then say how dates are written, behind the name of the file: ?date=dd/mm/yyyy" {
		t.Error(e.Help)
	}
}
