package run

import (
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestPack: what outer indices say they have kept moves to the front, up to what is taken, and is not
// believed.
func TestPack(t *testing.T) {
	const grain, slot = 4, 2
	stretches := func() []byte {
		b := make([]byte, 4*grain*slot)
		for i := range b {
			b[i] = byte(i)
		}
		return b
	}
	counts := func(ns ...int64) []byte {
		b := make([]byte, 8*len(ns))
		for i, n := range ns {
			column.Put(num.I64, b, int64(i), uint64(n))
		}
		return b
	}
	for _, c := range []struct {
		counts []int64
		most   int64
		want   string
		end    int64
	}{
		{[]int64{1, 0, 2, 1}, -1, "\x00\x01\x10\x11\x12\x13\x18\x19", 14},
		{[]int64{1, 0, 2, 1}, 3, "\x00\x01\x10\x11\x12\x13", 13},
		{[]int64{1, 0, 2, 1}, 2, "\x00\x01", 12},
		{[]int64{3, 0, 0, 0}, 0, "\x00\x01\x02\x03\x04\x05", 11},
		{[]int64{0, 0, 0, 0}, 0, "", 14},
	} {
		got, kept, end, err := Pack(stretches(), counts(c.counts...), grain*slot, grain, 10, 14, c.most)
		if err != nil || string(got) != c.want || end != c.end || kept != int64(len(c.want)/slot) {
			t.Errorf("%v, at most %d: %q up to %d (%d kept, %v), expected %q up to %d", c.counts, c.most, got, end, kept, err, c.want, c.end)
		}
	}
	for _, bad := range []int64{-1, 5, 1 << 62} {
		if _, _, _, err := Pack(stretches(), counts(0, bad, 0, 0), grain*slot, grain, 10, 14, -1); err == nil {
			t.Errorf("%d of %d slots kept: no error", bad, grain)
		}
	}
}
