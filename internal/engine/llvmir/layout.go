package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// NewLayout gives the layout of a kernel's block.
func NewLayout(k *kernel.Kernel) *Layout {
	l := &Layout{Polys: k.Polys()}
	for _, bound := range readBounds(k) {
		if l.number(bound) < 0 {
			l.Polys = append(l.Polys, bound)
		}
	}
	for _, n := range turnedLengths(k) {
		if _, isConst := n.Const(); !isConst && l.number(n) < 0 {
			l.Polys = append(l.Polys, n)
		}
	}
	l.Scalars = 8 * int64(len(l.Polys))
	l.Bases = l.Scalars + 8*int64(len(k.Scalars))
	l.Faults = l.Bases + 8*int64(len(k.Regions))
	l.Stop = l.Faults + 8*int64(k.Sites)
	l.Work, l.Strip, l.Block, l.Near, l.Room, l.Held = l.Stop+8, l.Stop+16, l.Stop+24, l.Stop+32, l.Stop+40, l.Stop+48
	l.Weave = l.Held + 8
	l.Ends = l.Weave + 8
	k.Body.Each(func(in *kernel.Instr) { l.Tiled = l.Tiled || holdsFold(in) })
	a := loops.Of(k, Target{}.Engine())
	l.Woven, l.Indices = a.Overlaps(), a.Indices()
	l.Aside = l.Ends + 8*int64(len(l.Indices))
	l.Bytes = l.Aside + 8
	return l
}

// turnedLengths are those of what a kernel reads that may be turned around: it has a loop in a loop.
func turnedLengths(k *kernel.Kernel) (list []size.Poly) {
	nests := false
	k.Body.Each(func(in *kernel.Instr) {
		nests = nests || in.Code == kernel.For && loops.Only(&in.Blocks[0], kernel.For) != nil
	})
	for _, r := range k.Regions {
		if nests && r.Access == kernel.Read {
			list = append(list, r.Len)
		}
	}
	return list
}

// holdsFold reports a loop around a loop around a fold.
func holdsFold(in *kernel.Instr) bool {
	if in.Code != kernel.For {
		return false
	}
	j := loops.Only(&in.Blocks[0], kernel.For)
	if j == nil {
		return false
	}
	fold := loops.Only(&j.Blocks[0], kernel.Fold)
	return fold != nil
}

func (l *Layout) number(p size.Poly) int {
	for i, q := range l.Polys {
		if q.Equal(p) {
			return i
		}
	}
	return -1
}

// poly is the number p, as the prologue has loaded it.
func (e *emitter) poly(p size.Poly) string {
	if n, ok := p.Const(); ok {
		return strconv.FormatInt(n, 10)
	}
	return e.polys[e.lay.number(p)]
}
