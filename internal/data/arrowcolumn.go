package data

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// arrowBlock is the number of rows that are read and converted at a time.
const arrowBlock = 1 << 15

// checkColumns makes sure that the columns that can be read have their nodes
// and buffers in the next batch, and that these are long enough.
func (s *arrowFile) checkColumns(b *arrowBatch) error {
	for c := range s.cols {
		if s.cols[c].Kind == num.Invalid {
			continue
		}
		if err := s.checkBatch(b, &s.leaves[c], s.lies(c)); err != nil {
			e := columnError(s.input.path, &s.cols[c], fmt.Sprintf("batch %d is damaged: %v", len(s.batches), err))
			e.Help = "write or copy the file again"
			return e
		}
	}
	return nil
}

// lies is how the values of a column lie in the file.
func (s *arrowFile) lies(column int) *Column {
	if l := s.leaves[column].lies; l != nil {
		return l
	}
	return &s.cols[column]
}

func (s *arrowFile) checkBatch(b *arrowBatch, l *arrowLeaf, col *Column) error {
	if l.null {
		if l.node >= len(b.nodes) || b.nodes[l.node].rows != b.rows {
			return fmt.Errorf("only %d arrays, or one of other rows", len(b.nodes))
		}
		return nil
	}
	if len(b.variadic) < l.variadic {
		return fmt.Errorf("%d view columns, %d counts of their buffers", l.variadic, len(b.variadic))
	}
	for _, n := range b.variadic[:l.variadic] {
		if n < 0 || n > int64(len(b.buffers)) {
			return fmt.Errorf("%d buffers of a view column", n)
		}
	}
	if l.node+l.layers >= len(b.nodes) || s.valueBuffer(b, l) >= len(b.buffers) {
		return fmt.Errorf("only %d arrays and %d buffers", len(b.nodes), len(b.buffers))
	}
	rows, ok := b.rows, true
	for i := range l.layers + 1 {
		if n := b.nodes[l.node+i].rows; !ok || n != rows {
			return fmt.Errorf("an array of %d elements, %d were expected", n, rows)
		}
		if i < l.layers {
			rows, ok = mulFits(rows, col.Dims[i])
		}
		if i > 0 && i < l.layers && b.nodes[l.node+i].nulls != 0 {
			return fmt.Errorf("nulls inside of rows")
		}
	}
	return s.checkLengths(b, l, col, rows)
}

// checkLengths compares buffers that are not compressed with what elements
// elements need.
func (s *arrowFile) checkLengths(b *arrowBatch, l *arrowLeaf, col *Column, elements int64) error {
	kind := col.Kind
	if l.index != num.Invalid {
		kind = l.index
	}
	need, ok := mulFits(elements, int64(kind.Size()))
	if kind == num.Bool {
		need = (elements + 7) / 8
	}
	v := s.valueBuffer(b, l)
	switch have := b.buffers[v].length; {
	case !ok || !b.compressed && have < need:
		return fmt.Errorf("%d bytes of values, %d were expected", have, need)
	case b.nodes[l.node].nulls > b.rows:
		return fmt.Errorf("%d nulls in %d rows", b.nodes[l.node].nulls, b.rows)
	case b.compressed:
		return nil
	}
	for _, m := range []struct {
		node, buffer int
		rows         int64
	}{{l.node, v - 1 - l.layers, b.rows}, {l.node + l.layers, v - 1, elements}} {
		if b.nodes[m.node].nulls != 0 && b.buffers[m.buffer].length < (m.rows+7)/8 {
			return fmt.Errorf("its bits for nulls are cut short")
		}
	}
	return nil
}

// valueBuffer is the number of the buffer with the column's values. The one
// before it has the innermost nulls; each list around it adds one buffer.
func (s *arrowFile) valueBuffer(b *arrowBatch, l *arrowLeaf) int {
	n := l.buffer
	for _, v := range b.variadic[:l.variadic] {
		n += int(v)
	}
	return n + l.layers + 1
}

