package data

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// errOtherEncoding sends a column to arrow-go's reader, which knows the rare
// encodings and the nested levels.
var errOtherEncoding = errors.New("another encoding")

// pageDecoder decodes one column of one row group. The dictionary is
// converted once to the wanted kind; codes then become values in one step.
type pageDecoder struct {
	ctx    context.Context
	path   string
	column string
	want   Want
	leaf   parquetLeaf
	codec  compress.Codec // nil for zstd, which we call ourselves
	row    int64          // of the next value, in the file
	values []byte
	valid  []byte    // nil unless want.Option
	dict   []byte    // of want.Kind
	stored []byte    // the dictionary as it is in the file, if some of it does not fit
	text   *partText // of a column of text, whose values are codes of its texts; else nil
	bufs   *pageBuffers
}

// pageBuffers are reused between columns: a row group's bytes, an
// uncompressed page, a dictionary, and levels.
type pageBuffers struct{ chunk, page, dict, stored, levels []byte }

var pageBufferPool = sync.Pool{New: func() any { return new(pageBuffers) }}

// sized is b with length n, allocated anew when it is too small.
func sized(b *[]byte, n int) []byte {
	if cap(*b) < n+zstdSlack {
		*b = make([]byte, n+n/4+zstdSlack)
	}
	return (*b)[:n]
}

// notCompressed is the codec of pages that are stored as they are.
var notCompressed, _ = compress.GetCodec(compress.Codecs.Uncompressed)

var snappyCodec, _ = compress.GetCodec(compress.Codecs.Snappy)

// maxPageBytes bounds what a header can make us allocate before its page has
// been decompressed.
const maxPageBytes = 1 << 30

func (s *parquetFile) fillColumn(ctx context.Context, chunk int, w Want, dst Dest) (int64, error) {
	leaf, col := s.leaves[w.Column], &s.cols[w.Column]
	if col.Unknown {
		return 0, fillValueless(s.input.path, s.chunks[chunk].Lo, col, w, dst)
	}
	at, err := s.chunkOf(chunk, w.Column)
	if err != nil {
		return 0, err
	}
	length := at.length
	if leaf.maxRep > 0 || leaf.maxDef > 1 || leaf.wide {
		return length, s.fillSlowly(ctx, chunk, w, dst)
	}
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	d := &pageDecoder{ctx: ctx, path: s.input.path, column: col.Name, want: w, leaf: leaf, codec: at.codec, row: s.chunks[chunk].Lo, values: dst.Values, bufs: bufs}
	if w.Option {
		d.valid = dst.Valid
	}
	b := sized(&bufs.chunk, int(length))
	if err := s.readAt(b, at.start); err != nil {
		return 0, err
	}
	err = d.pages(b)
	var known *Error
	switch {
	case err == nil || errors.As(err, &known) || ctx.Err() != nil:
		return length, err
	case err == errOtherEncoding:
		return 2 * length, s.fillSlowly(ctx, chunk, w, dst)
	}
	return length, s.damagedColumn(col, err)
}

// columnChunk is where the pages of a column of a row group lie, and what they are compressed with.
type columnChunk struct {
	start, length int64
	codec         compress.Codec // nil for zstd
}

func (s *parquetFile) chunkOf(chunk, column int) (c columnChunk, err error) {
	col := &s.cols[column]
	meta, err := s.reader.RowGroup(s.groups[chunk]).MetaData().ColumnChunk(s.leaves[column].index)
	if err != nil {
		return c, s.damagedColumn(col, err)
	}
	c.start, c.length = meta.DataPageOffset(), meta.TotalCompressedSize()
	if meta.HasDictionaryPage() && meta.DictionaryPageOffset() > 0 {
		c.start = min(c.start, meta.DictionaryPageOffset())
	}
	if meta.FilePath() != "" {
		return c, columnError(s.input.path, col, "it is stored in another file, which is not supported")
	}
	if c.start < 0 || c.length < 0 || c.start > s.size || c.length > s.size-c.start {
		return c, cutShort(s.input.path, c.start+c.length, s.size)
	}
	if meta.Compression() != compress.Codecs.Zstd {
		if c.codec, err = compress.GetCodec(meta.Compression()); err != nil {
			return c, s.damagedColumn(col, err)
		}
	}
	return c, nil
}

func (s *parquetFile) damagedColumn(col *Column, err error) *Error {
	e := damaged(s.input.path, err)
	e.Column = col.Name
	return e
}

