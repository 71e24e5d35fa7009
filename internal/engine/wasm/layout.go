package wasm

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// layout is where an instance's block of arguments holds what. The block
// lies in the arena; run gets its address.
//
//	polynomials  int64 each, evaluated by the host before the call
//	scalars      8 bytes each
//	bases        8 bytes each; the code uses the low half
//	faults       int64 each, least place so far
//	in step      int64, not 0 to have walks go on in step
//	scratch      lanes and pending leaves of the folds
type layout struct {
	polys   []size.Poly
	scalars uint32
	bases   uint32
	faults  uint32
	inStep  uint32
	scratch uint32
	size    uint32 // grows while folds ask for scratch
}

func newLayout(k *kernel.Kernel) *layout {
	l := &layout{polys: k.Polys()}
	l.scalars = uint32(8 * len(l.polys))
	l.bases = l.scalars + uint32(8*len(k.Scalars))
	l.faults = l.bases + uint32(8*len(k.Regions))
	l.inStep = l.faults + uint32(8*k.Sites)
	l.scratch = (l.inStep + 8 + 127) &^ 127
	l.size = l.scratch
	return l
}

// poly is the offset of a polynomial's value.
func (l *layout) poly(p size.Poly) uint32 {
	for i, q := range l.polys {
		if q.Equal(p) {
			return uint32(8 * i)
		}
	}
	return 0 // not reached: Polys has all
}

func (l *layout) scalar(i int) uint32 { return l.scalars + uint32(8*i) }
func (l *layout) base(r int) uint32   { return l.bases + uint32(8*r) }
func (l *layout) fault(s int) uint32  { return l.faults + uint32(8*s) }

// reserve sets aside scratch memory, aligned to a row.
func (l *layout) reserve(n uint32) uint32 {
	off := l.size
	l.size += (n + num.RowBytes - 1) &^ (num.RowBytes - 1)
	return off
}
