package parcel

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// reader walks over the bytes of one part. After an error nothing is read any
// more and all values are 0, so callers look at err once, and loops end.
type reader struct {
	b    []byte
	at   int
	part string
	err  error
}

func (r *reader) fail(at int, field, expected, found string) {
	if r.err == nil {
		r.err = &FormatError{r.part, at, field, expected, found}
		r.at = len(r.b)
	}
}

func (r *reader) left() int { return len(r.b) - r.at }

// take gives the next n bytes, which alias the input.
func (r *reader) take(n int, field string) []byte {
	if n > r.left() {
		r.fail(r.at, field, number(uint64(n))+" bytes", number(uint64(r.left()))+" at the end")
		return nil
	}
	b := r.b[r.at : r.at+n : r.at+n]
	r.at += n
	return b
}

// uint is a number in 0..limit: seven bits to a byte, low bits first, in as
// few bytes as possible.
func (r *reader) uint(limit uint64, field string) uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 && uint64(r.b[r.at]) <= limit {
		r.at++
		return uint64(r.b[r.at-1])
	}
	return r.long(limit, field)
}

func (r *reader) long(limit uint64, field string) uint64 {
	start, v := r.at, uint64(0)
	for shift := 0; ; shift += 7 {
		b := r.take(1, field)
		if r.err != nil {
			return 0
		}
		if b[0] == 0 && shift > 0 || shift >= 64 || bits.Len8(b[0]&0x7f)+shift > 64 {
			r.fail(start, field, "a number of 64 bits in its shortest form", "a longer one")
			return 0
		}
		v |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			break
		}
	}
	if v > limit {
		r.fail(start, field, atMost(limit), number(v))
		return 0
	}
	return v
}

func (r *reader) natural(field string) int64 { return int64(r.uint(math.MaxInt64, field)) }

func (r *reader) word(field string) uint32 { return uint32(r.uint(math.MaxUint32, field)) }

func (r *reader) column() int { return int(r.uint(MaxColumn, "column")) }

// span is lo, then hi - lo.
func (r *reader) span(field string) (lo, hi int64) {
	lo = r.natural(field)
	n := r.uint(uint64(math.MaxInt64-lo), field)
	return lo, lo + int64(n)
}

// count is the length of a list whose items take at least least bytes each.
// The field is what there are so many of. It is not put together with other
// words here, as that would take memory where nothing fails.
func (r *reader) count(limit, least int, field string) int {
	start := r.at
	n := r.uint(uint64(limit), field)
	if n > uint64(r.left()/least) {
		r.fail(start, field, atMost(uint64(r.left()/least))+" in the bytes that are left", number(n))
		return 0
	}
	return int(n)
}

func (r *reader) byte(limit byte, field string) byte {
	start := r.at
	b := r.take(1, field)
	if r.err != nil {
		return 0
	}
	if b[0] > limit {
		r.fail(start, field, atMost(uint64(limit)), strconv.Itoa(int(b[0])))
		return 0
	}
	return b[0]
}

func (r *reader) bool(field string) bool { return r.byte(1, field) == 1 }

// blob is a length and that many bytes; nil if there are none.
func (r *reader) blob(field string) []byte {
	n := r.count(MaxBytes, 1, field)
	if n == 0 {
		return nil
	}
	return r.take(n, field)
}

func (r *reader) blobs(list [][]byte, limit int, field string) [][]byte {
	n := r.count(limit, 1, field)
	for range n {
		list = append(list, r.blob(field))
	}
	return list
}

func (r *reader) sizes(list []int64) []int64 {
	for range r.count(maxSizes, 1, "sizes") {
		list = append(list, r.natural("size"))
	}
	return list
}

func (r *reader) scalars(list []uint64) []uint64 {
	for range r.count(maxScalars, 1, "scalars") {
		list = append(list, r.uint(math.MaxUint64, "scalar"))
	}
	return list
}

func (r *reader) prefix(field string) Prefix {
	b := r.take(8, field)
	if r.err != nil {
		return 0
	}
	return Prefix(binary.LittleEndian.Uint64(b))
}

// end fails unless everything has been read.
func (r *reader) end() error {
	if r.err == nil && r.left() > 0 {
		r.fail(r.at, "end", "nothing more", number(uint64(r.left()))+" bytes")
	}
	return r.err
}

// The appending halves of the above. What is out of range is written as it is
// and refused by whoever reads it.

func appendUint(dst []byte, v uint64) []byte { return binary.AppendUvarint(dst, v) }

func appendSpan(dst []byte, lo, hi int64) []byte {
	return appendUint(appendUint(dst, uint64(lo)), uint64(hi-lo))
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendBlob(dst, b []byte) []byte {
	return append(appendUint(dst, uint64(len(b))), b...)
}

func appendBlobs(dst []byte, list [][]byte) []byte {
	dst = appendUint(dst, uint64(len(list)))
	for _, b := range list {
		dst = appendBlob(dst, b)
	}
	return dst
}

// appendNumbers is a count and that many numbers.
func appendNumbers[T int64 | uint64](dst []byte, list []T) []byte {
	dst = appendUint(dst, uint64(len(list)))
	for _, v := range list {
		dst = appendUint(dst, uint64(v))
	}
	return dst
}
