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
	c.recode(&to, n, present, code)
	return to
}

// recode gives n scalars other codes; what is null keeps 0.
func (c Column) recode(to *Column, n int64, present []byte, code []uint64) {
	le, out, size := binary.LittleEndian, to.Data, to.Kind.Size()
	c.each(n, func(at int64, codes []uint64) {
		for i, x := range codes {
			i := at + int64(i)
			if x >= uint64(len(code)) || present != nil && present[i] == 0 {
				continue
			}
			switch y := code[x]; size {
			case 1:
				out[i] = byte(y)
			case 2:
				le.PutUint16(out[2*i:], uint16(y))
			case 4:
				le.PutUint32(out[4*i:], uint32(y))
			default:
				le.PutUint64(out[8*i:], y)
			}
		}
	})
}

// mark notes which entries the first n scalars use, and reports whether each of them is one.
func (c Column) mark(n int64, present []byte, used []bool) bool {
	whole := true
	c.each(n, func(at int64, codes []uint64) {
		for i, x := range codes {
			if x < uint64(len(used)) && (present == nil || present[at+int64(i)] != 0) {
				used[x] = true
			} else {
				whole = false
			}
		}
	})
	return whole
}

// Beyond is the first scalar that is no index below bound; -1 if all are.
func (c Column) Beyond(bound uint64) int64 {
	first := int64(-1)
	c.each(c.Len(), func(at int64, list []uint64) {
		if first >= 0 || slices.Max(list) < bound {
			return
		}
		first = at + int64(slices.IndexFunc(list, func(x uint64) bool { return x >= bound }))
	})
	return first
}

// each gives the first n scalars in their bit form, some at a time, and the place of the first of these.
func (c Column) each(n int64, see func(at int64, list []uint64)) {
	var buf [512]uint64
	le := binary.LittleEndian
	for at := int64(0); at < n; at += int64(len(buf)) {
		list := buf[:min(int64(len(buf)), n-at)]
		switch b := c.Data[at*int64(c.Kind.Size()):]; c.Kind {
		case num.Bool, num.U8:
			for i := range list {
				list[i] = uint64(b[i])
			}
		case num.U16:
			for i := range list {
				list[i] = uint64(le.Uint16(b[2*i:]))
			}
		case num.U32, num.F32:
			for i := range list {
				list[i] = uint64(le.Uint32(b[4*i:]))
			}
		case num.I64, num.U64, num.F64:
			for i := range list {
				list[i] = le.Uint64(b[8*i:])
			}
		default:
			for i := range list {
				list[i] = c.At(at + int64(i))
			}
		}
		see(at, list)
	}
}
