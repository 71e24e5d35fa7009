package parcel

import "math"

// Append adds the blob's bytes, the payload of Put, Seal and Drop, to dst.
func (b *Blob) Append(dst []byte) []byte {
	dst = appendUint(dst, uint64(b.Set))
	dst = appendUint(dst, uint64(b.Shard))
	dst = appendSpan(dst, b.Lo, b.Hi)
	dst = appendUint(dst, uint64(b.Total))
	dst = appendUint(dst, uint64(b.Offset))
	dst = append(dst, b.Sum[:]...)
	return append(dst, b.Bytes...)
}

// ReadBlob reads the payload of Put, Seal and Drop. Bytes alias b and lie
// inside of the file's Total.
func ReadBlob(b []byte) (*Blob, error) {
	r := reader{b: b, part: "blob"}
	v := &Blob{Set: r.word("set"), Shard: uint32(r.uint(math.MaxInt32, "shard"))}
	v.Lo, v.Hi = r.span("rows")
	v.Total = r.natural("total")
	v.Offset = int64(r.uint(uint64(v.Total), "offset"))
	copy(v.Sum[:], r.take(len(v.Sum), "sum"))
	start := r.at
	if int64(r.left()) > v.Total-v.Offset {
		r.fail(start, "bytes", atMost(uint64(v.Total-v.Offset))+" to the end of the file", number(uint64(r.left())))
	}
	if n := r.left(); n > 0 {
		v.Bytes = r.take(n, "bytes")
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return v, nil
}
