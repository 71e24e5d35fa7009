package parcel

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

func oneState() (*Header, *Batch) {
	b := &Batch{
		Set: 3, Sizes: []int64{1 << 30}, Scalars: []uint64{64}, Columns: []Far{{Column: 1, Bound: 1 << 30}}, States: 1, Keep: 6,
		Kinds: []byte{byte(num.I64), byte(num.I64), byte(num.I64), byte(num.U32)},
	}
	for _, k := range b.Kinds {
		b.Values = append(b.Values, make([]byte, num.Kind(k).Size()))
	}
	return &Header{Kind: Walk, Hops: 4096, Left: 1e6, Request: 77, Caller: 1 << 31, Code: 99}, b
}

func BenchmarkWalkRead(b *testing.B) {
	h, batch := oneState()
	bytes := batch.Append(h.Append(nil, nil))
	b.ReportAllocs()
	b.SetBytes(int64(len(bytes)))
	var into Batch
	for b.Loop() {
		_, _, payload, err := ReadHeader(bytes)
		if err == nil {
			err = ReadBatch(&into, payload)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWalkAppend(b *testing.B) {
	h, batch := oneState()
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst = batch.Append(h.Append(dst[:0], nil))
	}
	b.SetBytes(int64(len(dst)))
}

func BenchmarkReaddress(b *testing.B) {
	h, batch := oneState()
	bytes := batch.Append(h.Append(nil, nil))
	for b.Loop() {
		h.Hops--
		Readdress(bytes, h)
	}
}
