package interp

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// checkSizes holds the sizes to what the program declares about them: every
// proof in the graph rests on that.
func (m *machine) checkSizes() {
	for _, s := range m.g.Sizes {
		n, ok := m.sizes[s.Name]
		switch {
		case !ok:
			m.stop("the size %s is not given", s.Name)
		case n < s.Lo || n > s.Hi:
			m.stop("the size %s is %d, but declared in %d..=%d", s.Name, n, s.Lo, s.Hi)
		}
	}
	for _, p := range m.g.Facts.NonNeg {
		if n, ok := p.Eval(m.lookup); ok && n < 0 {
			m.stop("the sizes break %s >= 0", p)
		}
	}
}

// bind puts the arguments into the parameters' registers.
func (m *machine) bind(args []*value.Value) {
	params := m.g.Body.Params
	for i := len(args); i < len(m.g.ParamInfo) && m.g.ParamInfo[i].Literal != nil; i++ {
		args = append(args[:i:i], &value.Value{Type: params[i].Type, Columns: m.g.ParamInfo[i].Literal})
	}
	if len(args) != len(params) {
		m.stop("%d arguments for %d parameters", len(args), len(params))
	}
	for i, p := range params {
		info := graph.ParamInfo{Name: p.Name}
		if i < len(m.g.ParamInfo) {
			info = m.g.ParamInfo[i]
		}
		v, err := m.argument(p.Type, info, args[i])
		if err != nil {
			m.stop("argument %s: %w", info.Name, err)
		}
		m.regs[m.register(p)] = v
	}
}

func (m *machine) argument(t *graph.Type, info graph.ParamInfo, v *value.Value) (val, error) {
	s, leaves := m.shape(t), graph.Leaves(t)
	if v == nil || len(v.Columns) != len(leaves) {
		return val{}, fmt.Errorf("no %s", t)
	}
	cols := make([][]uint64, len(leaves))
	for l, leaf := range leaves {
		var err error
		if cols[l], err = m.column(leaf, v.Columns[l]); err != nil {
			return val{}, err
		}
	}
	whole := &array{n: 1, elem: s}
	whole.own(cols)
	r := whole.at(0)
	if k := t.KindOf(); info.Ranged && t.IsScalar() && k.IsInt() {
		if n := int64(r.bits); n < info.Lo || n > info.Hi || k == num.U64 && n < 0 {
			return val{}, fmt.Errorf("%s is outside of its range %d..=%d", column.Text(k, r.bits), info.Lo, info.Hi)
		}
	}
	return r, nil
}

// column reads the scalars of one leaf, in the one form that each has.
func (m *machine) column(leaf graph.Leaf, c column.Column) ([]uint64, error) {
	kind := leaf.Type.KindOf()
	if leaf.Type.Kind == graph.Index && !c.Kind.IsInt() || leaf.Type.Kind != graph.Index && c.Kind != kind {
		return nil, fmt.Errorf("column %q holds %s instead of %s", leaf.Label(), c.Kind, leaf.Type)
	}
	if len(c.Dims) != len(leaf.Dims) {
		return nil, fmt.Errorf("column %q has %d dimensions instead of %d", leaf.Label(), len(c.Dims), len(leaf.Dims))
	}
	if err := m.checkDims(leaf, c); err != nil {
		return nil, err
	}
	bound := uint64(1 << 63)
	if leaf.Type.Kind == graph.Index {
		bound = uint64(m.size(leaf.Type.Bound))
	}
	out := make([]uint64, c.Len())
	for i := range out {
		out[i] = num.Canon(c.Kind, c.At(int64(i)))
		if leaf.Type.Kind == graph.Index && out[i] >= bound {
			return nil, fmt.Errorf("element %d of column %q is %s, which is no %s", i, leaf.Label(), column.Text(c.Kind, out[i]), leaf.Type)
		}
	}
	return out, nil
}

// checkDims compares shapes. The dimensions inside of nothing may differ: a
// literal `[]` does not show them.
func (m *machine) checkDims(leaf graph.Leaf, c column.Column) error {
	for d, p := range leaf.Dims {
		n := m.size(p)
		if c.Dims[d] != n {
			return fmt.Errorf("column %q has the length %d instead of %s = %d", leaf.Label(), c.Dims[d], p, n)
		}
		if n == 0 {
			break
		}
	}
	return nil
}

// result turns what the body gave into a value.
func (m *machine) result(t *graph.Type, v val) *value.Value {
	r, err := value.New(t, m.lookup)
	if err != nil {
		m.stop("the result: %w", err)
	}
	s := m.shape(t)
	cols := s.columns(1)
	s.store(cols, 0, v)
	for l, c := range r.Columns {
		for i, bits := range cols[l] {
			c.Set(int64(i), bits)
		}
	}
	r.Canonical()
	return r
}
