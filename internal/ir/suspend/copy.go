package suspend

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// copy writes an instruction without far loads as it is.
func (m *maker) copy(in *kernel.Instr) {
	switch {
	case in.Code == kernel.Const:
		m.to[in.Out[0]] = m.constant(in.Kind, in.Bits)
	case in.Code == kernel.Store: // a result, written when the state is done
	case in.Code == kernel.Load && m.isInput(in): // in a column
	default:
		m.copyWhole(in)
	}
}

func (m *maker) copyWhole(in *kernel.Instr) {
	c := *in
	c.Args, c.At, c.Out = m.all(in.Args), m.to[in.At], nil
	if in.Code == kernel.Load {
		c.Region = m.region[in.Region]
	}
	c.Blocks = make([]kernel.Block, len(in.Blocks))
	for i := range in.Blocks {
		m.copyBlock(&c.Blocks[i], &in.Blocks[i])
	}
	kinds := make([]num.Kind, len(in.Out))
	for i, v := range in.Out {
		kinds[i] = m.safe.Kinds[v]
	}
	for i, v := range m.emit(c, kinds...) {
		m.to[in.Out[i]] = v
	}
}

func (m *maker) copyBlock(to, from *kernel.Block) {
	for _, v := range from.Params {
		m.to[v] = m.value(m.safe.Kinds[v])
	}
	to.Params = m.all(from.Params)
	m.block(to, func() []kernel.Value {
		for _, in := range pointers(from) {
			m.copy(in)
		}
		return slices.Clone(m.all(from.Results))
	})
}
