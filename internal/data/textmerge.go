package data

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a column of text in each chunk, as codes of the chunk's texts. Out: the column as codes of all texts that rows have, in the order
// of their bytes. Chunks sort theirs by themselves, sorted lists are merged two by two, and codes are put down range by range, each on
// all threads. No text is looked for in a table.

// ranked are the different texts of a chunk's rows, in order, and the place of each code among them; of codes without rows it is any.
type ranked struct {
	texts []string
	of    []int32
	nulls bool
}

// rank sorts the texts that rows have.
func (p *partText) rank() ranked {
	r := ranked{of: make([]int32, len(p.texts))}
	used, left := make([]bool, len(p.texts)), len(p.texts)
	for _, c := range p.codes {
		switch {
		case c == noCode:
			r.nulls = true
		case !used[c]:
			used[c] = true
			left--
		}
		if left == 0 && (p.full || r.nulls) {
			break
		}
	}
	list := make([]sortedText, 0, len(p.texts)-left)
	skip := commonPrefix(p.texts)
	for i, text := range p.texts {
		if used[i] {
			list = append(list, sortedText{textKey(text[skip:]), int32(i)})
		}
	}
	slices.SortFunc(list, func(a, b sortedText) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return strings.Compare(p.texts[a.code], p.texts[b.code])
	})
	r.texts = make([]string, 0, len(list))
	for _, s := range list {
		if text := p.texts[s.code]; len(r.texts) == 0 || r.texts[len(r.texts)-1] != text {
			r.texts = append(r.texts, text)
		}
		r.of[s.code] = int32(len(r.texts) - 1)
	}
	return r
}

// sortedText is a text with a number that orders it as its first bytes do.
type sortedText struct {
	key  uint64
	code int32
}