// fillColumn reads a column of rows of a chunk, in blocks of rows if it can.
func (s *arrowFile) fillColumn(ctx context.Context, chunk int, c Chunk, w Want, dst Dest) (int64, error) {
	part, col, l := s.of[chunk], s.lies(w.Column), &s.leaves[w.Column]
	if l.null {
		return 0, fillValueless(s.input.path, c.Lo, col, w, dst)
	}
	part.first += c.Lo - s.chunks[chunk].Lo
	r := &arrowReader{arrowFile: s, batch: &s.batches[part.batch], col: col, leaf: l, bufs: pageBufferPool.Get().(*pageBuffers)}
	defer pageBufferPool.Put(r.bufs)
	width := col.Width()
	step := max(8, arrowBlock/max(1, width))
	if r.batch.compressed {
		step = c.Rows()
	} else if r.plain() && l.lies == nil && col.Kind == w.Kind && !w.rescaled(col.Kind) && w.Blanks == NotBlank {
		return r.direct(c, part.first, w, dst)
	}
	for lo := c.Lo; lo < c.Hi; lo += step {
		if err := ctx.Err(); err != nil {
			return r.read, err
		}
		hi := min(lo+step, c.Hi)
		run, err := r.rows(part.first+lo-c.Lo, part.first+hi-c.Lo)
		if err == nil && l.lies != nil {
			run, w, err = fromMillis(run, w)
		}
		if err != nil {
			return r.read, placedAt(err, s.input.path, col, func(at int) int64 { return lo + int64(at) })
		}
		size := width * int64(w.Kind.Size())
		d := Dest{Values: dst.Values[(lo-c.Lo)*size : (hi-c.Lo)*size]}
		if w.Option {
			d.Valid = dst.Valid[lo-c.Lo : hi-c.Lo]
		}
		if err := run.fill(place{s.input.path, col.Name, lo, w, d}); err != nil {
			return r.read, err
		}
	}
	return r.read, nil
}

// arrowReader reads one column of one batch.
type arrowReader struct {
	*arrowFile
	batch *arrowBatch
	col   *Column
	leaf  *arrowLeaf
	bufs  *pageBuffers
	read  int64
}

// plain reports whether the bytes in the file are the values.
func (r *arrowReader) plain() bool {
	return r.leaf.index == num.Invalid && r.col.Kind != num.Bool &&
		r.batch.nodes[r.leaf.node].nulls == 0 && r.batch.nodes[r.leaf.node+r.leaf.layers].nulls == 0
}

// direct reads values straight into the destination.
func (r *arrowReader) direct(c Chunk, first int64, w Want, dst Dest) (int64, error) {
	size := r.col.Width() * int64(r.col.Kind.Size())
	at := r.batch.body + r.batch.buffers[r.valueBuffer(r.batch, r.leaf)].offset + first*size
	if err := r.readAt(dst.Values, at); err != nil {
		return 0, err
	}
	if w.Option {
		fillOnes(dst.Valid)
	}
	if w.Bound > 0 {
		if bad := outside(dst.Values, w.Kind, w.Bound); bad >= 0 {
			return 0, misfit(r.input.path, c.Lo+int64(bad)/r.col.Width(), r.col.Name, w, valueAt(dst.Values, w.Kind, bad))
		}
	}
	return int64(len(dst.Values)), nil
}

// rows reads the rows [lo, hi) of the batch.
func (r *arrowReader) rows(lo, hi int64) (columnRun, error) {
	if r.col.Kind == num.Invalid && (r.leaf.node >= len(r.batch.nodes) || r.batch.nodes[r.leaf.node].rows != r.batch.rows || r.valueBuffer(r.batch, r.leaf) >= len(r.batch.buffers)) {
		return columnRun{}, r.bad("a batch has too few arrays or buffers")
	}
	width := r.col.Width()
	run := columnRun{kind: r.col.Kind, rows: int(hi - lo), width: int(width)}
	v := r.valueBuffer(r.batch, r.leaf)
	var err error
	if r.batch.nodes[r.leaf.node].nulls != 0 {
		if run.nulls, err = r.bits(v-1-r.leaf.layers, lo, hi, &r.bufs.levels); err != nil {
			return run, err
		}
	}
	if r.leaf.layers > 0 && r.batch.nodes[r.leaf.node+r.leaf.layers].nulls != 0 {
		if run.inner, err = r.bits(v-1, lo*width, hi*width, &r.bufs.dict); err != nil {
			return run, err
		}
	}
	if r.col.Kind == num.Bool && r.leaf.index == num.Invalid {
		m, err := r.bits(v, lo*width, hi*width, &r.bufs.page)
		run.values, run.first, run.packed = m.bits, m.first, true
		return run, err
	}
	if r.leaf.index != num.Invalid {
		return r.codes(run, v, lo, hi)
	}
	if r.col.Means.Sort == meaning.Decimal {
		return r.decimals(run, v, lo, hi)
	}
	size := width * int64(r.col.Kind.Size())
	run.values, err = r.bytes(v, lo*size, hi*size, &r.bufs.page)
	return run, err
}

// bits reads the bits [lo, hi) of a buffer.
func (r *arrowReader) bits(buffer int, lo, hi int64, to *[]byte) (bitmap, error) {
	b, err := r.bytes(buffer, lo/8, (hi+7)/8, to)
	return bitmap{b, int(lo & 7)}, err
}

// bytes reads the bytes [lo, hi) of a buffer. The buffers of a compressed
// batch are decompressed as a whole.
func (r *arrowReader) bytes(buffer int, lo, hi int64, to *[]byte) ([]byte, error) {
	at := r.batch.buffers[buffer]
	if !r.batch.compressed {
		if hi > at.length {
			return nil, r.bad(fmt.Sprintf("a buffer has %d bytes, %d are needed", at.length, hi))
		}
		b := sized(to, int(hi-lo))
		r.read += int64(len(b))
		return b, r.readAt(b, r.batch.body+at.offset+lo)
	}
	b, err := r.inflate(at, hi, to)
	if err != nil {
		return nil, err
	}
	return b[lo:hi], nil
}

