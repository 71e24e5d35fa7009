package data

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Missing values are entry 0 and others one more, or as they are, whatever lies under nulls; what leaves the kind or the bound is an error
// with its row. Files of Arrow that others made are read likewise.
func TestFillBlanks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range []num.Kind{num.U8, num.U16, num.U32, num.I8, num.I64} {
		for round := range 40 {
			rows := 1 + r.IntN(200)
			codes, valid := make([]byte, rows*kind.Size()), make([]byte, rows)
			most := uint64(1 + r.IntN(250))
			for i := range rows {
				if valid[i] = byte(r.IntN(3) & 1); round == 1 {
					valid[i] = 1 // numbers change all the same
				}
				code := r.Uint64N(most)
				if valid[i] == 0 {
					code = r.Uint64() // whatever lies under a null
				}
				column.Put(kind, codes, int64(i), code)
			}
			if round == 0 {
				column.Put(kind, codes, int64(rows-1), kind.MaxInt())
				valid[rows-1] = 1
			}
			cols := []Column{{Name: "k", Kind: kind, Stored: kind.String(), Nullable: true}}
			src := FromBytes("codes", cols, int64(rows), [][]byte{codes}, [][]byte{valid})
			path := filepath.Join(t.TempDir(), "codes.arrow")
			if err := Write(path, &Output{Rows: int64(rows), Columns: []OutColumn{{Name: "k", Kind: kind, Values: codes, Valid: valid}}}); err != nil {
				t.Fatal(err)
			}
			file, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, blanks := range []Blanks{BlankAmong, BlankBefore} {
				for _, to := range []num.Kind{kind, num.I64} {
					bound := int64(1 + r.IntN(260))
					want, bad := wantedBlanks(kind, to, codes, valid, blanks, bound)
					for _, s := range []Source{src, file} {
						got := make([]byte, rows*to.Size())
						_, err := s.Fill(t.Context(), 0, []Want{{Kind: to, Blanks: blanks, Bound: bound}}, []Dest{{Values: got}})
						switch {
						case bad < 0 && (err != nil || !bytes.Equal(got, want)):
							t.Fatalf("%s as %s, %d below %d: %v, %v, want %v", kind, to, blanks, bound, err, got, want)
						case bad >= 0 && err == nil:
							t.Fatalf("%s as %s, %d below %d: row %d was not refused: %v", kind, to, blanks, bound, bad, got)
						}
					}
				}
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// wantedBlanks says it again, row by row; bad is a row that does not fit.
func wantedBlanks(kind, to num.Kind, codes, valid []byte, blanks Blanks, bound int64) (want []byte, bad int) {
	want, bad = make([]byte, len(valid)*to.Size()), -1
	for i := range valid {
		code := uint64(0)
		if valid[i] == 1 {
			if code = column.Get(kind, codes, int64(i)); blanks == BlankBefore {
				code++
			}
		}
		if int64(code) < 0 || int64(code) >= bound || code > to.MaxInt() {
			bad = i
		}
		column.Put(to, want, int64(i), code)
	}
	return want, bad
}

// What is no number of a text for each row is not read so.
func TestBlanksRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("k\n1\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	floats := FromBytes("floats", []Column{{Name: "k", Kind: num.F64}}, 1, [][]byte{make([]byte, 8)}, nil)
	rows := FromBytes("rows", []Column{{Name: "k", Kind: num.U8, Dims: []int64{2}}}, 1, [][]byte{make([]byte, 2)}, nil)
	codes := FromBytes("codes", []Column{{Name: "k", Kind: num.U8}}, 1, [][]byte{make([]byte, 1)}, nil)
	for i, tt := range []struct {
		src  Source
		want Want
	}{
		{text, Want{Kind: num.I64, Blanks: BlankAmong}}, {floats, Want{Kind: num.F64, Blanks: BlankAmong}}, {rows, Want{Kind: num.U8, Blanks: BlankBefore}},
		{codes, Want{Kind: num.U8, Blanks: BlankBefore, Option: true}}, {codes, Want{Kind: num.U8, Blanks: 3}}, {codes, Want{Kind: num.U8, Blanks: 255}},
	} {
		if err := Check(tt.src, []Want{tt.want}); err == nil || !strings.Contains(err.Error(), "missing values of it are no text") {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// A column of CSV is Blank if fields that are empty are all that it lacks.
func TestBlankColumns(t *testing.T) {
	many := "k\n"
	for i := range 256 {
		many += fmt.Sprintf("w%d\n", i)
	}
	for _, tt := range []struct {
		text, na string
		blank    bool
		texts    int
		kind     num.Kind
	}{
		{"k,i\na,1\n,2\n\"\",3\n", "", true, 1, num.U8},
		{"k,i\na,1\nNA,2\n", "NA", false, 1, num.U8},
		{"k,i\na,1\nNA,2\n,3\n", "NA", false, 1, num.U8},
		{"k,i\na,1\nNA,2\n,3\n", "", true, 2, num.U8},
		{"k,i\na,1\n  ,2\n", "", false, 2, num.U8},
		{many + "\"\"\n", "", true, 256, num.U16}, // with the empty text they are one more
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		opt := Options{}
		if tt.na != "" {
			opt.NA = []string{tt.na}
		}
		src, err := OpenWith(path, opt)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Encode(t.Context(), src, []int{0}, []bool{false})
		if err != nil {
			t.Fatal(err)
		}
		if c := list[0]; c.Blank != tt.blank || len(c.Texts) != tt.texts || c.Kind != tt.kind {
			t.Errorf("%.30q: blank %v, %d texts, %s", tt.text, c.Blank, len(c.Texts), c.Kind)
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
