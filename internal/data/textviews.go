package data

import (
	"encoding/binary"
	"fmt"
)

// In: a column of Arrow's string_view, as polars writes text. Out: its texts. A view has the length of a text, and the text itself if that is short, else
// in which of the buffers behind the views it lies, and where. Invariant: nothing is read outside of these buffers, whatever views say.

// viewWidth is how many bytes a view has, and shortView how long a text in it may be.
const viewWidth, shortView = 16, 12

// textSpan is the part of a buffer that views need.
type textSpan struct {
	lo, hi int64
	bytes  []byte
}

// eachView is eachText for views.
func (r *arrowReader) eachView(views int, lo, hi int64, nulls bitmap, f func(b []byte)) error {
	b, err := r.bytes(views, lo*viewWidth, hi*viewWidth, &r.bufs.page)
	if err != nil {
		return err
	}
	spans, err := r.viewed(views, b, nulls)
	if err != nil {
		return err
	}
	for i := range int(hi - lo) {
		v := b[i*viewWidth:][:viewWidth]
		n, buffer, at := viewOf(v)
		switch {
		case nulls.bits != nil && nulls.at(i) == 0:
			f(nil)
		case n <= shortView:
			f(v[4 : 4+n])
		default:
			s := spans[buffer]
			f(s.bytes[at-s.lo:][:n])
		}
	}
	return nil
}

// viewOf takes a view apart.
func viewOf(v []byte) (length, buffer, at int64) {
	word := func(i int) int64 { return int64(int32(binary.LittleEndian.Uint32(v[i:]))) }
	return word(0), word(8), word(12)
}

// viewed reads what views need of each buffer of texts.
func (r *arrowReader) viewed(views int, b []byte, nulls bitmap) ([]textSpan, error) {
	var spans []textSpan
	if r.leaf.variadic < len(r.batch.variadic) {
		if n := r.batch.variadic[r.leaf.variadic]; n < 0 || n >= int64(len(r.batch.buffers)-views) {
			return nil, r.bad("a batch has too few buffers")
		}
		spans = make([]textSpan, r.batch.variadic[r.leaf.variadic])
	}
	for i := range len(b) / viewWidth {
		n, buffer, at := viewOf(b[i*viewWidth:])
		switch {
		case nulls.bits != nil && nulls.at(i) == 0 || n >= 0 && n <= shortView:
			continue
		case n < 0 || at < 0 || buffer < 0 || buffer >= int64(len(spans)):
			return nil, r.bad(fmt.Sprintf("a text of %d bytes lies at byte %d of buffer %d", n, at, buffer))
		}
		s := &spans[buffer]
		if s.hi == 0 || at < s.lo {
			s.lo = at
		}
		s.hi = max(s.hi, at+n)
	}
	for i := range spans {
		s := &spans[i]
		if s.hi == 0 {
			continue
		}
		var err error
		if s.bytes, err = r.bytes(views+1+i, s.lo, s.hi, new([]byte)); err != nil {
			return nil, err
		}
	}
	return spans, nil
}
