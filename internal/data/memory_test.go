package data

import (
	"bytes"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

func TestMemory(t *testing.T) {
	xs := []int32{1, -2, 3}
	src := FromSlice(xs)
	raw, ok := src.Raw(0)
	if !ok || &raw.Bytes[0] != &bytesOf(xs)[0] {
		t.Error("the slice was copied")
	}
	got, _ := readAll(t, src, Want{Kind: num.I8})
	if !bytes.Equal(got, []byte{1, 0xfe, 3}) {
		t.Error(got)
	}
	if src.Unchanged() != nil || src.Format() != "memory" {
		t.Error(src.Unchanged(), src.Format())
	}
}

func TestFromBytes(t *testing.T) {
	cols := []Column{{Name: "a", Kind: num.I16}, {Name: "b", Kind: num.F64, Dims: []int64{2}}}
	values := [][]byte{bytesOf([]int16{1, 2, 3}), bytesOf([]float64{1, 2, 3, 4, 5, 6})}
	src := FromBytes("table", cols, 3, values, [][]byte{{1, 0, 1}, nil})
	got, valid := readAll(t, src, Want{Kind: num.I16, Option: true})
	if !bytes.Equal(got, bytesOf([]int16{1, 0, 3})) || !bytes.Equal(valid, []byte{1, 0, 1}) {
		t.Error(got, valid)
	}
	_, _, err := tryReadAll(src, Want{Kind: num.I16})
	wantError(t, "table", err, ": row 1: column `a`: expected a value, found a null")
	got, _ = readAll(t, src, Want{Column: 1, Kind: num.F64})
	if !bytes.Equal(got, values[1]) {
		t.Error(got)
	}
	bad := FromBytes("table", cols, 4, values, nil)
	wantError(t, "table", Check(bad, []Want{{Kind: num.I16}}), ": column `a`: 4 rows need 8 bytes, 6 are given")
}

func TestManyMemoryChunks(t *testing.T) {
	xs := make([]uint8, 3<<20+5)
	for i := range xs {
		xs[i] = uint8(i * 7 >> 3)
	}
	src := FromSlice(xs)
	if len(src.Chunks()) != 4 {
		t.Error(len(src.Chunks()))
	}
	got, _ := readAll(t, src, Want{Kind: num.U8})
	if !bytes.Equal(got, xs) {
		t.Error("other values")
	}
}