// pages decodes all pages of a column chunk.
func (d *pageDecoder) pages(b []byte) error {
	for len(d.values) > 0 {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		h, n, err := parsePageHeader(b)
		if err != nil {
			return err
		}
		if b = b[n:]; h.packed > int64(len(b)) {
			return errors.New("a page is cut short")
		}
		body := b[:h.packed]
		b = b[h.packed:]
		if err := h.check(body); err != nil {
			return err
		}
		switch h.kind {
		case pageDictionary:
			err = d.dictionary(h, body)
		case pageData:
			err = d.dataV1(h, body)
		case pageDataV2:
			err = d.dataV2(h, body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unpack decompresses body into *to; the result has exactly n bytes.
func (d *pageDecoder) unpack(to *[]byte, body []byte, n int64) ([]byte, error) {
	if n > maxPageBytes {
		return nil, fmt.Errorf("a page has %d bytes", n)
	}
	if n == 0 { // of a dictionary of no values, say: nothing says how a codec takes room for nothing
		return nil, nil
	}
	var out []byte
	var err error
	switch {
	case d.codec == nil:
		out, err = inflateZstd(sized(to, int(n)), body)
	case d.codec == notCompressed:
		out = body // values are copied from where they were read to
	case d.codec == snappyCodec:
		if said, k := binary.Uvarint(body); k <= 0 || said != uint64(n) { // what the decoder takes room for
			return nil, fmt.Errorf("a page has %d bytes, and %d were expected", said, n)
		}
		fallthrough
	default:
		out, err = compress.Decode(d.codec, sized(to, int(n)), body)
	}
	if err != nil {
		return nil, err
	}
	if int64(len(out)) != n {
		return nil, fmt.Errorf("a page has %d bytes, %d were expected", len(out), n)
	}
	return out, nil
}

func (d *pageDecoder) dictionary(h pageHeader, body []byte) error {
	if h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return errOtherEncoding
	}
	b, err := d.unpack(&d.bufs.stored, body, h.unpacked)
	if err != nil {
		return err
	}
	if d.text != nil {
		return d.textDictionary(b, h.values)
	}
	size := d.leaf.physical.Size()
	if d.leaf.physical == num.Bool || h.values > int64(len(b)/size) {
		return errors.New("the dictionary is cut short")
	}
	b = b[:int(h.values)*size]
	d.dict = sized(&d.bufs.dict, int(h.values)*d.want.Kind.Size())
	d.stored = nil
	if convert(d.dict, d.want, b, d.leaf.physical) >= 0 {
		// Not an error yet: the entry may be unused. Codes are kept as such
		// and looked up one by one.
		d.stored = b
	}
	return nil
}

func (d *pageDecoder) dataV1(h pageHeader, body []byte) error {
	b, err := d.unpack(&d.bufs.page, body, h.unpacked)
	if err != nil {
		return err
	}
	if d.leaf.maxDef == 0 {
		return d.page(h, nil, b)
	}
	if h.defEncoding != encodingRLE {
		return errOtherEncoding
	}
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return errors.New("a page's levels are cut short")
	}
	n := binary.LittleEndian.Uint32(b)
	return d.page(h, b[4:4+n], b[4+n:])
}

func (d *pageDecoder) dataV2(h pageHeader, body []byte) error {
	n := h.defBytes + h.repBytes
	if n < 0 || n > int64(len(body)) || n > h.unpacked {
		return errors.New("a page's levels are cut short")
	}
	lv, b := body[h.repBytes:n], body[n:]
	if h.compressed {
		var err error
		if b, err = d.unpack(&d.bufs.page, b, h.unpacked-n); err != nil {
			return err
		}
	}
	return d.page(h, lv, b)
}

// page decodes the levels lv and the values b of a data page.
func (d *pageDecoder) page(h pageHeader, lv, b []byte) error {
	size := d.want.Kind.Size()
	n := int(h.values)
	if h.values > int64(len(d.values)/size) {
		return fmt.Errorf("a page has %d values, at most %d are expected", n, len(d.values)/size)
	}
	present, valid, err := d.nulls(lv, n)
	if err != nil {
		return err
	}
	out := d.values[:n*size]
	if err := d.decode(h, out[:present*size], b, valid); err != nil {
		return err
	}
	if present < n {
		spread(out, valid, present, size)
	}
	if d.valid != nil {
		d.valid = d.valid[n:]
	}
	d.values = d.values[n*size:]
	d.row += int64(n)
	return nil
}

// nulls reads the levels of n values. valid is nil if none is null.
func (d *pageDecoder) nulls(lv []byte, n int) (present int, valid []byte, err error) {
	if d.leaf.maxDef == 0 || allOnes(lv, n) {
		if d.valid != nil {
			fillOnes(d.valid[:n])
		}
		return n, nil, nil
	}
	if d.valid != nil {
		valid = d.valid[:n]
	} else {
		valid = sized(&d.bufs.levels, n)
	}
	present, err = levels(lv, valid)
	if err != nil || present == n {
		return n, nil, err
	}
	if d.valid == nil {
		return 0, nil, nullAt(d.path, d.row+int64(firstZero(valid)), d.column)
	}
	return present, valid, nil
}

func firstZero(b []byte) int {
	for i, x := range b {
		if x == 0 {
			return i
		}
	}
	return len(b)
}

// decode writes the values that are present to the front of out.
func (d *pageDecoder) decode(h pageHeader, out, b, valid []byte) error {
	switch h.encoding {
	case encodingPlain:
		return d.plain(out, b, valid)
	case encodingPlainDictionary, encodingRLEDictionary:
		return d.codes(out, b, valid)
	case encodingRLE:
		if d.leaf.physical == num.Bool && len(b) >= 4 {
			_, err := levels(b[4:], out)
			return err
		}
	}
	return errOtherEncoding
}

func (d *pageDecoder) plain(out, b, valid []byte) error {
	n := len(out) / d.want.Kind.Size()
	if d.text != nil {
		return d.textValues(out, b)
	}
	if d.leaf.physical == num.Bool {
		if len(b) < (n+7)/8 {
			return errors.New("a page's values are cut short")
		}
		for i := range out {
			out[i] = b[i>>3] >> (i & 7) & 1
		}
		return nil
	}
	need := n * d.leaf.physical.Size()
	if len(b) < need {
		return errors.New("a page's values are cut short")
	}
	b = b[:need]
	if bad := convert(out, d.want, b, d.leaf.physical); bad >= 0 {
		return d.misfit(valid, bad, valueAt(b, d.leaf.physical, bad))
	}
	return nil
}

func (d *pageDecoder) codes(out, b, valid []byte) error {
	if len(out) == 0 {
		return nil
	}
	if len(b) == 0 || b[0] > 32 {
		return errRuns
	}
	r := runReader{b[1:], uint(b[0])}
	if d.stored != nil {
		return d.checkedCodes(out, r, valid)
	}
	switch d.want.Kind.Size() {
	case 1:
		return lookUp(out, d.dict, r)
	case 2:
		return lookUp(view[uint16](out), view[uint16](d.dict), r)
	case 4:
		return lookUp(view[uint32](out), view[uint32](d.dict), r)
	default:
		return lookUp(view[uint64](out), view[uint64](d.dict), r)
	}
}

// checkedCodes decodes codes of a dictionary with entries that do not fit.
func (d *pageDecoder) checkedCodes(out []byte, r runReader, valid []byte) error {
	size := d.leaf.physical.Size()
	n := len(out) / d.want.Kind.Size()
	wide := make([]byte, n*size)
	var err error
	if size == 4 {
		err = lookUp(view[uint32](wide), view[uint32](d.stored), r)
	} else {
		err = lookUp(view[uint64](wide), view[uint64](d.stored), r)
	}
	if err != nil {
		return err
	}
	if bad := convert(out, d.want, wide, d.leaf.physical); bad >= 0 {
		return d.misfit(valid, bad, valueAt(wide, d.leaf.physical, bad))
	}
	return nil
}

// misfit names the row of the bad-th value that is present in this page.
func (d *pageDecoder) misfit(valid []byte, bad int, value string) error {
	return misfit(d.path, d.row+int64(slotOf(valid, bad)), d.column, d.want, value)
}

// slotOf is the row of the i-th value that is present.
func slotOf(valid []byte, i int) int {
	for slot, v := range valid {
		if v != 0 {
			if i == 0 {
				return slot
			}
			i--
		}
	}
	return i // valid is nil: every value is present
}

// spread moves the first present elements of b to the slots where valid is
// 1, from the end, and clears the others.
func spread(b, valid []byte, present, size int) {
	switch size {
	case 1:
		spreadAs(b, valid, present)
	case 2:
		spreadAs(view[uint16](b), valid, present)
	case 4:
		spreadAs(view[uint32](b), valid, present)
	default:
		spreadAs(view[uint64](b), valid, present)
	}
}

func spreadAs[T uint8 | uint16 | uint32 | uint64](xs []T, valid []byte, present int) {
	for i := len(valid) - 1; i >= 0; i-- {
		var v T
		if valid[i] != 0 {
			present--
			v = xs[present]
		}
		xs[i] = v
	}
}
