package run

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func TestOutsideFindsTheFirst(t *testing.T) {
	kinds := []num.Kind{num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		bound := rapid.OneOf(rapid.Int64Range(1, 300), rapid.Int64Range(1, 1<<62),
			rapid.Map(rapid.IntRange(0, 62), func(n int) int64 { return 1 << n })).Draw(t, "bound")
		b := make([]byte, rapid.IntRange(0, 70).Draw(t, "n")*k.Size())
		for i := range len(b) / k.Size() {
			column.Put(k, b, int64(i), uint64(rapid.Int64Range(0, bound-1).Draw(t, "in"))&(k.MaxInt()))
		}
		for range rapid.IntRange(0, 2).Draw(t, "bad") {
			if len(b) > 0 {
				i := rapid.IntRange(0, len(b)/k.Size()-1).Draw(t, "at")
				column.Put(k, b, int64(i), rapid.Uint64().Draw(t, "out"))
			}
		}
		want := -1
		for i := range len(b) / k.Size() {
			v := column.Get(k, b, int64(i))
			if k.IsSigned() && int64(v) < 0 || v >= uint64(bound) {
				want = i
				break
			}
		}
		if got := outside(b, k, bound); got != want {
			t.Fatalf("%d, expected %d", got, want)
		}
	})
}

// TestSums holds what is done by vectors to what is done word by word, from any word on.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Uint64(), 0, 100).Draw(t, "words")
		words = words[rapid.IntRange(0, len(words)).Draw(t, "from"):]
		add := rapid.Uint64().Draw(t, "add")
		want := uint64(0)
		for _, x := range words {
			want |= x | (x + add)
		}
		if got := sums(words, add); got != want {
			t.Fatalf("%x, expected %x", got, want)
		}
		if got := merged(words, add); got != want {
			t.Fatalf("word by word %x, expected %x", got, want)
		}
	})
}
