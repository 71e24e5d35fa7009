package data

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the pages of a column of text in a row group. Out: the texts of the dictionary page, or of the values, and for each row the number of
// its text, which pages of a dictionary have already.

// readText implements texter.
func (s *parquetFile) readText(ctx context.Context, chunk int, columns []int, _ []bool, parts []partText) (err error) {
	defer guard(s.input.path, &err)
	for k, c := range columns {
		if err := s.readTextColumn(ctx, chunk, c, &parts[k]); err != nil {
			return err
		}
	}
	return nil
}

// readTextColumn decodes pages of dictionaries and plain values itself; arrow-go's reader knows the rare encodings.
func (s *parquetFile) readTextColumn(ctx context.Context, chunk, column int, p *partText) error {
	leaf, col := s.leaves[column], &s.cols[column]
	if col.Unknown {
		p.valueless(s.chunks[chunk].Rows())
		return ctx.Err()
	}
	at, err := s.chunkOf(chunk, column)
	if err != nil {
		return err
	}
	if leaf.maxRep > 0 || leaf.maxDef > 1 {
		return columnError(s.input.path, col, "it is nested, or of an unexpected physical type")
	}
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	rows := int(s.chunks[chunk].Rows())
	p.codes, p.full = codesFor(rows), leaf.maxDef == 0
	d := &pageDecoder{ctx: ctx, path: s.input.path, column: col.Name, want: Want{Kind: num.U32}, leaf: leaf, codec: at.codec, row: s.chunks[chunk].Lo,
		values: bytesOf(p.codes), bufs: bufs, text: p}
	var valid []byte
	if leaf.maxDef > 0 {
		valid = make([]byte, rows)
		d.valid = valid
	}
	b := sized(&bufs.chunk, int(at.length))
	if err := s.readAt(b, at.start); err != nil {
		return err
	}
	err = d.pages(b)
	switch {
	case err == errOtherEncoding:
		*p = partText{}
		return s.readTextSlowly(ctx, chunk, column, p)
	case err != nil && ctx.Err() == nil:
		return s.damagedColumn(col, err)
	}
	for i, v := range valid {
		if v == 0 {
			p.codes[i] = noCode
		}
	}
	return err
}

var codesPool sync.Pool // of *[]int32

// codesFor has room for the codes of so many rows, with anything in it; who has made one dictionary of all parts gives it back.
func codesFor(rows int) []int32 {
	if b, _ := codesPool.Get().(*[]int32); b != nil && cap(*b) >= rows {
		return (*b)[:rows]
	}
	return make([]int32, rows)
}

// textDictionary gives entries of a page their codes, in place of what they are in the kind that is wanted. They lie in one string, and nobody looks
// whether two are the same: rank finds that.
func (d *pageDecoder) textDictionary(b []byte, n int64) error {
	if n > int64(len(b)/4) {
		return errors.New("the dictionary is cut short")
	}
	d.dict, d.stored = sized(&d.bufs.dict, int(n)*4), nil
	p, codes, all, at := d.text, view[uint32](d.dict), string(b), 0
	p.codeOf, p.texts = nil, slices.Grow(p.texts, int(n))
	for i := range codes {
		if len(all)-at < 4 || uint64(binary.LittleEndian.Uint32(b[at:])) > uint64(len(all)-at-4) {
			return errors.New("a page's values are cut short")
		}
		size := int(binary.LittleEndian.Uint32(b[at:]))
		codes[i] = uint32(len(p.texts))
		p.texts = append(p.texts, all[at+4:at+4+size])
		p.bytes += int64(size)
		at += 4 + size
	}
	return nil
}

// textValues gives texts that lie one after the other, each behind its length, their codes.
func (d *pageDecoder) textValues(out, b []byte) error {
	var texts [textsAtOnce][]byte
	for codes := view[uint32](out); len(codes) > 0; {
		some := min(len(codes), len(texts))
		for i := range some {
			if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
				return errors.New("a page's values are cut short")
			}
			n := binary.LittleEndian.Uint32(b)
			texts[i], b = b[4:4+n], b[4+n:]
		}
		d.text.codesOf(texts[:some], codes[:some])
		codes = codes[some:]
	}
	return nil
}

// readTextSlowly decodes a column with arrow-go's reader.
func (s *parquetFile) readTextSlowly(ctx context.Context, chunk, column int, p *partText) error {
	leaf, col := s.leaves[column], &s.cols[column]
	reader, err := s.reader.RowGroup(s.groups[chunk]).Column(leaf.index)
	if err != nil {
		return s.damagedColumn(col, err)
	}
	r, ok := reader.(*file.ByteArrayColumnChunkReader)
	if !ok || leaf.maxRep > 0 || leaf.maxDef > 1 {
		return columnError(s.input.path, col, "it is nested, or of an unexpected physical type")
	}
	rows := int(s.chunks[chunk].Rows())
	p.codes = make([]int32, 0, rows)
	values := make([]parquet.ByteArray, slowBatch)
	def := make([]int16, slowBatch)
	for len(p.codes) < rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, present, err := r.ReadBatchInPage(slowBatch, values, def, nil)
		if err == nil && n == 0 {
			err = fmt.Errorf("%d values were expected, %d are there", rows, len(p.codes))
		}
		if err != nil {
			return s.damagedColumn(col, err)
		}
		if len(p.codes)+int(n) > rows {
			return s.damagedColumn(col, fmt.Errorf("more than %d values", rows))
		}
		next := 0
		for i := range int(n) {
			if leaf.maxDef > 0 && def[i] == 0 {
				p.null()
				continue
			}
			if next >= present {
				return s.damagedColumn(col, fmt.Errorf("%d values are missing", int(n)-i))
			}
			p.add(values[next])
			next++
		}
	}
	return nil
}
