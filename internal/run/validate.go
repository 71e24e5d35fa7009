package run

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
)

// validate makes sure that elements first..end of a raw input that has just become present keep
// its bound. Decoded inputs were checked when they were decoded.
func (m *memory) validate(in *input, first, end int64) error {
	if in.want.Bound <= 0 || first >= end {
		return nil
	}
	size := int64(in.kind.Size())
	b := m.bytes(in.buffer)[first*size : end*size]
	return m.blocks(int64(len(b)), func(lo, hi int64) error {
		return in.checkBound(b[lo:hi], first+lo/size)
	})
}

// looked reports that what comes in is walked over before kernels may have it.
func (in *input) looked() bool {
	return in.want.Bound > 0 && !in.b.Presence || in.raw != nil && in.raw.Check != nil
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
		Msg:  fmt.Sprintf("expected an index below %d, found %s", in.want.Bound, column.Text(in.kind, column.Get(in.kind, b, int64(i)))),
		Help: "every value must lie in [0, bound); correct the data, or declare a plain integer and clamp or wrap it",
	}
}
