package data

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
	"pgregory.net/rapid"
)

// Whatever chunks have and however their dictionaries say it: rows keep their texts, and the dictionary is that of the rows.
func TestMergedTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []*string
		var chunks []Chunk
		var parts []partText
		var ranks []ranked
		aside := asideOf(t)
		text := rapid.SampledFrom([]string{"", "a", "a\x00", "aa", "common prefix 1", "common prefix 12345678x", "common prefix 12345678y", "é", "z"})
		if rapid.Bool().Draw(t, "many texts") {
			text = rapid.Map(rapid.IntRange(0, 999), func(i int) string { return fmt.Sprintf("id%010d", i) })
		}
		for range rapid.IntRange(0, 5).Draw(t, "chunks") {
			p := partText{texts: rapid.SliceOf(text).Draw(t, "texts")} // the same one twice, too
			lo := int64(len(rows))
			for range rapid.IntRange(0, 40).Draw(t, "rows") {
				c := rapid.Int32Range(noCode, int32(len(p.texts))-1).Draw(t, "code")
				p.codes = append(p.codes, c)
				if c == noCode {
					rows = append(rows, nil)
				} else {
					rows = append(rows, &p.texts[c])
				}
			}
			p.full = !slices.Contains(p.codes, noCode)
			ranks = append(ranks, p.rank())
			aside.take(&p)
			chunks, parts = append(chunks, Chunk{lo, int64(len(rows))}), append(parts, p)
		}
		got, err := merged(WithThreads(t.Context(), rapid.IntRange(0, 3).Draw(t, "threads")), chunks, parts, ranks, int64(len(rows)), aside)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, r := range rows {
			if r != nil {
				want = append(want, *r)
			}
		}
		slices.Sort(want)
		if want = slices.Compact(want); len(want) == 0 && len(rows) > 0 {
			want = []string{""}
		}
		if !slices.Equal(got.Texts, want) {
			t.Fatalf("the dictionary is %q, expected %q", got.Texts, want)
		}
		codes, valid, err := got.Rows(0, int64(len(rows)))
		if err != nil {
			t.Fatal(err)
		}
		if (valid != nil) != slices.Contains(rows, nil) || got.nullable() != (valid != nil) {
			t.Fatalf("validity is %v", valid)
		}
		if at, err := got.Missing(); err != nil || at != int64(slices.Index(rows, nil)) {
			t.Fatalf("a value is missing in row %d (%v)", at, err)
		}
		if got.Valueless() != (len(rows) > 0 && !slices.ContainsFunc(rows, func(r *string) bool { return r != nil })) {
			t.Fatalf("no row has a value: %t", got.Valueless())
		}
		wide := make([]byte, 8*len(rows))
		convert(wide, Want{Kind: num.I64}, codes, got.Kind)
		for i, r := range rows {
			c := view[int64](wide)[i]
			switch {
			case r == nil && (c != 0 || valid[i] != 0), r != nil && (got.Texts[c] != *r || valid != nil && valid[i] != 1):
				t.Fatalf("row %d has code %d", i, c)
			}
		}
	})
}

// Codes of every width are those that one by one are there, and one beyond the dictionary is found wherever it lies.
func TestLookUpPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := uint(rapid.IntRange(1, 32).Draw(t, "width"))
		size := rapid.IntRange(1, 1<<min(width, 10)).Draw(t, "entries")
		dict := make([]uint32, size)
		for i := range dict {
			dict[i] = uint32(i) * 2654435761
		}
		codes := rapid.SliceOfN(rapid.IntRange(0, size-1), 1, 70).Draw(t, "codes")
		if width < 32 && size < 1<<width && rapid.Bool().Draw(t, "bad") {
			codes[rapid.IntRange(0, len(codes)-1).Draw(t, "at")] = size
		}
		packed := make([]byte, (len(codes)*int(width)+7)/8, len(codes)*4+16)
		for i, c := range codes {
			var b [8]byte
			bit := i * int(width)
			binary.LittleEndian.PutUint64(b[:], uint64(c)<<(bit&7))
			for j, x := range b {
				if bit/8+j < len(packed) {
					packed[bit/8+j] |= x
				}
			}
		}
		out := make([]uint32, len(codes))
		look := lookUpPacked[uint32]
		if width <= widestPair && rapid.Bool().Draw(t, "pairs") {
			look = pairsOf(dict, width).lookUp
		}
		err := look(out, dict, packed, width)
		if bad := slices.Max(codes) == size; bad || err != nil {
			if bad != (err == errCode) {
				t.Fatal(bad, err)
			}
			return
		}
		for i, c := range codes {
			if out[i] != dict[c] {
				t.Fatalf("width %d: value %d is %d, expected %d", width, i, out[i], dict[c])
			}
		}
	})
}
