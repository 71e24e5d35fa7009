package parcel

import "math"

// Append adds the part's bytes, the payload of Copy, to dst.
func (p *Part) Append(dst []byte) []byte {
	dst = appendUint(dst, uint64(p.Set))
	dst = appendUint(dst, uint64(p.Shard))
	dst = appendSpan(dst, p.Offset, p.Offset+p.Count)
	return append(dst, p.Sum[:]...)
}

// ReadPart reads the payload of Copy.
func ReadPart(b []byte) (*Part, error) {
	r := reader{b: b, part: "part"}
	p := &Part{Set: r.word("set"), Shard: uint32(r.uint(math.MaxInt32, "shard"))}
	start := r.at
	lo, hi := r.span("bytes")
	if p.Offset, p.Count = lo, hi-lo; p.Count > MaxPart {
		r.fail(start, "bytes", atMost(MaxPart), number(uint64(p.Count)))
	}
	copy(p.Sum[:], r.take(len(p.Sum), "sum"))
	if err := r.end(); err != nil {
		return nil, err
	}
	return p, nil
}
