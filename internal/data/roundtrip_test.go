package data

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

var allKinds = []num.Kind{num.Bool, num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64, num.F32, num.F64}

// sample is n values of a kind: its extremes first, then a pattern.
func sample(k num.Kind, n int) []byte {
	b := make([]byte, n*k.Size())
	for i := range n {
		v := uint64(i)*0x9e3779b97f4a7c15 + 12345
		switch {
		case !k.IsInt():
		case i == 0:
			v = k.MaxInt()
		case i == 1:
			v = uint64(k.MinInt())
		}
		switch k {
		case num.Bool:
			b[i] = byte(v >> 7 & 1)
		case num.I8, num.U8:
			b[i] = byte(v)
		case num.I16, num.U16:
			view[uint16](b)[i] = uint16(v)
		case num.I32, num.U32:
			view[uint32](b)[i] = uint32(v)
		case num.I64, num.U64:
			view[uint64](b)[i] = v
		case num.F32:
			view[float32](b)[i] = float32(math.Sin(float64(i))) * float32(math.Pow(10, float64(i%70-35)))
		case num.F64:
			view[float64](b)[i] = math.Sin(float64(i)) * math.Pow(10, float64(i%600-300))
		}
	}
	return b
}

// readAll reads one column of every chunk.
func readAll(t testing.TB, src Source, w Want) (values, valid []byte) {
	t.Helper()
	values, valid, err := tryReadAll(src, w)
	if err != nil {
		t.Fatal(err)
	}
	return values, valid
}

func tryReadAll(src Source, w Want) (values, valid []byte, err error) {
	if err := Check(src, []Want{w}); err != nil {
		return nil, nil, err
	}
	at := int64(0)
	for i, c := range src.Chunks() {
		if c.Lo != at || c.Hi < c.Lo {
			return nil, nil, fmt.Errorf("chunk %d is %v, expected to begin at %d", i, c, at)
		}
		at = c.Hi
		d := Dest{Values: make([]byte, c.Rows()*src.Columns()[w.Column].Width()*int64(w.Kind.Size()))}
		if w.Option {
			d.Valid = make([]byte, c.Rows())
		}
		if _, err := src.Fill(context.Background(), i, []Want{w}, []Dest{d}); err != nil {
			return nil, nil, err
		}
		values, valid = append(values, d.Values...), append(valid, d.Valid...)
	}
	if at != src.Rows() {
		return nil, nil, fmt.Errorf("chunks end at %d, rows at %d", at, src.Rows())
	}
	return values, valid, nil
}

func mustOpen(t testing.TB, path string) Source {
	t.Helper()
	src, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

var extensions = []string{".npy", ".csv", ".arrow", ".parquet"}

func TestRoundTripKinds(t *testing.T) {
	for _, ext := range extensions {
		for _, k := range allKinds {
			for _, rows := range []int{0, 1, 7, 70_000} {
				t.Run(fmt.Sprint(ext, k, rows), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "x"+ext)
					values := sample(k, rows)
					out := &Output{Rows: int64(rows), Columns: []OutColumn{{Kind: k, Values: values}}}
					if err := Write(path, out); err != nil {
						t.Fatal(err)
					}
					src := mustOpen(t, path)
					if src.Rows() != int64(rows) {
						t.Fatalf("%d rows", src.Rows())
					}
					if ext != ".csv" && src.Columns()[0].Kind != k {
						t.Fatalf("kind %v", src.Columns()[0].Kind)
					}
					got, _ := readAll(t, src, Want{Kind: k})
					if !bytes.Equal(got, values) {
						t.Fatal("other values came back")
					}
					checkRaw(t, src, k, values)
				})
			}
		}
	}
}

func checkRaw(t *testing.T, src Source, k num.Kind, values []byte) {
	t.Helper()
	raw, ok := src.Raw(0)
	want := k != num.Bool && (src.Format() == "npy" || src.Format() == "arrow")
	if ok != want {
		t.Fatalf("Raw: %v, expected %v", ok, want)
	}
	if !ok {
		return
	}
	b := make([]byte, raw.Length)
	if _, err := raw.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, values) {
		t.Fatal("Raw has other values")
	}
}

