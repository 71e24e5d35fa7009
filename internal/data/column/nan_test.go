package column

import (
	"encoding/binary"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// One NaN of any form is found among infinities and the greatest numbers, wherever it stands,
// and nothing else changes.
func TestCanonicalNaN(t *testing.T) {
	for _, c := range []struct {
		kind        num.Kind
		canon       uint64
		nans, other []uint64
	}{
		{num.F32, 0x7fc00000, []uint64{0x7f800001, 0x7fc00000, 0x7fffffff, 0xff800001, 0xffffffff}, []uint64{0x7f800000, 0xff800000, 0x7f7fffff, 0x80000000, 1, 0}},
		{num.F64, 0x7ff8000000000000, []uint64{0x7ff0000000000001, 0x7fffffffffffffff, 0xfff0000000000001, 1<<64 - 1}, []uint64{0x7ff0000000000000, 0xfff0000000000000, 0x7fefffffffffffff, 1 << 63, 1, 0}},
	} {
		size := c.kind.Size()
		for _, n := range []int{1, 2, 7, 300} {
			for at := range n {
				for _, nan := range c.nans {
					data := make([]byte, n*size)
					for i := range n {
						Put(c.kind, data, int64(i), c.other[i%len(c.other)])
					}
					Put(c.kind, data, int64(at), nan)
					CanonicalNaN(c.kind, data)
					for i := range n {
						want := c.other[i%len(c.other)]
						if i == at {
							want = c.canon
						}
						if got := bits(data[i*size:], size); got != want {
							t.Fatalf("%s: element %d of %d is %#x, expected %#x (NaN %#x at %d)", c.kind, i, n, got, want, nan, at)
						}
					}
				}
			}
		}
	}
}

func bits(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}
