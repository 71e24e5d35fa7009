// Package kerneltest makes kernels with arguments to run them on, for the
// tests of everything that reads, proves or runs kernels.
package kerneltest

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Case is a kernel that verify accepts, with arguments that it admits.
type Case struct {
	Name    string
	Kernel  *kernel.Kernel
	Sizes   []int64
	Scalars []uint64
	Regions [][]byte // nil for scratch
	Outer   int64    // outer indices to run: 0..Outer
}

// Clone copies the regions, so that a run does not spoil another.
func (c *Case) Clone() *Case {
	d := *c
	d.Regions = make([][]byte, len(c.Regions))
	for i, r := range c.Regions {
		d.Regions[i] = slices.Clone(r)
	}
	return &d
}

// Spoil puts other bytes with the same lowest bit where a Bool is, as a
// stranger may.
func (c *Case) Spoil() *Case {
	c = c.Clone()
	for i, r := range c.Kernel.Regions {
		if r.Elem == num.Bool {
			for j := range c.Regions[i] {
				c.Regions[i][j] |= byte(38*j) &^ 1
			}
		}
	}
	return c
}

// Lens is the number of elements of each region.
func (c *Case) Lens() []int64 {
	lens := make([]int64, len(c.Kernel.Regions))
	for i := range c.Kernel.Regions {
		lens[i], _ = kernel.EvalPoly(c.Kernel.Regions[i].Len, c.Sizes)
	}
	return lens
}

// pack writes values as elements of kind k.
func pack(k num.Kind, values []uint64) []byte {
	out := make([]byte, 0, len(values)*k.Size())
	for _, v := range values {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		out = append(out, b[:k.Size()]...)
	}
	return out
}

// Edges are the values of a kind where rules change, in canonical form.
func Edges(k num.Kind) []uint64 {
	var edges []uint64
	switch {
	case k == num.Bool:
		return []uint64{0, 1}
	case k.IsFloat():
		for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 127.5, 128, -128.9, 255.9, 65535.5, 1 << 24, 1<<24 + 1, 1 << 31, -1 << 31,
			1 << 32, 1 << 53, 1 << 63, -1 << 63, 1 << 64, 1e30, -1e30, 1e300, math.MaxFloat32, math.SmallestNonzeroFloat32, 5e-324,
			math.Inf(1), math.Inf(-1), math.NaN(), math.Pi} {
			edges = append(edges, num.FromFloat(k, x))
		}
	default:
		lo, hi := uint64(k.MinInt()), k.MaxInt()
		for _, v := range []uint64{0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, lo, lo + 1, hi, hi - 1, hi / 2, ^uint64(0), ^uint64(1), 1 << 24, 1<<24 + 1, 1<<53 + 1, 1<<60 | 1<<36 | 1} {
			edges = append(edges, num.Canon(k, v))
		}
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}

// Kinds are all scalar kinds.
func Kinds() []num.Kind {
	return []num.Kind{num.Bool, num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64, num.F32, num.F64}
}
