package column

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/godwit-run/godwit/internal/ir/num"
)

func narrow(n int) num.Kind {
	if n <= 256 {
		return num.U8
	}
	return num.U32
}

// Codes say the same texts as before, in a dictionary that is sorted and has just those.
func TestOrdered(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	words := []string{"", "b", "a", "b", "é", "zz", "unused", "Ab"}
	for round := range 200 {
		kind := []num.Kind{num.U8, num.U16, num.I32, num.U32, num.I64}[r.IntN(5)]
		n := int64(r.IntN(40))
		c := Column{Kind: kind, Dims: []int64{n}, Data: make([]byte, n*int64(kind.Size())), Texts: words[:r.IntN(len(words)+1)]}
		var present []byte
		if r.IntN(2) == 0 {
			present = make([]byte, n)
		}
		want := make([]string, n)
		null := make([]bool, n)
		var seen []string
		for i := range n {
			code := r.IntN(len(words))
			c.Set(i, uint64(code))
			if present != nil {
				present[i] = byte(r.IntN(2))
			}
			if null[i] = code >= len(c.Texts) || present != nil && present[i] == 0; !null[i] {
				want[i] = words[code]
				seen = append(seen, words[code])
			}
		}
		slices.Sort(seen)
		seen = slices.Compact(seen)
		got := c.Ordered(n, present, narrow)
		if len(seen) > 0 && !slices.Equal(got.Texts, seen) || len(seen) == 0 && n > 0 && len(got.Texts) != 1 {
			t.Fatalf("round %d: the dictionary is %q, of %q", round, got.Texts, seen)
		}
		for i := range n {
			switch code := got.At(i); {
			case null[i] && code != 0, code >= uint64(len(got.Texts)), !null[i] && got.Texts[code] != want[i]:
				t.Fatalf("round %d: row %d has code %d of %q, want %q", round, i, code, got.Texts, want[i])
			}
		}
	}
}

// A column that is in order already is not copied.
func TestOrderedShares(t *testing.T) {
	c := Column{Kind: num.U8, Dims: []int64{3}, Data: []byte{1, 0, 1}, Texts: []string{"a", "b"}}
	got := c.Ordered(3, nil, narrow)
	if unsafe.SliceData(got.Data) != unsafe.SliceData(c.Data) || !slices.Equal(got.Texts, c.Texts) {
		t.Errorf("%v of %q was copied to %v of %q", c.Data, c.Texts, got.Data, got.Texts)
	}
}
