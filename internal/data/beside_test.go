package data

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// besideWants are the columns of besideText that are no text, as a program may declare them; the last is one of folders.
var besideWants = []Want{
	{Column: 1, Kind: num.I32, Option: true},
	{Column: 2, Kind: num.F64},
	{Column: 3, Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Date}, Option: true},
	{Column: 4, Kind: num.Bool},
	{Column: 6, Kind: num.I16},
}

// besideText is a file with a text, numbers of which some are missing, dates, bools, and another text.
func besideText(t *rapid.T, label string) string {
	var b strings.Builder
	b.WriteString("k,n,f,d,b,last\n")
	for i := range rapid.IntRange(1, 40).Draw(t, label+" rows") {
		n, d := fmt.Sprint(i*37%50-20), fmt.Sprintf("2001-03-%02d", 1+i%28)
		if rapid.Bool().Draw(t, "missing") {
			n, d = "", ""
		}
		fmt.Fprintf(&b, "%s,%s,%d.25,%s,%t,\"x, %d\"\n", rapid.SampledFrom([]string{"a", "", "\"b\"\"c\"", "é"}).Draw(t, "k"), n, i, d, i%3 == 0, i%5)
	}
	return b.String()
}

// opened is a folder of files as one source.
func opened(t *testing.T, files map[string]string) Source {
	t.Helper()
	spec, _, err := ParseSpec(writeFiles(t, files))
	if err != nil {
		t.Fatal(err)
	}
	src, err := OpenSpec(t.Context(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// read gives what a column is read as, and the bytes of files that this took.
func read(t *testing.T, src Source, w Want) (values, valid []byte, bytes int64) {
	t.Helper()
	for i, c := range src.Chunks() {
		d := Dest{Values: make([]byte, c.Rows()*int64(w.Kind.Size())), Valid: make([]byte, c.Rows())}
		n, err := src.Fill(t.Context(), i, []Want{w}, []Dest{d})
		if err != nil {
			t.Fatal(err)
		}
		values, valid, bytes = append(values, d.Values...), append(valid, d.Valid...), bytes+n
	}
	return values, valid, bytes
}

// TestBeside: what is kept beside texts is what the files are read as without it, and is not read again.
func TestBeside(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		files := map[string]string{}
		for i := range rapid.IntRange(1, 3).Draw(r, "files") {
			name := fmt.Sprintf("y=%d/x.csv", 2000+i)
			files[name] = besideText(r, name)
		}
		src := opened(t, files)
		columns, empty := []int{0, 5}, []bool{true, false}
		texts, kept, err := EncodeBeside(t.Context(), src, columns, empty, besideWants)
		if err != nil || len(kept) != len(besideWants) {
			r.Fatalf("%d columns were kept, expected %d; %v", len(kept), len(besideWants), err)
		}
		alone, err := Encode(t.Context(), src, columns, empty)
		if err != nil {
			r.Fatal(err)
		}
		for k, c := range alone {
			if fmt.Sprint(c.Texts) != fmt.Sprint(texts[k].Texts) || !bytes.Equal(c.codes, texts[k].codes) || !bytes.Equal(c.valid, texts[k].valid) {
				r.Errorf("column %d: the texts differ with others beside them", columns[k])
			}
		}
		means := map[int]meaning.Meaning{3: besideWants[2].Means}
		plain, quick := Reading(src, means, nil, nil), Reading(src, means, nil, kept)
		for _, w := range besideWants {
			asked := w
			for _, presence := range []bool{false, true} {
				if asked.Presence = presence; presence {
					asked.Option = true
				}
				want, wantValid, took := read(t, plain, asked)
				got, gotValid, none := read(t, quick, asked)
				if !presence && !bytes.Equal(got, want) || !bytes.Equal(gotValid, wantValid) {
					r.Errorf("column %d, presence %t: kept as %v %v, read as %v %v", w.Column, presence, got, gotValid, want, wantValid)
				}
				if none != 0 || took == 0 && w.Column < 6 {
					r.Errorf("column %d: %d bytes were read again, and %d without what was kept", w.Column, none, took)
				}
			}
		}
	})
}

// TestBesideOtherwise: a want that was not foreseen is read from the file.
func TestBesideOtherwise(t *testing.T) {
	src := opened(t, map[string]string{"x.csv": "k,n\na,1\nb,2\n"})
	_, kept, err := EncodeBeside(t.Context(), src, []int{0}, []bool{false}, []Want{{Column: 1, Kind: num.I32}})
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	quick := Reading(src, nil, nil, kept)
	for _, w := range []Want{{Column: 1, Kind: num.I64}, {Column: 1, Kind: num.I32, Bound: 3}, {Column: 1, Kind: num.F32}} {
		want, _, _ := read(t, src, w)
		if got, _, took := read(t, quick, w); !bytes.Equal(got, want) || took == 0 {
			t.Errorf("%+v: %v, want %v; %d bytes were read", w, got, want, took)
		}
	}
	m := func(u meaning.Unit) meaning.Meaning { return meaning.Meaning{Sort: meaning.Timestamp, Unit: u} }
	times := opened(t, map[string]string{"x.csv": "k,t\na,2001-03-14T08:30:00Z\n"})
	_, other, err := EncodeBeside(t.Context(), times, []int{0}, []bool{false}, []Want{{Column: 1, Kind: num.I64, Means: m(meaning.Micro)}})
	if err != nil || len(other) != 1 {
		t.Fatal(other, err)
	}
	if got, _, _ := read(t, Reading(times, map[int]meaning.Meaning{1: m(meaning.Second)}, nil, other), Want{Column: 1, Kind: num.I64}); view[int64](got)[0] != 984558600 {
		t.Errorf("in seconds: %v", view[int64](got))
	}
	w := Want{Column: 1, Kind: num.I32, Option: true}
	if _, valid, took := read(t, quick, w); !bytes.Equal(valid, []byte{1, 1}) || took != 0 {
		t.Errorf("as an option: %v, and %d bytes were read", valid, took)
	}
	_, err = quick.Fill(t.Context(), 0, []Want{{Column: 1, Kind: num.I32, Bound: 2}}, []Dest{{Values: make([]byte, 8)}})
	if err == nil || !strings.Contains(err.Error(), "expected an index below 2, found 2") {
		t.Errorf("an index of 2 below 2: %v", err)
	}
}

// TestBesideRefused: a field that is refused is so when it is read, with the same words, and texts are there all the same.
func TestBesideRefused(t *testing.T) {
	for _, c := range []struct {
		text string
		want Want
	}{
		{"k,n\na,1\nb,x\nc,3\n", Want{Column: 1, Kind: num.I64}},
		{"k,n\na,1\nb,\nc,3\n", Want{Column: 1, Kind: num.I64}},
		{"k,n\na,1\nb,300\n", Want{Column: 1, Kind: num.U8}},
	} {
		src := opened(t, map[string]string{"x.csv": c.text})
		list, kept, err := EncodeBeside(t.Context(), src, []int{0}, []bool{false}, []Want{c.want})
		if err != nil || kept != nil || list[0].Texts[0] != "a" {
			t.Fatalf("%q: %v, %v", c.text, kept, err)
		}
		_, _, want := tryReadAll(src, c.want)
		if _, _, err := tryReadAll(Reading(src, nil, nil, kept), c.want); err == nil || fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%q: %v, expected %v", c.text, err, want)
		}
	}
}

// TestBesideOfLittleMemory: nothing is kept where memory should not hold it.
func TestBesideOfLittleMemory(t *testing.T) {
	src := opened(t, map[string]string{"x.csv": "k,n\n" + strings.Repeat("a,1\n", 100)})
	wants := []Want{{Column: 1, Kind: num.I32}}
	const row = codeBytes + 4 + 1
	for most, want := range map[int64]int{100 * row: 0, 102 * row: 1} {
		_, kept, err := EncodeBeside(WithCodes(t.Context(), most), src, []int{0}, []bool{false}, wants)
		if err != nil || len(kept) != want {
			t.Errorf("%d bytes: %d columns kept, want %d; %v", most, len(kept), want, err)
		}
	}
}
