package data

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

func TestCSVForms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []float64
	}{
		{"plain", "a,b\n1,2\n3,4\n", []float64{2, 4}},
		{"no last line end", "a,b\n1,2\n3,4", []float64{2, 4}},
		{"crlf", "a,b\r\n1,2\r\n3,4\r\n", []float64{2, 4}},
		{"crlf, no last line end", "a,b\r\n1,2\r\n3,4", []float64{2, 4}},
		{"empty lines", "\na,b\n\n1,2\n\r\n\n3,4\n\n", []float64{2, 4}},
		{"mark", "\ufeffa,b\n1,2\n", []float64{2}},
		{"quotes", "\"a\",\"b\"\r\n\"x, \"\"y\"\"\nz\",\"2\"\r\n\"\",\"4\"\r\n", []float64{2, 4}},
		{"blanks", "a , b\n1, 2 \n3,\t4\n", []float64{2, 4}},
		{"names only", "a,b\n", nil},
		{"names only, no line end", "a,b", nil},
		{"forms of numbers", "a,b\n1,+2\n1,-.5\n1,5.\n1,1e2\n1,NaN\n1,-inf\n", []float64{2, -.5, 5, 100, math.NaN(), math.Inf(-1)}},
	} {
		src := mustOpen(t, writeFile(t, "x.csv", c.text))
		i, err := Lookup(src, "b")
		if err != nil {
			t.Fatal(c.name, err)
		}
		got, _ := readAll(t, src, Want{Column: i, Kind: num.F64})
		if fmt.Sprint(view[float64](got)) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, expected %v", c.name, view[float64](got), c.want)
		}
	}
}

func TestCSVKinds(t *testing.T) {
	src := mustOpen(t, writeFile(t, "x.csv", "i,f,b,t,e,n\n1,1,true,x,,1\n2,2.5,false,1,,\n"))
	want := []num.Kind{num.I64, num.F64, num.Bool, num.Invalid, num.F64, num.I64}
	for i, c := range src.Columns() {
		if c.Kind != want[i] {
			t.Errorf("%s: %v", c.Name, c.Kind)
		}
	}
	got, valid := readAll(t, src, Want{Column: 5, Kind: num.F32, Option: true})
	if !bytes.Equal(got, bytesOf([]float32{1, 0})) || !bytes.Equal(valid, []byte{1, 0}) {
		t.Error(got, valid)
	}
	_, valid = readAll(t, src, Want{Column: 4, Kind: num.I8, Option: true})
	if !bytes.Equal(valid, []byte{0, 0}) {
		t.Error(valid)
	}
}

