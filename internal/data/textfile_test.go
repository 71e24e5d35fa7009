package data

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// asideOf is a file for codes, or one that takes nothing, or none.
func asideOf(t *rapid.T) *codeFile {
	kind := rapid.SampledFrom([]string{"memory", "file", "no room"}).Draw(t, "codes lie in")
	if kind == "memory" {
		return nil
	}
	name := "/dev/full" // of which reads are zeros and writes fail
	if kind == "file" {
		name = filepath.Join(os.TempDir(), fmt.Sprintf("codes-%d-%d", os.Getpid(), rand.Uint64()))
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if kind == "file" {
		os.Remove(name)
	}
	return &codeFile{File: f}
}

// TestAsideCodes: codes of every width come back as they were, also where there is room for some alone.
func TestAsideCodes(t *testing.T) {
	for _, texts := range []int{0, 1, 254, 255, 256, 65534, 65535, 65536, 70000} {
		f := codesAsideOf(t)
		p := &partText{texts: make([]string, texts)}
		for c := noCode; c < texts; c++ {
			p.codes = append(p.codes, int32(c), int32(texts-1))
		}
		want := slices.Clone(p.codes)
		if !f.take(p) || p.codes != nil || p.rows() != len(want) {
			t.Fatalf("%d texts: codes were not put aside", texts)
		}
		for _, part := range [][2]int{{0, len(want)}, {len(want) / 3, len(want) / 2}, {1, 1}} {
			if got, err := f.codesOf(p, part[0], part[1]); err != nil || !slices.Equal(got, want[part[0]:part[1]]) {
				t.Errorf("%d texts: rows %v are not what they were (%v)", texts, part, err)
			}
		}
	}
}

// codesAsideOf is a file as Encode takes it where memory should hold no codes.
func codesAsideOf(t *testing.T) *codeFile {
	t.Helper()
	noCodesInMemory(t)
	f := codesAside(t.Context(), 1000, 1)
	if f == nil {
		t.Fatal("there is no file for codes")
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func noCodesInMemory(t *testing.T) {
	t.Helper()
	before := mostCodes
	mostCodes = func() int64 { return 0 }
	t.Cleanup(func() { mostCodes = before })
}

// TestTextAside has text of all formats whose codes lie in a file: what is read is the same.
func TestTextAside(t *testing.T) {
	noCodesInMemory(t)
	for name, test := range map[string]func(*testing.T){"Arrow": TestTextOfArrow, "Parquet": TestTextOfParquet, "files": TestTextInFiles,
		"lists": TestTextListIsTheTable, "refused": TestTextRefused, "meanings": TestMeaningsInFiles, "blank": TestTextInput} {
		t.Run(name, test)
	}
}

// TestCodesOfMuch: what memory should not hold lies in a file, and no file is left in the folder; what it can hold lies in memory.
func TestCodesOfMuch(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, most := range []int64{0, 1 << 30} {
		before := mostCodes
		mostCodes = func() int64 { return most }
		_, src := typedCSV(t, "k,v\nb,1\na,2\n,3\nb,4\n")
		list, err := Encode(t.Context(), src, []int{0}, []bool{false})
		mostCodes = before
		if err != nil {
			t.Fatal(err)
		}
		if aside := list[0].aside != nil; aside != (most == 0) {
			t.Errorf("codes may take %d bytes of memory: in a file %t", most, aside)
		}
		codes, valid, err := list[0].Rows(0, 4)
		if err != nil || fmt.Sprint(list[0].Texts, codes, valid) != "[a b] [1 0 0 1] [1 1 0 1]" {
			t.Errorf("codes may take %d bytes of memory: %q %v %v (%v)", most, list[0].Texts, codes, valid, err)
		}
	}
	left, err := os.ReadDir(os.Getenv("XDG_CACHE_HOME") + "/godwit")
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left in the folder (%v)", left, err)
	}
}

// TestMissing: where a value is missing is known of codes wherever they lie.
func TestMissing(t *testing.T) {
	for _, aside := range []bool{false, true} {
		for text, want := range map[string]int64{"k,v\na,1\nb,2\n": -1, "k,v\na,1\n,2\n": 1, "k,v\n,1\nb,2\n,3\n": 0, "k,v\n,1\n,2\n": 0} {
			t.Run(fmt.Sprintf("%t %q", aside, text), func(t *testing.T) {
				if aside {
					noCodesInMemory(t)
				}
				_, src := typedCSV(t, text)
				list, err := Encode(t.Context(), src, []int{0}, []bool{false})
				if err != nil {
					t.Fatal(err)
				}
				if got, err := list[0].Missing(); err != nil || got != want {
					t.Errorf("a value is missing in row %d, expected %d (%v)", got, want, err)
				}
				if none := list[0].Valueless(); none != !strings.ContainsAny(text[4:], "ab") {
					t.Errorf("no row has a value: %t", none)
				}
			})
		}
	}
}
