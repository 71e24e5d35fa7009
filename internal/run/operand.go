package run

import (
	"errors"
	"fmt"
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Operand is what a piece has of one region: Stored, or elements that travel as Inline, InOut or Out. It is nil for a
// Scratch region.
type Operand interface{ operand() }

// Stored is a column of a source. Row 0 of that is row Origin of the region, which has Total rows.
type Stored struct {
	Binding
	Origin, Total int64
	// Bound, if > 0, is what elements must stay below, besides what the kernel
	// asks for.
	Bound int64
	// Below, if > 0, is what all elements are known to stay below, none being negative: they are not looked at for a bound that is no less.
	Below int64
}

// Inline is elements from First on, little-endian, to be read.
type Inline struct {
	First int64
	Bytes []byte
}

// InOut is likewise to be read and written, and comes back as the kernel leaves it.
type InOut struct {
	First int64
	Bytes []byte
}

// Out is elements First..First+Count, which are zero at the start and come back.
type Out struct{ First, Count int64 }

func (Stored) operand() {}
func (Inline) operand() {}
func (InOut) operand()  {}
func (Out) operand()    {}

// Returns gives the first of an operand's elements that come back as the kernel leaves them; false if none do.
func Returns(o Operand) (first int64, ok bool) {
	switch o := o.(type) {
	case InOut:
		return o.First, true
	case Out:
		return o.First, true
	}
	return 0, false
}

// travels gives n elements from the first on, which begin as b and go on with zeros.
func travels(o Operand, size int) (first, n int64, b []byte) {
	switch o := o.(type) {
	case Inline:
		return o.First, int64(len(o.Bytes) / size), o.Bytes
	case InOut:
		return o.First, int64(len(o.Bytes) / size), o.Bytes
	case Out:
		return o.First, o.Count, nil
	}
	return 0, 0, nil
}

// wholeOf checks that an operand is of the right sort, and gives the length of
// the whole region as far as the operand knows it.
func wholeOf(o Operand, reg *kernel.Region, sizes []int64) (int64, error) {
	stored, isStored := o.(Stored)
	_, returns := Returns(o)
	first, n, b := travels(o, reg.Elem.Size())
	switch {
	case reg.Access == kernel.Scratch && o != nil:
		return 0, errors.New("it is scratch memory, but an operand is given")
	case reg.Access == kernel.Scratch:
		return 0, nil
	case isStored && reg.Access != kernel.Read:
		return 0, errors.New("it is written, but a stored column is given")
	case isStored:
		return stored.whole(reg)
	case reg.Access == kernel.Read && returns:
		return 0, errors.New("it is only read, but its contents are asked for")
	case reg.Access != kernel.Read && !returns:
		return 0, errors.New("it is written: its operand must be either Out or InOut")
	case o == nil:
		return 0, errors.New("it is read, but no operand is given")
	case n < 0 || n > math.MaxInt64/64:
		return 0, fmt.Errorf("expected a number of elements that start as zero, found %d", n)
	case len(b)%reg.Elem.Size() != 0:
		return 0, fmt.Errorf("%d bytes are no elements of kind %s", len(b), reg.Elem)
	case first < 0 || first > math.MaxInt64/64:
		return 0, fmt.Errorf("element %d cannot be the first", first)
	}
	length, _ := kernel.EvalPoly(reg.Len, sizes) // Admit refuses what cannot be evaluated
	return length, nil
}

func (o Stored) whole(reg *kernel.Region) (int64, error) {
	cols := o.Source.Columns()
	switch {
	case o.Column < 0 || o.Column >= len(cols):
		return 0, fmt.Errorf("column number %d was asked for, %s has %d", o.Column, o.Source.Path(), len(cols))
	case o.Presence && reg.Elem != num.Bool:
		return 0, fmt.Errorf("whether values are present is a bool, found %s", reg.Elem)
	case o.Origin < 0 || o.Total < 0 || o.Source.Rows() > o.Total-o.Origin:
		return 0, fmt.Errorf("%d rows from row %d on do not fit into %d", o.Source.Rows(), o.Origin, o.Total)
	}
	width := int64(1)
	if !o.Presence {
		width = cols[o.Column].Width()
	}
	if width > 0 && o.Total > math.MaxInt64/64/width {
		return 0, fmt.Errorf("%d rows of %d elements are too many", o.Total, width)
	}
	return o.Total * width, nil
}
