package parcel

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/godwit-run/godwit/docs/pagetest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var update = flag.Bool("update", false, "rewrite the example in docs/parcels.md")

const page = "../../../docs/parcels.md"

// exampleParcel is the parcel that the page takes apart.
func exampleParcel(t *testing.T) []byte {
	word := func(n uint64, size int) []byte { return binary.LittleEndian.AppendUint64(nil, n)[:size] }
	b := &Batch{
		Set: 3, Sizes: []int64{1000}, Columns: []Far{{Column: 1, Bound: 1000}},
		Kinds: []byte{byte(num.I64), byte(num.I64), byte(num.U32)}, Keep: 6, States: 1,
		Values: [][]byte{word(512, 8), word(0, 8), word(4, 4)},
	}
	p := &Parcel{Header: Header{Kind: Walk, Hops: 64, Left: 2_000_000, Request: 7, Caller: 1<<31 + 1, Code: 0x8899aabbccddeeff}, Payload: b.Append(nil)}
	bytes, err := p.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// TestExample regenerates the example of the page.
func TestExample(t *testing.T) {
	all := exampleParcel(t)
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b, fmt.Appendf(nil, "has %d bytes:", len(all))) {
		t.Errorf("%s does not say that the example has %d bytes", page, len(all))
	}
	pagetest.Example(t, page, all, []pagetest.Field{
		{1, "version 1, walk"}, {1, "no flags"}, {2, "64 hops left"}, {4, "2,000,000 µs left"}, {8, "request 7"}, {4, "caller 2147483649"}, {8, "code ffeeddccbbaa9988"},
		{1, "set 3"}, {3, "one size: 1000"}, {1, "no scalars"}, {4, "one column: number 1, bound 1000"}, {1, "no near regions"},
		{4, "three kinds: i64, i64, u32"}, {1, "keep columns 1 and 2"}, {1, "no faults"}, {1, "one state"}, {8, "wants row 512"}, {8, "has the id 0"}, {4, "has 4 turns left"},
	}, *update)
}

// TestPageIsReadable reads the bytes as they stand on the page.
func TestPageIsReadable(t *testing.T) {
	p, err := Decode(pagetest.Bytes(t, page))
	if err != nil {
		t.Fatal(err)
	}
	s, err := readBatch(p.Payload)
	if err != nil {
		t.Fatal(err)
	}
	if p.Kind != Walk || p.Hops != 64 || p.Header.Code.String() != "ffeeddccbbaa9988" || s.Want(0) != 512 || s.ID(0) != 0 {
		t.Errorf("%+v %+v", p.Header, s)
	}
}

// TestTables finds every kind and reason in the page, with its number, and the
// limits.
func TestTables(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for k := BadKind + 1; k < kinds; k++ {
		if row := fmt.Sprintf("| %d | %s |", k, k); !bytes.Contains(b, []byte(row)) {
			t.Errorf("%s has no row %q", page, row)
		}
	}
	for r := BadReason + 1; r < reasons; r++ {
		if row := fmt.Sprintf("| %d | %s |", r, r); !bytes.Contains(b, []byte(row)) {
			t.Errorf("%s has no row %q", page, row)
		}
	}
	for _, n := range []string{
		fmt.Sprintf("| states | number | %d |", MaxStates), fmt.Sprintf("(1 to %d)", MaxPieces), fmt.Sprintf("(at most %d, and bytes)", MaxAnswer), fmt.Sprintf("most %d bytes of UTF-8", MaxDetail),
		fmt.Sprintf("column %d |", MaxColumn), fmt.Sprintf("at most %d MiB", MaxBytes>>20), fmt.Sprintf("%d bytes, numbers in little-endian", HeaderSize),
		fmt.Sprintf("span of bytes (at most %d of them)", MaxPart), fmt.Sprintf("are i64 | %d |", MaxKinds), fmt.Sprintf("| sizes | numbers, natural | %d |", maxSizes), fmt.Sprintf("each | %d |", maxScalars),
	} {
		if !bytes.Contains(b, []byte(n)) {
			t.Errorf("%s does not say %q", page, n)
		}
	}
}