func TestRoundTripTable(t *testing.T) {
	const rows = 5000
	for _, ext := range extensions[1:] {
		t.Run(ext, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x"+ext)
			out := &Output{Rows: rows}
			for i, k := range allKinds {
				c := OutColumn{Name: k.String(), Kind: k, Values: sample(k, rows)}
				if i%2 == 0 {
					c.Valid = everyThird(rows, i)
				}
				out.Columns = append(out.Columns, c)
			}
			if err := Write(path, out); err != nil {
				t.Fatal(err)
			}
			src := mustOpen(t, path)
			for i, c := range out.Columns {
				n, err := Lookup(src, c.Name)
				if err != nil || n != i {
					t.Fatal(n, err)
				}
				got, valid := readAll(t, src, Want{Column: i, Kind: c.Kind, Option: true})
				compareOption(t, c, got, valid)
			}
		})
	}
}

func everyThird(n, first int) []byte {
	valid := bytes.Repeat([]byte{1}, n)
	for i := first % 3; i < n; i += 3 {
		valid[i] = 0
	}
	return valid
}

// compareOption expects the values of c where they are valid, zeros elsewhere.
func compareOption(t *testing.T, c OutColumn, got, valid []byte) {
	t.Helper()
	size := int(c.width()) * c.Kind.Size()
	for row := range len(valid) {
		want := make([]byte, size)
		isValid := c.Valid == nil || c.Valid[row] == 1
		if isValid {
			want = c.Values[row*size : (row+1)*size]
		}
		if (valid[row] == 1) != isValid || !bytes.Equal(want, got[row*size:(row+1)*size]) {
			t.Fatalf("%s row %d: %v %v, expected %v %v", c.Name, row, got[row*size:(row+1)*size], valid[row], want, isValid)
		}
	}
}

func TestRoundTripDims(t *testing.T) {
	const rows = 3000
	for _, dims := range [][]int64{{3}, {2, 5}, {1}} {
		for _, ext := range []string{".npy", ".arrow", ".parquet"} {
			for _, k := range []num.Kind{num.Bool, num.I16, num.U64, num.F32} {
				for _, nulls := range []bool{false, true} {
					if nulls && ext == ".npy" {
						continue
					}
					t.Run(fmt.Sprint(ext, dims, k, nulls), func(t *testing.T) {
						c := OutColumn{Name: "x", Kind: k, Dims: dims}
						c.Values = sample(k, rows*int(c.width()))
						if nulls {
							c.Valid = everyThird(rows, 1)
						}
						path := filepath.Join(t.TempDir(), "x"+ext)
						if err := Write(path, &Output{Rows: rows, Columns: []OutColumn{c}}); err != nil {
							t.Fatal(err)
						}
						src := mustOpen(t, path)
						if got := src.Columns()[0].Dims; fmt.Sprint(got) != fmt.Sprint(dims) {
							t.Fatalf("dims %v", got)
						}
						got, valid := readAll(t, src, Want{Kind: k, Option: true})
						compareOption(t, c, got, valid)
					})
				}
			}
		}
	}
}

func TestCSVDims(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	c := OutColumn{Name: "x", Kind: num.I8, Dims: []int64{2, 2}, Values: []byte{1, 2, 3, 4, 5, 6, 7, 8}, Valid: []byte{1, 0}}
	if err := Write(path, &Output{Rows: 2, Columns: []OutColumn{c}}); err != nil {
		t.Fatal(err)
	}
	src := mustOpen(t, path)
	i, err := Lookup(src, "x_1_0")
	if err != nil {
		t.Fatal(err)
	}
	got, valid := readAll(t, src, Want{Column: i, Kind: num.I8, Option: true})
	if !bytes.Equal(got, []byte{3, 0}) || !bytes.Equal(valid, []byte{1, 0}) {
		t.Fatal(got, valid)
	}
}

func TestScalarNPY(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := Write(path, &Output{Rows: 1, Scalar: true, Columns: []OutColumn{{Kind: num.F64, Values: bytesOf([]float64{2.5})}}}); err != nil {
		t.Fatal(err)
	}
	src := mustOpen(t, path)
	got, _ := readAll(t, src, Want{Kind: num.F64})
	if src.Rows() != 1 || view[float64](got)[0] != 2.5 {
		t.Fatal(src.Rows(), got)
	}
}
