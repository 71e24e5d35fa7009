package run

import (
	"errors"
	"fmt"
	"math"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Operand is what a piece has of one region. It is a column if Source is set.
// Otherwise its elements travel with the piece: Bytes to be read, Written, or both
// (InOut). A Scratch region has the zero Operand.
type Operand struct {
	Source data.Source
	Column int
	// Row 0 of the source is row Origin of the region, which has Total rows.
	Origin, Total int64
	// Option and Presence as in Binding.
	Option, Presence bool
	// Bound, if > 0, is what elements must stay below, besides what the kernel
	// asks for.
	Bound int64

	// First is the first element that is here.
	First int64
	// Bytes holds elements from First on, little-endian, at the start.
	Bytes []byte
	// Written elements First..First+Count are zero at the start and returned.
	Written bool
	Count   int64
	// InOut says that Bytes are returned as the kernel leaves them.
	InOut bool
}

func (o *Operand) local() bool { return o.Source == nil }

// count is the number of elements that travel.
func (o *Operand) count(reg *kernel.Region) int64 {
	if o.Written {
		return o.Count
	}
	return int64(len(o.Bytes) / reg.Elem.Size())
}

// whole checks that the operand is of the right sort, and gives the length of
// the whole region as far as the operand knows it.
func (o *Operand) whole(reg *kernel.Region, sizes []int64) (int64, error) {
	switch {
	case reg.Access == kernel.Scratch:
		if o.Source != nil || o.Bytes != nil || o.Written || o.InOut {
			return 0, errors.New("it is scratch memory, but an operand is given")
		}
		return 0, nil
	case o.Source != nil:
		return o.wholeColumn(reg)
	case reg.Access == kernel.Read && (o.Written || o.InOut):
		return 0, errors.New("it is only read, but its contents are asked for")
	case reg.Access != kernel.Read && o.Written == o.InOut:
		return 0, errors.New("it is written: its operand must be either Written or InOut")
	case o.Written && (len(o.Bytes) > 0 || o.Count < 0 || o.Count > math.MaxInt64/64):
		return 0, fmt.Errorf("expected a number of elements that start as zero, found %d with %d bytes", o.Count, len(o.Bytes))
	case len(o.Bytes)%reg.Elem.Size() != 0:
		return 0, fmt.Errorf("%d bytes are no elements of kind %s", len(o.Bytes), reg.Elem)
	case o.First < 0 || o.First > math.MaxInt64/64:
		return 0, fmt.Errorf("element %d cannot be the first", o.First)
	}
	n, _ := kernel.EvalPoly(reg.Len, sizes) // Admit refuses what cannot be evaluated
	return n, nil
}

func (o *Operand) wholeColumn(reg *kernel.Region) (int64, error) {
	cols := o.Source.Columns()
	switch {
	case reg.Access != kernel.Read:
		return 0, errors.New("it is written, but a stored column is given")
	case o.Bytes != nil || o.Written || o.InOut:
		return 0, errors.New("both a stored column and elements are given")
	case o.Column < 0 || o.Column >= len(cols):
		return 0, fmt.Errorf("column number %d was asked for, %s has %d", o.Column, o.Source.Path(), len(cols))
	case o.Presence && reg.Elem != num.Bool:
		return 0, fmt.Errorf("whether values are present is a bool, found %s", reg.Elem)
	case o.Origin < 0 || o.Total < 0 || o.Source.Rows() > o.Total-o.Origin:
		return 0, fmt.Errorf("%d rows from row %d on do not fit into %d", o.Source.Rows(), o.Origin, o.Total)
	}
	width := o.width()
	if width > 0 && o.Total > math.MaxInt64/64/width {
		return 0, fmt.Errorf("%d rows of %d elements are too many", o.Total, width)
	}
	return o.Total * width, nil
}

func (o *Operand) width() int64 {
	if o.Presence {
		return 1
	}
	return o.Source.Columns()[o.Column].Width()
}

// bindOperand checks that what the piece touches of a region is there, and
// decides how it gets to the kernel. It gives the bytes that this takes.
func (l *launching) bindOperand(i int, o *Operand) (int64, error) {
	reg := &l.c.Kernel.Regions[i]
	if o.Source != nil {
		return l.bindStored(i, o)
	}
	n := o.count(reg)
	if err := l.present(i, o.First, o.First+n); err != nil {
		return 0, err
	}
	l.r.buffers[i] = buffer{here: true, first: o.First, n: n}
	return n * int64(reg.Elem.Size()), nil
}

// present makes sure that elements first..end of a region are enough.
func (l *launching) present(i int, first, end int64) error {
	for _, s := range l.c.Kernel.State {
		if s.Region == i && (first > 0 || end < 1) {
			return &MissingError{i, 0, 1, first, end}
		}
	}
	return within(l.c, i, l.sizes, l.lo, l.hi, first, end)
}

func (l *launching) bindStored(i int, o *Operand) (int64, error) {
	b := &Binding{Source: o.Source, Column: o.Column, Option: o.Option, Presence: o.Presence}
	in := &input{buffer: i, name: l.r.name(i), b: b, kind: l.c.Kernel.Regions[i].Elem, origin: o.Origin, rows: o.Source.Rows(), width: 1}
	bound, bounded := l.bound(i)
	if o.Bound > 0 && (!bounded || o.Bound < bound) {
		bound, bounded = o.Bound, true
	}
	if err := in.bindColumn(bounded, bound); err != nil {
		if bad := (*data.Error)(nil); errors.As(err, &bad) {
			return 0, err
		}
		return 0, &PieceError{Region: i, Msg: err.Error(), Err: err}
	}
	if err := l.present(i, in.first(), in.first()+in.rows*in.width); err != nil {
		return 0, err
	}
	l.r.inputs[i] = in
	if l.r.inside(in) {
		return 0, l.useInside(in)
	}
	in.plan = whole
	if l.c.Streams(i) && (l.lo == l.hi || l.fitsWindow(i, in) && !l.rereads(i, in)) {
		in.plan = windowed
		l.feeds = append(l.feeds, feed{i, in})
		return 0, nil
	}
	return in.size(), nil
}

// useInside takes a column as it lies in kernel memory.
func (l *launching) useInside(in *input) error {
	off, _ := l.r.eng.Offset(in.raw.Bytes)
	l.r.buffers[in.buffer] = buffer{here: true, first: in.first(), off: off, n: in.rows * in.width}
	first, end := l.c.Reach(in.buffer, l.sizes, l.lo, l.hi)
	// From a multiple of 8 on, because aligned elements are looked at faster.
	return l.r.validatePart(in, (first-in.first())&^7, end-in.first())
}

// bound is what the kernel takes for granted about a region's elements.
func (l *launching) bound(i int) (int64, bool) {
	reg := &l.c.Kernel.Regions[i]
	if !reg.Bounded || reg.Access == kernel.Write {
		return 0, false
	}
	n, _ := kernel.EvalPoly(reg.Bound, l.sizes) // 0, which nothing is below, if it cannot be evaluated
	return n, true
}

// fillOperand copies an operand into its place and looks at its elements
// there.
func (l *launching) fillOperand(i int, o *Operand) error {
	dst := l.r.bytes(i)
	copy(dst, o.Bytes)
	bound, bounded := l.bound(i)
	at, want := offender(dst, l.c.Kernel.Regions[i].Elem, bounded, bound)
	if at >= 0 {
		return &PieceError{Region: i, Msg: fmt.Sprintf("element %d is no %s", o.First+int64(at), want)}
	}
	return nil
}

// offender finds the first element that is not what kernels take for granted,
// and says what that is; -1 if there is none.
func offender(b []byte, k num.Kind, bounded bool, bound int64) (at int, want string) {
	switch {
	case k == num.Bool:
		return outside(b, num.U8, 2), "bool (a byte 0 or 1)"
	case !bounded || len(b) == 0:
		return -1, ""
	case bound < 1:
		return 0, "index into an array that is empty"
	}
	return outside(b, k, bound), fmt.Sprintf("index below %d", bound)
}