// textKey is less for the lesser of two texts, unless it is equal.
func textKey(text string) uint64 {
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

// commonPrefix is how many bytes all texts begin with.
func commonPrefix(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	n := len(texts[0])
	for _, text := range texts[1:] {
		n = min(n, len(text))
		for texts[0][:n] != text[:n] {
			n--
		}
	}
	return n
}

// codeRange is how many rows get their codes at once.
const codeRange = 1 << 18

// merged makes one dictionary of those of all parts.
func merged(ctx context.Context, chunks []Chunk, parts []partText, ranks []ranked, rows int64, aside *codeFile) (*Coded, error) {
	lists, nulls, blank, null := make([][]string, len(ranks)), false, true, int64(0)
	for i, r := range ranks {
		lists[i], nulls = r.texts, nulls || r.nulls
		if fits := !r.nulls || parts[i].blanks && !parts[i].nulls; blank && !fits {
			blank, null = false, chunks[i].Lo+int64(parts[i].first)
		}
	}
	all, err := mergedTexts(ctx, lists)
	if err != nil {
		return nil, err
	}
	none := len(all) == 0 && rows > 0
	if none {
		all = []string{""} // so that the code of a null is one of the dictionary
	}
	t := &Coded{Texts: ownTexts(all), Blank: nulls && blank, Null: null, rows: rows, none: none}
	t.Kind = CodeKindOf(t.Texts, t.Blank)
	if err := Each(ctx, len(ranks), func(i int) error { ranks[i].moveTo(all); return nil }); err != nil {
		return nil, err
	}
	var spans []codeSpan
	for i := range parts {
		for lo, n := 0, parts[i].rows(); lo < n; lo += codeRange {
			spans = append(spans, codeSpan{i, lo, min(lo+codeRange, n)})
		}
	}
	if t.aside = aside.column(rows, t.Kind, nulls); t.aside == nil {
		t.room(rows, nulls)
	}
	down := func(i int) error {
		s := spans[i]
		codes, err := aside.codesOf(&parts[s.part], s.lo, s.hi)
		if err != nil {
			return err
		}
		return t.put(chunks[s.part].Lo+int64(s.lo), codes, &ranks[s.part])
	}
	if err = Each(ctx, len(spans), down); t.aside != nil && err != nil && aside.full.Load() {
		t.aside = nil // there was no room for the column
		t.room(rows, nulls)
		err = Each(ctx, len(spans), down)
	}
	return t, err
}

// codeSpan are rows lo..hi of a chunk.
type codeSpan struct{ part, lo, hi int }

// rows is how many rows the chunk has.
func (p *partText) rows() int {
	if p.aside != nil {
		return p.aside.rows
	}
	return len(p.codes)
}

// room makes room for all rows in memory.
func (t *Coded) room(rows int64, nulls bool) {
	t.codes = make([]byte, rows*int64(t.Kind.Size()))
	if nulls {
		t.valid = make([]byte, rows)
		fillOnes(t.valid)
	}
}

// put writes a chunk's rows from at on, wherever the column lies.
func (t *Coded) put(at int64, codes []int32, r *ranked) error {
	if t.aside == nil {
		t.place(at, codes, r.of, r.nulls)
		return nil
	}
	part := Coded{Kind: t.Kind}
	part.room(int64(len(codes)), t.nullable())
	part.place(0, codes, r.of, r.nulls)
	err := t.aside.write(at, part.codes, part.valid)
	if err != nil {
		t.aside.file.full.Store(true)
	}
	return err
}

// mergedTexts is one sorted list of several.
func mergedTexts(ctx context.Context, lists [][]string) ([]string, error) {
	for len(lists) > 1 {
		next := make([][]string, (len(lists)+1)/2)
		if err := Each(ctx, len(next), func(i int) error {
			if next[i] = lists[2*i]; 2*i+1 < len(lists) {
				next[i] = twoTexts(lists[2*i], lists[2*i+1])
			}
			return nil
		}); err != nil {
			return nil, err
		}
		lists = next
	}
	if len(lists) == 0 {
		return nil, nil
	}
	return lists[0], nil
}

// twoTexts merges two sorted lists.
func twoTexts(a, b []string) []string {
	if slices.Equal(a, b) {
		return a
	}
	out := make([]string, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		c := strings.Compare(a[0], b[0])
		if c <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out = append(out, b[0])
		}
		if c >= 0 {
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// ownTexts are texts in memory of their own, so that they keep none of what else a page had.
func ownTexts(texts []string) []string {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	var b strings.Builder
	b.Grow(n)
	for _, text := range texts {
		b.WriteString(text)
	}
	whole, out := b.String(), make([]string, len(texts))
	for i, text := range texts {
		out[i], whole = whole[:len(text)], whole[len(text):]
	}
	return out
}

// moveTo changes places among a chunk's texts to those among all.
func (r *ranked) moveTo(all []string) {
	if len(r.texts) == len(all) {
		return
	}
	to, at := make([]int32, len(r.texts)), 0
	for i, text := range r.texts {
		if len(all)/16 > len(r.texts) {
			n, _ := slices.BinarySearch(all[at:], text)
			at += n
		}
		for all[at] != text {
			at++
		}
		to[i] = int32(at)
	}
	for i, place := range r.of {
		if int(place) < len(to) {
			r.of[i] = to[place]
		}
	}
}

// place writes the codes of rows from at on.
func (t *Coded) place(at int64, codes, to []int32, nulls bool) {
	if nulls {
		for i, c := range codes {
			if c == noCode {
				t.valid[at+int64(i)] = 0
			}
		}
	}
	switch t.Kind {
	case num.U8:
		placeCodes(t.codes[at:], codes, to, nulls)
	case num.U16:
		placeCodes(view[uint16](t.codes)[at:], codes, to, nulls)
	default:
		placeCodes(view[uint32](t.codes)[at:], codes, to, nulls)
	}
}

func placeCodes[T uint8 | uint16 | uint32](dst []T, codes, to []int32, nulls bool) {
	dst = dst[:len(codes)]
	if nulls {
		for i, c := range codes {
			if c != noCode {
				dst[i] = T(to[c])
			}
		}
		return
	}
	for i, c := range codes {
		dst[i] = T(to[c])
	}
}
