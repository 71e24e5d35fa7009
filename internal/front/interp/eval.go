package interp

import (
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// eval gives the meaning of every operation.
func (m *machine) eval(in *inst) val {
	switch in.Op {
	case graph.Const:
		return val{bits: in.Node.Bits}
	case graph.SizeVal:
		return val{bits: uint64(m.polyOf(in))}
	case graph.Spread:
		return val{} // one machine has all rows
	case graph.Arith:
		return val{bits: m.arith(in)}
	case graph.Cast:
		return val{bits: m.cast(in)}
	case graph.Bits:
		return val{bits: reinterpret(in.kind, in.Type.KindOf(), m.arg(in, 0).bits)}
	case graph.If:
		if m.arg(in, 0).bits != 0 {
			return m.call(in.blocks[0])
		}
		return m.call(in.blocks[1])
	case graph.MakeTuple, graph.Get, graph.Some, graph.Nothing, graph.IsSome, graph.Unwrap:
		return m.product(in)
	case graph.Clamp, graph.Wrap, graph.Check:
		return val{bits: uint64(m.toIndex(in))}
	case graph.At:
		return m.at(in)
	}
	return m.arrayOp(in)
}

func (m *machine) arrayOp(in *inst) val {
	switch in.Op {
	case graph.Map:
		return val{array: m.mapping(in)}
	case graph.Filter:
		return val{array: m.filter(in)}
	case graph.Compact:
		return val{array: m.compact(in)}
	case graph.Limit:
		return val{array: m.limit(in)}
	case graph.Reduce:
		return val{bits: m.reduce(in)}
	case graph.KeyedReduce:
		return val{array: m.keyed(in)}
	case graph.Fold:
		return m.fold(in)
	case graph.Scan:
		return val{array: m.scan(in)}
	case graph.Scatter:
		return val{array: m.scatter(in)}
	case graph.Update:
		return val{array: m.update(in)}
	case graph.Sort:
		return val{array: m.sort(in)}
	case graph.TopK:
		return val{array: m.topK(in)}
	case graph.Loop:
		return m.loop(in)
	}
	m.stop("there is no operation %d", in.Op)
	return val{}
}

func (m *machine) arith(in *inst) uint64 {
	var args [3]uint64
	for i := range in.args {
		args[i] = m.arg(in, i).bits
	}
	r, fault := num.Apply(in.Num, in.kind, args[:len(in.args)])
	if fault && in.Checked {
		m.report(in.Node)
	}
	m.checkIndex(in, r)
	return r
}

// checkIndex holds the front end to a bound that it knew without a Check.
func (m *machine) checkIndex(in *inst, r uint64) {
	if in.Type.Kind == graph.Index && r >= uint64(max(m.boundOf(in), 0)) && !m.faulted {
		m.stop("%s gives %d, which is no %s", in.Op, int64(r), in.Type)
	}
}

func (m *machine) cast(in *inst) uint64 {
	r, fault := num.Convert(in.kind, in.Type.KindOf(), m.arg(in, 0).bits)
	if fault && in.Checked {
		m.report(in.Node)
	}
	m.checkIndex(in, r)
	return r
}

// reinterpret keeps the low bits and gives them the form of the new kind.
func reinterpret(from, to num.Kind, bits uint64) uint64 {
	if w := from.Bits(); w < 64 {
		bits &= 1<<w - 1
	}
	return num.Canon(to, bits)
}

func (m *machine) product(in *inst) val {
	switch in.Op {
	case graph.MakeTuple:
		parts := make([]val, len(in.args))
		for i := range parts {
			parts[i] = m.arg(in, i)
		}
		return val{parts: parts}
	case graph.Get:
		return m.arg(in, 0).parts[in.Field]
	case graph.Some:
		return val{bits: 1, parts: []val{m.arg(in, 0)}}
	case graph.Nothing:
		return val{}
	case graph.IsSome:
		return val{bits: m.arg(in, 0).bits}
	}
	if o := m.arg(in, 0); o.bits != 0 {
		return o.parts[0]
	}
	return m.shape(in.Type).zero()
}

// toIndex is Clamp, Wrap or Check. A range without numbers is a fault of all
// three.
func (m *machine) toIndex(in *inst) int64 {
	v, n := int64(m.arg(in, 0).bits), m.polyOf(in)
	switch {
	case n <= 0:
		m.report(in.Node)
		return 0
	case v >= 0 && v < n:
		return v
	case in.Op == graph.Clamp:
		return max(0, min(v, n-1))
	case in.Op == graph.Wrap:
		return (v%n + n) % n
	}
	m.report(in.Node)
	return 0
}

// at is an element. An index outside can only come from an Index of nothing,
// which is the result of a fault; the element is zero then.
func (m *machine) at(in *inst) val {
	a, i := m.arg(in, 0).array, int64(m.arg(in, 1).bits)
	if i >= 0 && i < a.n {
		return a.at(i)
	}
	if !m.faulted {
		m.stop("the index %d is outside of %d elements", i, a.n)
	}
	return m.shape(in.Type).zero()
}
