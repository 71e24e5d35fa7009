package parcel

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// What stands at the places of columns is what a reader finds there.
func TestPlaces(t *testing.T) {
	head := (&Header{Kind: Walk}).Append(nil, nil)
	rapid.Check(t, func(t *rapid.T) {
		hold := func(what string, all []byte, columns [][]byte, at []int) {
			if len(at) != len(columns) {
				t.Fatalf("%d places of %d %s", len(at), len(columns), what)
			}
			for i, c := range columns {
				if !bytes.Equal(all[at[i]:][:len(c)], c) {
					t.Fatalf("%s %d is %x, and %x stands at its place, %d of %d bytes", what, i, c, all[at[i]:][:len(c)], at[i], len(all))
				}
			}
		}
		b, a := batch(t), answer(t)
		walk, result := b.Append(bytes.Clone(head)), a.Append(bytes.Clone(head))
		hold("value", walk, b.Values, b.Places(len(walk)))
		hold("column", result, a.Columns, a.Places(len(result)))
	})
}

// The fields of a header are those that were written, whatever they are, unless there are too few bytes or they are of another version.
func TestFields(t *testing.T) {
	h := Header{Kind: Walk, Flags: Last | Carries, Hops: 1, Left: 2, Request: 3, Caller: 4, Code: 5}
	b := h.Append(nil, nil)
	if got, ok := Fields(b[:HeaderSize]); !ok || got != h {
		t.Errorf("%+v, %v; expected %+v", got, ok, h)
	}
	if _, ok := Fields(b[:HeaderSize-1]); ok {
		t.Error("a byte is missing, and there is a header")
	}
	b[0] += 1 << 4
	if _, ok := Fields(b); ok {
		t.Error("another version has a header")
	}
}
