package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// npyText is a file of a version with header dict.
func npyText(major byte, dict string, values []byte) string {
	dict += "\n"
	b := append([]byte("\x93NUMPY"), major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return string(b) + dict + string(values)
}

func TestNPYHeaders(t *testing.T) {
	values := bytesOf([]int16{1, -2, 3, 4, 5, 6})
	for _, c := range []struct {
		major byte
		dict  string
		rows  int64
		dims  string
	}{
		{1, "{'descr': '<i2', 'fortran_order': False, 'shape': (6,), }", 6, "[]"},
		{2, "{'descr': '<i2', 'fortran_order': False, 'shape': (3, 2), }", 3, "[2]"},
		{3, "{'shape':(3,2,1),'descr':'<i2','fortran_order':False}", 3, "[2 1]"},
		{1, `{"descr": "=i2", "fortran_order": False, "shape": (6L,)}`, 6, "[]"},
		{1, "{'descr': '<i2', 'fortran_order': True, 'shape': (6,), }    ", 6, "[]"},
		{1, "{'descr': '<i2', 'fortran_order': False, 'shape': (), }", 1, "[]"},
		{1, "{'descr': '<i2', 'fortran_order': False, 'shape': (0, 5), }", 0, "[5]"},
		{1, "{'descr': '<i2', 'fortran_order': False, 'shape': (1000000000000, 0), }", 1000000000000, "[0]"},
	} {
		src := mustOpen(t, writeFile(t, "x.npy", npyText(c.major, c.dict, values)))
		if src.Rows() != c.rows || fmt.Sprint(src.Columns()[0].Dims) != c.dims {
			t.Errorf("%s: %d rows of %v", c.dict, src.Rows(), src.Columns()[0].Dims)
		}
		got, _ := readAll(t, src, Want{Kind: num.I32})
		for i, x := range view[int32](got) {
			if x != int32(view[int16](values)[i]) {
				t.Errorf("%s: element %d is %d", c.dict, i, x)
			}
		}
	}
}

func TestNPYBigEndian(t *testing.T) {
	for _, k := range allKinds {
		values := sample(k, 100_000)
		swapped := bytes.Clone(values)
		swapBytes(swapped, k.Size())
		descr := ">" + npyDescr(&OutColumn{Kind: k})[1:]
		src := mustOpen(t, writeFile(t, "x.npy", npyText(1, "{'descr': '"+descr+"', 'fortran_order': False, 'shape': (100000,), }", swapped)))
		got, _ := readAll(t, src, Want{Kind: k})
		if !bytes.Equal(got, values) {
			t.Error(descr)
		}
		if _, ok := src.Raw(0); ok != (k.Size() == 1 && k != num.Bool) {
			t.Error(descr, "Raw", ok)
		}
	}
}

func TestNPYBound(t *testing.T) {
	xs := make([]uint32, 200_000)
	xs[150_001] = 200_000
	path := writeFile(t, "x.npy", npyText(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (100000, 2), }", bytesOf(xs)))
	src := mustOpen(t, path)
	readAll(t, src, Want{Kind: num.U32, Bound: 200_001})
	_, _, err := tryReadAll(src, Want{Kind: num.U32, Bound: 200_000})
	wantError(t, path, err, ": row 75000: expected an index below 200000, found 200000")
	_, _, err = tryReadAll(src, Want{Kind: num.F64, Bound: 1})
	wantError(t, path, err, ": a bound needs an integer kind, found f64")
}

func TestNPYWidenFloat(t *testing.T) {
	xs := []float32{1.5, float32(math.Inf(1)), float32(math.Copysign(0, -1))}
	src := mustOpen(t, writeFile(t, "x.npy", npyText(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", bytesOf(xs))))
	got, _ := readAll(t, src, Want{Kind: num.F64})
	for i, x := range view[float64](got) {
		if math.Float64bits(x) != math.Float64bits(float64(xs[i])) {
			t.Error(i, x)
		}
	}
}
