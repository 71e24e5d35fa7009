package node

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"pgregory.net/rapid"
)

// rowsOf is an answer with columns whose bytes are the numbers of their elements,
// of groups that each begin at first and have count elements in the first operand,
// and twice that in the second.
func rowsOf(outs int, groups ...[2]int64) *parcel.Answer {
	a := new(parcel.Answer)
	for _, g := range groups {
		for out := range int64(outs) {
			e := parcel.Extent{First: g[0] * (out + 1), Count: g[1] * (out + 1)}
			column := make([]byte, e.Count)
			for i := range column {
				column[i] = byte(e.First + int64(i))
			}
			a.Extents, a.Columns = append(a.Extents, e), append(a.Columns, column)
		}
	}
	return a
}

// Whoever has which rows, and in which order they are listed, the whole has them in
// order, and those together that follow each other.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outs := rapid.IntRange(1, 2).Draw(t, "outs")
		parts := make([][][2]int64, rapid.IntRange(1, 4).Draw(t, "parts"))
		for i := range parts { // none is without rows
			parts[i] = [][2]int64{{int64(i), 1}}
		}
		want := [][2]int64{{0, int64(len(parts))}}
		for range rapid.IntRange(0, 6).Draw(t, "more") {
			last := &want[len(want)-1]
			next := [2]int64{last[0] + last[1] + rapid.Int64Range(0, 1).Draw(t, "gap"), rapid.Int64Range(0, 3).Draw(t, "count")}
			if next[0] == last[0]+last[1] {
				last[1] += next[1]
			} else {
				want = append(want, next)
			}
			i := rapid.IntRange(0, len(parts)-1).Draw(t, "part")
			parts[i] = append(parts[i], next)
		}
		f := &fan{outs: outs}
		for _, groups := range rapid.Permutation(parts).Draw(t, "order") {
			f.parts = append(f.parts, part{answer: rowsOf(outs, groups...)})
		}
		got, err := f.whole()
		if err != nil {
			t.Fatal(err)
		}
		all := rowsOf(outs, want...)
		if !slices.Equal(got.Extents, all.Extents) || !slices.EqualFunc(got.Columns, all.Columns, bytes.Equal) {
			t.Fatalf("%v with %v, expected %v with %v", got.Extents, got.Columns, all.Extents, all.Columns)
		}
	})
}

func TestWholeRefuses(t *testing.T) {
	bare := rowsOf(1, [2]int64{0, 1})
	bare.Extents = nil
	var scattered [][2]int64
	for i := range int64(parcel.MaxAnswer + 1) {
		scattered = append(scattered, [2]int64{2 * i, 1})
	}
	for _, test := range []struct {
		name, want string
		outs       int
		answers    []*parcel.Answer
	}{
		{"no extents", "part 1 of 2: expected columns of 1 operands, found 1 with 0 extents", 1, []*parcel.Answer{rowsOf(1, [2]int64{1, 1}), bare}},
		{"columns of none", "expected columns of 0 operands, found 1", 0, []*parcel.Answer{rowsOf(1, [2]int64{0, 1})}},
		{"an overlap", "of operand 0 that is written end at 3 and go on at 2", 1, []*parcel.Answer{rowsOf(1, [2]int64{2, 1}), rowsOf(1, [2]int64{0, 3})}},
		{"too many groups", "make 65537 columns, an answer has at most 65536", 1, []*parcel.Answer{rowsOf(1, scattered...)}},
	} {
		f := &fan{outs: test.outs}
		for _, a := range test.answers {
			f.parts = append(f.parts, part{answer: a})
		}
		if _, err := f.whole(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, expected %q", test.name, err, test.want)
		}
	}
	f := &fan{parts: []part{{answer: new(parcel.Answer)}}}
	if a, err := f.whole(); err != nil || len(a.Columns) != 0 {
		t.Errorf("a tree that writes nothing has the answer %v, %v", a, err)
	}
}
