package data

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Texts of all lengths get the numbers that a map gives them, be they alike in their first or last bytes, or nothing but zeros.
func TestTextTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"\x00", "a", "ab", "\x00\xff"}).Draw(t, "letters")
		text := rapid.Custom(func(t *rapid.T) string {
			var b strings.Builder
			for range rapid.IntRange(0, 40).Draw(t, "length") {
				b.WriteByte(letters[rapid.IntRange(0, len(letters)-1).Draw(t, "letter")])
			}
			return b.String()
		})
		first := rapid.SliceOfN(text, 0, 20).Draw(t, "dictionary")
		p, known := partText{texts: first}, map[string]int32{}
		for i, s := range first {
			if _, ok := known[s]; !ok {
				known[s] = int32(i)
			}
		}
		next := int32(len(first))
		list := rapid.SliceOfN(text, 0, 300).Draw(t, "texts")
		codes, together := make([]uint32, len(list)), rapid.Bool().Draw(t, "together")
		for i := 0; together && i < len(list); i += textsAtOnce {
			var some [][]byte
			for _, s := range list[i:min(i+textsAtOnce, len(list))] {
				some = append(some, []byte(s))
			}
			p.codesOf(some, codes[i:])
		}
		for i, s := range list {
			got := int32(codes[i])
			if !together {
				got = p.code([]byte(s))
			}
			if _, ok := known[s]; !ok {
				known[s], next = next, next+1
			}
			if got != known[s] || p.texts[got] != s {
				t.Fatalf("%q is number %d, expected %d", s, got, known[s])
			}
		}
	})
}

func BenchmarkTextCodes(b *testing.B) {
	var list [][]byte
	for i := range 100_000 {
		list = append(list, []byte("id00000"+strings.Repeat("0", i%2)+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676%26))+string(rune('a'+i/17576))))
	}
	b.ResetTimer()
	for b.Loop() {
		var p partText
		var codes [textsAtOnce]uint32
		var texts [textsAtOnce][]byte
		for i := 0; i < 1_000_000; i += textsAtOnce {
			for j := range texts {
				texts[j] = list[(i+j)*7919%len(list)]
			}
			p.codesOf(texts[:], codes[:])
		}
	}
}