// inflate reads a compressed buffer, of which need bytes are needed.
func (r *arrowReader) inflate(at arrowBuffer, need int64, to *[]byte) ([]byte, error) {
	packed := sized(&r.bufs.chunk, int(at.length))
	if err := r.readAt(packed, r.batch.body+at.offset); err != nil {
		return nil, err
	}
	r.read += at.length
	if need == 0 {
		return nil, nil
	}
	if len(packed) < 8 {
		return nil, r.bad("a compressed buffer is cut short")
	}
	n := int64(binary.LittleEndian.Uint64(packed))
	packed = packed[8:]
	if n == -1 { // stored as it is
		if int64(len(packed)) < need {
			return nil, r.bad("a buffer is cut short")
		}
		// packed is reused for the next buffer.
		return append((*to)[:0], packed[:need]...), nil
	}
	// Writers pad buffers by less than this; more would only cost memory.
	most := 2*need + 1<<16
	if r.leaf.text == viewWidth { // which leaves texts that nobody needs where they are
		most += 256 * int64(len(packed))
	}
	if n < need || n > most {
		return nil, r.bad(fmt.Sprintf("a buffer has %d bytes, %d are needed", n, need))
	}
	b, err := inflate(r.batch.codec, sized(to, int(n)), packed)
	if err != nil || int64(len(b)) < need {
		return nil, r.bad(fmt.Sprintf("a buffer cannot be decompressed: %v", err))
	}
	return b, nil
}

func (r *arrowReader) bad(msg string) *Error {
	e := columnError(r.input.path, r.col, msg)
	e.Help = "the file is damaged; write or copy it again"
	return e
}

// codes reads dictionary codes and looks their values up.
func (r *arrowReader) codes(run columnRun, buffer int, lo, hi int64) (columnRun, error) {
	dict, err := r.dictionary()
	if err != nil {
		return run, err
	}
	size := int64(r.leaf.index.Size())
	b, err := r.bytes(buffer, lo*size, hi*size, &r.bufs.page)
	if err != nil {
		return run, err
	}
	wide := sized(&r.bufs.stored, run.rows*8)
	convert(wide, Want{Kind: num.I64}, b, r.leaf.index) // a u64 too large becomes negative
	n := r.col.Kind.Size()
	run.values = make([]byte, run.rows*n)
	for i, c := range view[int64](wide) {
		if run.nulls.bits != nil && run.nulls.at(i) == 0 {
			continue
		}
		if c < 0 || c >= int64(dict.rows) {
			return run, r.bad(fmt.Sprintf("a code is %d, the dictionary has %d values", c, dict.rows))
		}
		copy(run.values[i*n:(i+1)*n], dict.values[int(c)*n:])
	}
	return run, nil
}

// dictionary loads the values of the column's dictionary once.
func (r *arrowReader) dictionary() (columnRun, error) {
	s := r.arrowFile
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.loaded[r.leaf.dictionary]; ok {
		return d, nil
	}
	all := columnRun{kind: r.col.Kind, width: 1}
	for i := range s.dictionaries {
		m := &s.dictionaries[i]
		if m.dictionary != r.leaf.dictionary {
			continue
		}
		if all.rows > 0 && !m.delta {
			return all, r.bad("its dictionary is replaced inside the stream, which is not supported")
		}
		part, err := r.dictionaryPart(m)
		if err != nil {
			return all, err
		}
		all.values = append(all.values, part...)
		all.rows = len(all.values) / r.col.Kind.Size()
	}
	if s.loaded == nil {
		s.loaded = map[int64]columnRun{}
	}
	s.loaded[r.leaf.dictionary] = all
	return all, nil
}

// dictionaryPart reads the values of one dictionary batch.
func (r *arrowReader) dictionaryPart(m *arrowMessage) ([]byte, error) {
	leaf := &arrowLeaf{}
	if err := r.checkBatch(&m.batch, leaf, r.col); err != nil {
		return nil, r.bad(fmt.Sprintf("its dictionary is damaged: %v", err))
	}
	if m.batch.nodes[0].nulls != 0 {
		return nil, r.bad("its dictionary has nulls, which is not supported")
	}
	part := &arrowReader{arrowFile: r.arrowFile, batch: &m.batch, col: r.col, leaf: leaf, bufs: new(pageBuffers)}
	run, err := part.rows(0, m.batch.rows)
	if err != nil {
		return nil, err
	}
	values := make([]byte, run.rows*r.col.Kind.Size())
	w := Want{Kind: r.col.Kind}
	err = run.fill(place{r.input.path, r.col.Name, 0, w, Dest{Values: values}})
	r.read += part.read
	return values, err
}
