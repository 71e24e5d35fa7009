package parcel

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Append adds the failure's bytes, a Fail's payload, to dst. A Detail that is
// too long is cut.
func (f *Failure) Append(dst []byte) []byte {
	dst = append(dst, byte(f.Reason))
	dst = appendUint(dst, uint64(f.Node))
	dst = appendUint(dst, uint64(f.Set))
	dst = appendUint(dst, uint64(int64(f.Shard)+1))
	dst = appendUint(dst, uint64(f.Retry))
	dst = appendBlob(dst, []byte(sendable(f.Detail)))
	dst = appendBool(dst, f.States != nil)
	if f.States != nil {
		dst = f.States.Append(dst)
	}
	return dst
}

// sendable makes a text from anywhere valid and short enough.
func sendable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= MaxDetail {
		return s
	}
	end := MaxDetail
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// ReadFailure reads a Fail's payload. States alias b.
func ReadFailure(b []byte) (*Failure, error) {
	r := reader{b: b, part: "failure"}
	f := &Failure{Reason: Reason(r.byte(byte(reasons-1), "reason"))}
	if !f.Reason.Valid() {
		r.fail(0, "reason", "a reason", "0")
	}
	f.Node = catalog.Peer(r.word("node"))
	f.Set = r.word("set")
	f.Shard = int32(int64(r.uint(math.MaxInt32+1, "shard")) - 1)
	f.Retry = r.word("retry")
	start := r.at
	detail := r.take(r.count(MaxDetail, 1, "bytes of detail"), "detail")
	if !utf8.Valid(detail) {
		r.fail(start, "detail", "UTF-8", "other bytes")
	}
	f.Detail = string(detail)
	if r.bool("states") {
		f.States = new(Batch)
		r.batch(f.States)
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return f, nil
}
