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

// The help about a type that cannot be read is a line that NumPy runs for such an array.
func TestNPYRefused(t *testing.T) {
	const times = "save them in a unit that is known: np.save(path, a.astype('%s'))"
	const arrow = "write them as Arrow, with import pyarrow.feather: pyarrow.feather.write_feather(pyarrow.table({'text': a.astype(str)}), 'a.arrow')"
	for descr, help := range map[string]string{
		"<f2": "save it in 32 bits: np.save(path, a.astype(np.float32))", "<f16": "save it in 64 bits: np.save(path, a.astype(np.float64))",
		"<c8":  "save both parts, each as an array of its own: np.save(path, a.real) and np.save(path, a.imag)",
		">c16": "save both parts, each as an array of its own: np.save(path, a.real) and np.save(path, a.imag)",
		"<U3":  arrow, "|S3": arrow,
		"<M8[M]": fmt.Sprintf(times, "M8[D]"), "<M8[h]": fmt.Sprintf(times, "M8[s]"), "<M8[25ms]": fmt.Sprintf(times, "M8[ms]"), "<M8[ps]": fmt.Sprintf(times, "M8[ns]"), "<M8": fmt.Sprintf(times, "M8[s]"),
		"<m8[h]": fmt.Sprintf(times, "m8[s]"), "<m8[D]": fmt.Sprintf(times, "m8[s]"), "<m8[Y]": "save the number: np.save(path, a.astype(np.int64))",
		"|O":                           "if all are numbers, save them as such: np.save(path, a.astype(np.float64)); text goes into a .csv, .parquet or .arrow file",
		"[('x', '<i4'), ('y', '<f8')]": "save each field as an array of its own: np.save(path, a['x'])",
		"[(\"it's\", '<i4')]":          "save each field as an array of its own: np.save(path, a[\"it's\"])",
		"|V2":                          "save numbers or booleans, such as np.float64 or np.bool_",
	} {
		quoted := "'" + descr + "'"
		if descr[0] == '[' {
			quoted = descr
		}
		_, err := Open(writeFile(t, "x.npy", npyText(1, "{'descr': "+quoted+", 'fortran_order': False, 'shape': (1,), }", make([]byte, 16))))
		if e, ok := err.(*Error); !ok || e.Help != help {
			t.Errorf("%s: %v", descr, err)
		}
	}
}
