package run

import (
	"fmt"

	"github.com/godwit-run/godwit/data"
	"github.com/godwit-run/godwit/value"
)

// validate makes sure that a raw input that has just become present keeps
// its bound. Decoded inputs were checked when they were decoded.
func (r *runner) validate(in *input) error {
	if in.want.Bound <= 0 {
		return nil
	}
	b := r.bytes(in.buffer)
	return r.blocks(int64(len(b)), func(lo, hi int64) error {
		return in.checkBound(b[lo:hi], lo/int64(in.kind.Size()))
	})
}

// checkBound looks for an element outside the input's bound among those in
// b, of which the first is number first.
func (in *input) checkBound(b []byte, first int64) error {
	if in.want.Bound <= 0 || in.b.Presence {
		return nil
	}
	i := outside(b, in.kind, in.want.Bound)
	if i < 0 {
		return nil
	}
	return &data.Error{
		Path: in.b.Source.Path(), Row: (first + int64(i)) / max(1, in.width), Column: in.b.Source.Columns()[in.b.Column].Name,
		Msg:  fmt.Sprintf("expected an index below %d, found %s", in.want.Bound, value.Text(in.kind, value.Get(in.kind, b, int64(i)))),
		Help: "every value must lie in [0, bound); correct the data, or declare a plain integer and clamp or wrap it",
	}
}
