package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a fold to the least or the greatest float, out goes one over integers of the same order. The
// bits of floats, those of negative ones turned over, have it: -0 lies before +0, and NaN beyond the infinity of its
// sign. So both ends of all keys tell the extreme and whether there was a NaN. A processor
// with AVX-512 has the operations for all widths, four for an element instead of six.

func (e *emitter) byEnds(a kernel.Acc) bool {
	return a.Kind.IsFloat() && (a.Op == kernel.FoldMin || a.Op == kernel.FoldMax) && e.t.Arch == "amd64" && e.t.VectorBytes == 64
}

// endsOf is the greatest and the least key of one value.
func (e *emitter) endsOf(a accumulator, n int, x string) []string {
	t := typ{a.Kind, n}
	key := e.flipNegative(t.bits(), e.set("bitcast %s %s to %s", t, x, t.bits()))
	return []string{key, key}
}

func (e *emitter) joinEnds(a accumulator, n int, x, y []string) []string {
	t := typ{intKind(a.Kind), n}
	return []string{e.pure("llvm.smax", t, x[0], y[0]), e.pure("llvm.smin", t, x[1], y[1])}
}

// fromEnds is the extreme, or NaN if a key lies beyond an infinity.
func (e *emitter) fromEnds(a accumulator, n int, ends []string) string {
	t := typ{a.Kind, n}
	whole := t.bits()
	top := num.Canon(whole.kind, num.FromFloat(a.Kind, math.Inf(1)))
	bottom := ^top // of the bits of -∞ turned over: their order is that of the numbers
	nan := e.two("or", t.bool(), e.two("icmp sgt", whole, ends[0], whole.constant(top)), e.two("icmp slt", whole, ends[1], whole.constant(bottom)))
	end := ends[0]
	if a.Op == kernel.FoldMin {
		end = ends[1]
	}
	x := e.set("bitcast %s %s to %s", whole, e.flipNegative(whole, end), t)
	return e.pick(nan, t, t.float(math.NaN()), x)
}
