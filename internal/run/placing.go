package run

import (
	"errors"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the operands of a piece, which fit its kernel. Out: where each of its regions lies. What travels has one area of
// the arena, all regions together.

// placing gives an execution of outer indices lo..hi its regions, of which each is a buffer.
type placing struct {
	*execution
	lo, hi   int64
	operands []Operand
	area     int64 // bytes of all that travels
}

// place brings in what the piece needs, or notes that it passes through in windows. limit is for what does not, if not 0.
func (p *placing) place(limit int64) error {
	bytes := int64(0)
	for i, o := range p.operands {
		n, err := p.bind(i, o)
		if err != nil {
			return err
		}
		if bytes += n; bytes > p.m.opt.Resident {
			return p.m.tooLarge(i, bytes, " for the operands up to it")
		}
		if limit > 0 && bytes > limit {
			return refusal(-1, "its operands take %d bytes, the limit is %d", bytes, limit)
		}
	}
	if err := p.fill(); err != nil {
		return err
	}
	for i, in := range p.m.inputs {
		if in != nil && in.plan == whole {
			if err := p.m.settle(i); err != nil {
				return err
			}
		}
		p.Bases[i] = p.m.base(i)
	}
	return nil
}

// bind checks that what the piece touches of a region is there, and
// decides how it gets to the kernel. It gives the bytes that this takes.
func (p *placing) bind(i int, o Operand) (int64, error) {
	if stored, ok := o.(Stored); ok {
		return p.bindStored(i, &stored)
	}
	if o == nil {
		return 0, nil
	}
	const align = 64
	size := p.m.about[i].kind.Size()
	first, n, _ := travels(o, size)
	p.m.buffers[i] = buffer{here: true, first: first, off: p.area, n: n} // from the area's beginning, for now
	bytes := n * int64(size)
	p.area += (bytes + align - 1) &^ (align - 1)
	return bytes, p.present(i, first, first+n)
}

func (p *placing) bindStored(i int, o *Stored) (int64, error) {
	in := &input{buffer: i, name: p.m.about[i].name, b: &o.Binding, kind: p.m.about[i].kind, origin: o.Origin, rows: o.Source.Rows(), width: 1}
	bound, bounded := p.bound(i)
	if o.Bound > 0 && (!bounded || o.Bound < bound) {
		bound, bounded = o.Bound, true
	}
	bounded = bounded && (o.Below <= 0 || o.Below > bound)
	if err := in.bindColumn(bounded, bound); err != nil {
		if errors.As(err, new(*data.Error)) {
			return 0, err
		}
		return 0, &PieceError{Region: i, Msg: err.Error(), Err: err}
	}
	if err := p.present(i, in.first(), in.first()+in.rows*in.width); err != nil {
		return 0, err
	}
	p.m.inputs[i] = in
	switch {
	case p.m.inside(in):
		return 0, p.useInside(in)
	case p.c.Streams(i) && p.feed(i, in, p.lo, p.hi):
		in.plan = windowed
		return 0, nil
	}
	in.plan = whole
	return in.size(), nil
}

// fill makes the area for what travels, copies it there and looks at its elements.
func (p *placing) fill() error {
	if p.area == 0 {
		return nil
	}
	local := func(o Operand) bool { _, stored := o.(Stored); return o != nil && !stored }
	at := slices.IndexFunc(p.operands, local)
	area, err := p.m.reserve(at, p.area, "", p.m.eng.Arena().Alloc)
	if err != nil {
		return err
	}
	p.m.buffers[at].span = area // whoever drops the first frees the area
	for i, o := range p.operands {
		if !local(o) {
			continue
		}
		p.m.buffers[i].off += area.Off
		kind, dst := p.m.about[i].kind, p.m.bytes(i)
		first, _, b := travels(o, kind.Size())
		copy(dst, b)
		bound, bounded := p.bound(i)
		if at, want := offender(dst, kind, bounded, bound); at >= 0 {
			return refusal(i, "element %d is no %s", first+int64(at), want)
		}
	}
	return nil
}

// present makes sure that elements first..end of a region are enough.
func (p *placing) present(i int, first, end int64) error {
	for _, s := range p.c.Kernel.State {
		if s.Region == i && (first > 0 || end < 1) {
			return &MissingError{i, 0, 1, first, end}
		}
	}
	return within(p.c, i, p.Sizes, p.lo, p.hi, first, end)
}

// within makes sure that what outer indices lo..hi touch of a region lies in
// elements first..end.
func within(c *engine.Compiled, region int, sizes []int64, lo, hi, first, end int64) error {
	a, b := c.Reach(region, sizes, lo, hi)
	if a < b && (a < first || b > end) {
		return &MissingError{region, a, b, first, end}
	}
	return nil
}

// useInside takes a column as it lies in kernel memory.
func (p *placing) useInside(in *input) error {
	p.m.use(in)
	first, end := p.c.Reach(in.buffer, p.Sizes, p.lo, p.hi)
	// From a multiple of 8 on, because aligned elements are looked at faster.
	return p.m.validate(in, (first-in.first())&^7, end-in.first())
}

// bound is what the kernel takes for granted about a region's elements.
func (p *placing) bound(i int) (int64, bool) {
	reg := &p.c.Kernel.Regions[i]
	if !reg.Bounded || reg.Access == kernel.Write {
		return 0, false
	}
	n, _ := kernel.EvalPoly(reg.Bound, p.Sizes) // 0, which nothing is below, if it cannot be evaluated
	return n, true
}

// offender finds the first element that is not what kernels take for granted,
// and says what that is; -1 if there is none.
func offender(b []byte, k num.Kind, bounded bool, bound int64) (at int, want string) {
	if at = offending(b, k, bounded, bound); at < 0 {
		return at, ""
	}
	switch {
	case k == num.Bool:
		return at, "bool (a byte 0 or 1)"
	case bound < 1:
		return at, "index into an array that is empty"
	}
	return at, fmt.Sprintf("index below %d", bound)
}

// offending is the place that offender gives alone.
func offending(b []byte, k num.Kind, bounded bool, bound int64) int {
	switch {
	case k == num.Bool:
		return outside(b, num.U8, 2)
	case !bounded || len(b) == 0:
		return -1
	case bound < 1:
		return 0
	}
	return outside(b, k, bound)
}
