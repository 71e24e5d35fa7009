package column

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a column of text, as the numbers of entries of a list in any order, which may have some twice and some that no row uses. Out: the same in a
// dictionary: the different texts that the rows have, in the order of their bytes. A column that is so already is not copied.

// Ordered gives the codes of the first n scalars and their dictionary; present, if set, has a byte for each of them, 0 for what is null and
// counts as the first entry. What is no number of an entry counts as null too.
func (c Column) Ordered(n int64, present []byte, kind func(entries int) num.Kind) Column {
	used := make([]bool, len(c.Texts))
	whole := c.mark(n, present, used)
	var at []int // of the entries that are used, in order
	for i, is := range used {
		if is {
			at = append(at, i)
		}
	}
	ascending := func(a, b int) int { return strings.Compare(c.Texts[a], c.Texts[b]) }
	same := whole && len(at) == len(c.Texts)
	if !slices.IsSortedFunc(at, ascending) {
		same = false
		slices.SortFunc(at, ascending)
	}
	code, texts := make([]uint64, len(c.Texts)), make([]string, 0, max(1, len(at)))
	for _, i := range at {
		if len(texts) == 0 || texts[len(texts)-1] != c.Texts[i] {
			texts = append(texts, c.Texts[i])
		} else {
			same = false
		}
		code[i] = uint64(len(texts) - 1)
	}
	if len(texts) == 0 && n > 0 {
		texts = append(texts, "") // so that the code of a null is one of the dictionary
	}
	to := Column{Kind: kind(len(texts)), Dims: c.Dims, Texts: texts}
	if same && c.Kind.Size() == to.Kind.Size() {
		to.Data = c.Data[:n*int64(to.Kind.Size())]
		return to
	}
	to.Data = make([]byte, n*int64(to.Kind.Size()))
	for i := range n {
		if x := c.At(i); x < uint64(len(code)) && (present == nil || present[i] != 0) {
			to.Set(i, code[x])
		}
	}
	return to
}

// mark notes which entries the first n scalars use, and reports whether each of them is one.
func (c Column) mark(n int64, present []byte, used []bool) bool {
	whole := true
	take := func(i int64, x uint64) {
		if x < uint64(len(used)) && (present == nil || present[i] != 0) {
			used[x] = true
		} else {
			whole = false
		}
	}
	switch le := binary.LittleEndian; {
	case c.Kind.Size() == 4 && present == nil: // as results have them
		for i := range n {
			if x := uint64(le.Uint32(c.Data[4*i:])); x < uint64(len(used)) {
				used[x] = true
			} else {
				whole = false
			}
		}
	default:
		for i := range n {
			take(i, c.At(i))
		}
	}
	return whole
}
