package data

import (
	"errors"
	"hash/crc32"
)

// The header of a page, in Thrift's compact protocol; see parquet.thrift.
// We read it ourselves to decode pages straight into their destination.
type pageHeader struct {
	kind                     int64 // pageData, pageDictionary, pageDataV2; others are skipped
	unpacked, packed         int64 // bytes after and before decompression
	values                   int64
	encoding                 int64
	defEncoding, repEncoding int64
	nulls, rows              int64 // version 2 only
	defBytes, repBytes       int64 // version 2 only
	compressed               bool  // version 2 only
	sum                      int64 // CRC-32 of what follows the header, as an i32; of pages that are summed
	summed                   bool
}

const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingRLEDictionary   = 8
)

var errPageHeader = errors.New("a page header is damaged")

// thrift is a cursor over compact protocol bytes. Once bad it yields zeros.
type thrift struct {
	b   []byte
	pos int
	bad bool
}

const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// parsePageHeader reads a header at the start of b and returns its length.
func parsePageHeader(b []byte) (h pageHeader, n int, err error) {
	t := &thrift{b: b}
	h.compressed = true
	t.fields(0, func(id, typ int) {
		switch id {
		case 1:
			h.kind = t.zigzag()
		case 2:
			h.unpacked = t.zigzag()
		case 3:
			h.packed = t.zigzag()
		case 4:
			h.sum, h.summed = t.zigzag(), true
		case 5:
			t.numbers([]*int64{&h.values, &h.encoding, &h.defEncoding, &h.repEncoding})
		case 7:
			t.numbers([]*int64{&h.values, &h.encoding})
		case 8:
			t.dataPageV2(&h)
		default:
			t.skip(typ, 0)
		}
	})
	ok := !t.bad && h.unpacked >= 0 && h.packed >= 0 && h.values >= 0 && h.defBytes >= 0 && h.repBytes >= 0
	if !ok {
		return h, 0, errPageHeader
	}
	return h, t.pos, nil
}

// check compares a page's bytes with its checksum, if the file has one.
func (h *pageHeader) check(body []byte) error {
	if h.summed && uint32(h.sum) != crc32.ChecksumIEEE(body) {
		return errors.New("a page differs from its checksum")
	}
	return nil
}

// numbers reads a struct of which the first fields are integers.
func (t *thrift) numbers(to []*int64) {
	t.fields(1, func(id, typ int) {
		if id <= len(to) && typ <= thriftI64 && typ > thriftByte {
			*to[id-1] = t.zigzag()
			return
		}
		t.skip(typ, 1)
	})
}

func (t *thrift) dataPageV2(h *pageHeader) {
	to := []*int64{&h.values, &h.nulls, &h.rows, &h.encoding, &h.defBytes, &h.repBytes}
	t.fields(1, func(id, typ int) {
		switch {
		case id <= len(to) && typ <= thriftI64 && typ > thriftByte:
			*to[id-1] = t.zigzag()
		case id == 7:
			h.compressed = typ == thriftTrue
		default:
			t.skip(typ, 1)
		}
	})
}

// fields calls each for every field of a struct, with its id and type.
func (t *thrift) fields(depth int, each func(id, typ int)) {
	id := 0
	for depth < 16 && !t.bad {
		head := t.byte()
		if head&15 == 0 {
			return
		}
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int(t.zigzag())
		}
		if id < 1 {
			break
		}
		each(id, int(head&15))
	}
	t.bad = true
}

func (t *thrift) skip(typ, depth int) {
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case 4, 5, thriftI64:
		t.varint()
	case thriftDouble:
		t.advance(8)
	case thriftBinary:
		t.advance(t.varint())
	case thriftList, thriftSet:
		t.skipList(depth)
	case thriftStruct:
		t.fields(depth+1, func(_, typ int) { t.skip(typ, depth+1) })
	default: // no page header has a map
		t.bad = true
	}
}

func (t *thrift) skipList(depth int) {
	head := t.byte()
	n, typ := uint64(head>>4), int(head&15)
	if n == 15 {
		n = t.varint()
	}
	if typ == thriftTrue || typ == thriftFalse {
		typ = thriftByte // in a list a bool takes a byte
	}
	for ; n > 0 && !t.bad; n-- {
		t.skip(typ, depth+1)
	}
}

func (t *thrift) advance(n uint64) {
	if n > uint64(len(t.b)-t.pos) {
		t.bad = true
		return
	}
	t.pos += int(n)
}

func (t *thrift) byte() byte {
	if t.pos >= len(t.b) {
		t.bad = true
		return 0
	}
	t.pos++
	return t.b[t.pos-1]
}

func (t *thrift) varint() uint64 {
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		b := t.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	t.bad = true
	return 0
}

func (t *thrift) zigzag() int64 {
	v := t.varint()
	return int64(v>>1) ^ -int64(v&1)
}
