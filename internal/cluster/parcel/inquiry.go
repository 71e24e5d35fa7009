package parcel

import (
	"encoding/binary"
	"math"
)

// Inquiry is the payload of a Status: nothing is encoded as nothing.
type Inquiry struct {
	// Scrub asks the node to read all of its shards and compare them with their
	// checksums, at Rate bytes a second, or as fast as it can if that is 0. The answer does
	// not wait for the end: later ones tell how far it is.
	Scrub bool
	Rate  int64
}

// Append adds the payload's bytes to dst.
func (q *Inquiry) Append(dst []byte) []byte {
	if !q.Scrub {
		return dst
	}
	return binary.AppendUvarint(dst, uint64(q.Rate))
}

// ReadInquiry decodes the payload of a Status.
func ReadInquiry(b []byte) (*Inquiry, error) {
	q := new(Inquiry)
	if len(b) == 0 {
		return q, nil
	}
	r := reader{b: b, part: "inquiry"}
	q.Scrub, q.Rate = true, int64(r.uint(math.MaxInt64, "rate"))
	if err := r.end(); err != nil {
		return nil, err
	}
	return q, nil
}