// Blocks are cut at row ends, and lines are right in all of them, also when
// fields hold line ends.
func TestCSVBlocks(t *testing.T) {
	var b strings.Builder
	b.WriteString("text,x\n")
	rows, line := 0, 2
	for b.Len() < 4<<20 {
		switch rows % 5 {
		case 0:
			fmt.Fprintf(&b, "\"some\n\"\"text\"\" %d,\n\",%d\r\n", rows, rows)
			line += 3
		case 1:
			fmt.Fprintf(&b, "\n%s,%d\n", strings.Repeat("y", rows%300), rows)
			line += 2
		default:
			fmt.Fprintf(&b, "z,%d\n", rows)
			line++
		}
		rows++
	}
	b.WriteString("z,oops\n")
	path := writeFile(t, "x.csv", b.String())
	src := mustOpen(t, path)
	if src.Rows() != int64(rows+1) || len(src.Chunks()) < 4 {
		t.Fatal(src.Rows(), rows, len(src.Chunks()))
	}
	_, _, err := tryReadAll(src, Want{Column: 1, Kind: num.I32})
	wantError(t, path, err, fmt.Sprintf(":%d:3: column `x`: expected an integer (i32), found \"oops\"", line))
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(b.String(), "z,oops\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	got, _ := readAll(t, mustOpen(t, path), Want{Column: 1, Kind: num.I32})
	for i, x := range view[int32](got) {
		if int(x) != i {
			t.Fatalf("row %d is %d", i, x)
		}
	}
}

func TestCSVLongRow(t *testing.T) {
	path := writeFile(t, "x.csv", "a,b\n1,\""+strings.Repeat("a\n", 2<<20)+"\"\n2,3\n")
	got, _ := readAll(t, mustOpen(t, path), Want{Column: 0, Kind: num.U8})
	if !bytes.Equal(got, []byte{1, 2}) {
		t.Error(got)
	}
}

// The fast ways to read numbers agree with strconv to the bit.
func TestParseFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300_000 {
		x := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			x = float64(r.IntN(1<<30)) / math.Pow(10, float64(r.IntN(12)))
		}
		text := strconv.FormatFloat(x, "gef"[r.IntN(3)], r.IntN(19)-1, 64)
		if len(text) > 60 {
			continue
		}
		want, err := strconv.ParseFloat(text, 64)
		got, msg := parseFloat64([]byte(text))
		if msg == csvExact {
			if exact, _ := new(big.Float).SetPrec(2000).SetString(text); !exact.IsInt() || exact.Cmp(big.NewFloat(want)) == 0 {
				t.Fatalf("%s is refused as an integer that is no float, but is %v", text, want)
			}
			continue
		}
		if (err == nil) != (msg == "") || math.Float64bits(got) != math.Float64bits(want) && !math.IsNaN(want) {
			t.Fatalf("%s: %v %s, expected %v", text, got, msg, want)
		}
		want32, err := strconv.ParseFloat(text, 32)
		got32, msg := parseFloat32([]byte(text))
		if exact, _ := new(big.Float).SetPrec(2000).SetString(text); msg == csvExact && exact != nil && exact.IsInt() && exact.Cmp(big.NewFloat(want32)) != 0 {
			continue
		}
		if (err == nil) != (msg == "") || err == nil && math.Float32bits(got32) != math.Float32bits(float32(want32)) && !math.IsNaN(want32) {
			t.Fatalf("%s: %v %s, expected %v", text, got32, msg, want32)
		}
	}
	for _, bad := range []string{"", ".", "-", "+.", "1..2", "1e", "e5", "--1", "0x1p3", "1_000", "abc", "1,5"} {
		if _, msg := parseFloat64([]byte(bad)); msg == "" {
			t.Errorf("%q was read", bad)
		}
		if _, msg := parseFloat32([]byte(bad)); msg == "" {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestParseInts(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "-0": 0, "+7": 7, "-12": -12, "007": 7, "9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64, "999999999999999999": 999999999999999999} {
		if got, msg := parseInt([]byte(text)); got != want || msg != "" {
			t.Errorf("%s: %d %s", text, got, msg)
		}
	}
	for text, want := range map[string]string{"9223372036854775808": csvRange, "-": csvSyntax, "+": csvSyntax, "1.0": csvSyntax, "1e3": csvSyntax, "--1": csvSyntax, "1_0": csvSyntax, "/": csvSyntax, "12345678901234567890x": csvSyntax} {
		if _, msg := parseInt([]byte(text)); msg != want {
			t.Errorf("%s: %q, expected %q", text, msg, want)
		}
	}
	if v, msg := parseUint([]byte("18446744073709551615")); v != math.MaxUint64 || msg != "" {
		t.Error(v, msg)
	}
}

// BenchmarkCSV opens and reads a file of integers and floats on one goroutine.
func BenchmarkCSV(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("id,delay,name,price\n")
	for i := range 500_000 {
		fmt.Fprintf(&text, "%d,%d,name of %d,%.3f\n", i, i%3000-100, i%77, float64(i)*0.37)
	}
	path := filepath.Join(b.TempDir(), "x.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	wants := []Want{{Column: 1, Kind: num.I16}, {Column: 3, Kind: num.F64}}
	b.Run("open", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			src, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			src.Close()
		}
	})
	b.Run("fill", func(b *testing.B) {
		src := mustOpen(b, path)
		b.SetBytes(int64(text.Len()))
		dst := []Dest{{Values: make([]byte, src.Rows()*2)}, {Values: make([]byte, src.Rows()*8)}}
		for b.Loop() {
			for i, c := range src.Chunks() {
				d := []Dest{{Values: dst[0].Values[c.Lo*2 : c.Hi*2]}, {Values: dst[1].Values[c.Lo*8 : c.Hi*8]}}
				if _, err := src.Fill(b.Context(), i, wants, d); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
