package data

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// offsetWidth is how many bytes the offsets of a type of text have, or its views; 0 for other types.
func offsetWidth(t arrow.DataType) int64 {
	switch t.(type) {
	case *arrow.StringType:
		return 4
	case *arrow.LargeStringType:
		return 8
	case *arrow.StringViewType:
		return viewWidth
	}
	return 0
}

// readText implements texter.
func (s *arrowFile) readText(ctx context.Context, chunk int, columns []int, _ []bool, parts []partText) (err error) {
	defer guard(s.input.path, &err)
	part, c := s.of[chunk], s.chunks[chunk]
	for k, column := range columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.leaves[column].null {
			parts[k].valueless(c.Rows())
			continue
		}
		r := &arrowReader{arrowFile: s, batch: &s.batches[part.batch], col: &s.cols[column], leaf: &s.leaves[column], bufs: new(pageBuffers)}
		if err := r.readText(part.first, part.first+c.Rows(), &parts[k]); err != nil {
			return err
		}
	}
	return nil
}

// readText reads the rows [lo, hi) of the batch.
func (r *arrowReader) readText(lo, hi int64, p *partText) error {
	v := r.valueBuffer(r.batch, r.leaf)
	if r.leaf.node >= len(r.batch.nodes) || r.batch.nodes[r.leaf.node].rows != r.batch.rows || v >= len(r.batch.buffers) {
		return r.bad("a batch has too few arrays or buffers")
	}
	var nulls bitmap
	var err error
	if r.batch.nodes[r.leaf.node].nulls != 0 {
		if nulls, err = r.bits(v-1, lo, hi, &r.bufs.levels); err != nil {
			return err
		}
	}
	p.codes = make([]int32, 0, hi-lo)
	if r.leaf.index != num.Invalid {
		return r.textCodes(v, lo, hi, nulls, p)
	}
	i := 0
	return r.eachText(v, lo, hi, nulls, func(b []byte) {
		if nulls.bits != nil && nulls.at(i) == 0 {
			p.null()
		} else {
			p.add(b)
		}
		i++
	})
}

// eachText calls f with the texts [lo, hi), whose offsets are in a buffer and whose bytes in the next. Where a null is, the text may be any.
func (r *arrowReader) eachText(offsets int, lo, hi int64, nulls bitmap, f func(b []byte)) error {
	w := r.leaf.text
	if hi == lo {
		return nil
	}
	if w == viewWidth {
		return r.eachView(offsets, lo, hi, nulls, f)
	}
	if offsets+1 >= len(r.batch.buffers) {
		return r.bad("a batch has too few buffers")
	}
	b, err := r.bytes(offsets, lo*w, (hi+1)*w, &r.bufs.page)
	if err != nil {
		return err
	}
	at := func(i int64) int64 {
		if w == 4 {
			return int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
		}
		return int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	first, last := at(0), at(hi-lo)
	if first < 0 || last < first || !r.batch.compressed && last > r.batch.buffers[offsets+1].length {
		return r.bad(fmt.Sprintf("its texts lie from byte %d to %d", first, last))
	}
	data, err := r.bytes(offsets+1, first, last, &r.bufs.stored)
	if err != nil {
		return err
	}
	for i := range hi - lo {
		from, to := at(i)-first, at(i+1)-first
		if from < 0 || to < from || to > int64(len(data)) {
			return r.bad(fmt.Sprintf("a text lies from byte %d to %d", from, to))
		}
		f(data[from:to])
	}
	return nil
}

// textCodes reads codes, and the texts that they stand for.
func (r *arrowReader) textCodes(buffer int, lo, hi int64, nulls bitmap, p *partText) error {
	size := int64(r.leaf.index.Size())
	b, err := r.bytes(buffer, lo*size, hi*size, &r.bufs.page)
	if err != nil {
		return err
	}
	wide := make([]byte, 8*(hi-lo))
	convert(wide, Want{Kind: num.I64}, b, r.leaf.index)
	texts, err := r.textDictionary()
	if err != nil {
		return err
	}
	codes := make([]int32, len(texts))
	for i := range codes {
		codes[i] = noCode
	}
	for i, c := range view[int64](wide) {
		switch {
		case nulls.bits != nil && nulls.at(i) == 0:
			p.null()
		case c < 0 || c >= int64(len(texts)):
			return r.bad(fmt.Sprintf("a code is %d, the dictionary has %d values", c, len(texts)))
		case codes[c] == noCode:
			p.add([]byte(texts[c]))
			codes[c] = p.codes[len(p.codes)-1]
		default:
			p.codes = append(p.codes, codes[c])
		}
	}
	return nil
}

// textDictionary reads all texts of the column's dictionary.
func (r *arrowReader) textDictionary() ([]string, error) {
	var texts []string
	for i := range r.dictionaries {
		m := &r.dictionaries[i]
		if m.dictionary != r.leaf.dictionary {
			continue
		}
		if len(texts) > 0 && !m.delta {
			return nil, r.bad("its dictionary is replaced inside the stream, which is not supported")
		}
		if len(m.batch.nodes) < 1 || m.batch.nodes[0].rows != m.batch.rows || m.batch.nodes[0].nulls != 0 {
			return nil, r.bad("its dictionary is damaged, or has nulls")
		}
		leaf := &arrowLeaf{text: r.leaf.text}
		part := &arrowReader{arrowFile: r.arrowFile, batch: &m.batch, col: r.col, leaf: leaf, bufs: new(pageBuffers)}
		if err := part.eachText(1, 0, m.batch.rows, bitmap{}, func(b []byte) { texts = append(texts, string(b)) }); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// readText implements texter for Arrow arrays in memory.
func (s *memorySource) readText(_ context.Context, chunk int, columns []int, _ []bool, parts []partText) error {
	b, c := &s.batches[s.of[chunk]], s.chunks[chunk]
	for k, column := range columns {
		p := &parts[k]
		if b.arrays == nil {
			return columnError(s.name, &s.cols[column], "it has no text")
		}
		for i := c.Lo - b.lo; i < c.Hi-b.lo; i++ {
			text, ok := textAt(b.arrays[column], int(i))
			if !ok {
				p.null()
				continue
			}
			p.add([]byte(text))
		}
	}
	return nil
}

// textAt is element i of an array of text; false where it has none.
func textAt(a arrow.Array, i int) (string, bool) {
	if a.IsNull(i) {
		return "", false
	}
	switch a := a.(type) {
	case *array.String:
		return a.Value(i), true
	case *array.LargeString:
		return a.Value(i), true
	case *array.StringView:
		return a.Value(i), true
	case *array.Dictionary:
		return textAt(a.Dictionary(), a.GetValueIndex(i))
	}
	return "", false
}
