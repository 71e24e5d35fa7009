package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop over rows, and in it one over some columns, which loads what lies side by side. Out: the same, with the next rows' columns
// asked for at the beginning of each row. No processor fetches them by itself, where rows lie apart. What is asked for need not exist.

// nextRows is how many rows before its turn a row is asked for, and farRows how many bytes lie at least between rows that are apart.
const (
	nextRows = 2
	farRows  = 1024
)

// aside is such a load: of a row that begins at the counter by stride.
type aside struct {
	load, columns *kernel.Instr
	stride        kernel.Value
}

func (e *emitter) asides(in *kernel.Instr) (list []aside) {
	if e.lanes > 1 || e.plain || e.t.Arch != "amd64" && e.t.Arch != "arm64" {
		return nil
	}
	b := &in.Blocks[0]
	for x := range b.Instrs {
		c := &b.Instrs[x]
		if c.Code != kernel.For || !loops.Innermost(&c.Blocks[0]) || c.Args[0] >= b.Params[0] || c.Args[1] >= b.Params[0] {
			continue
		}
		for y := range c.Blocks[0].Instrs {
			if load := &c.Blocks[0].Instrs[y]; load.Code == kernel.Load && e.k.Regions[load.Region].Access == kernel.Read {
				if stride, ok := e.rowStride(load, c.Blocks[0].Params[0], b.Params[0]); ok {
					list = append(list, aside{load, c, stride})
				}
			}
		}
	}
	return list
}

// rowStride is s in a load's index i·s + j, if that is the same for all rows.
func (e *emitter) rowStride(load *kernel.Instr, j, i kernel.Value) (kernel.Value, bool) {
	at := e.operandsOf(load.Args[0], num.Add)
	for x := range at {
		if at[x] != j {
			continue
		}
		by := e.operandsOf(at[1-x], num.Mul)
		for y := range by {
			if by[y] == i && by[1-y] < i {
				return by[1-y], true
			}
		}
	}
	return kernel.None, false
}

// operandsOf are the operands of an operation on indices.
func (e *emitter) operandsOf(v kernel.Value, op num.Op) []kernel.Value {
	if d := e.Def[v]; d != nil && d.Code == kernel.Arith && d.Op == op && d.Kind == num.I64 {
		return d.Args
	}
	return nil
}

// askRows asks for the columns of a later row, where rows are apart and more than twice as long as what is loaded of them.
func (e *emitter) askRows(list []aside, i string) {
	for _, a := range list {
		one, elem := typ{num.I64, 1}, typ{e.k.Regions[a.load.Region].Elem, 1}
		from, to, stride := e.scalar(a.columns.Args[0]), e.scalar(a.columns.Args[1]), e.scalar(a.stride)
		each := int64(lineBytes / elem.kind.Size())
		length := e.set("sub i64 %s, %s", to, from)
		apart := e.two("and", typ{num.Bool, 1}, e.set("icmp sge i64 %s, %d", stride, farRows/int64(elem.kind.Size())),
			e.set("icmp sge i64 %s, %s", stride, e.two("add", one, length, length)))
		e.when(apart, nil, func() []string {
			row := e.set("mul i64 %s, %s", e.set("add i64 %s, %d", i, nextRows), stride)
			e.loop(from, to, each, nil, func(c string, _ []string) ([]string, string) {
				at := e.set("getelementptr %s, ptr %s, i64 %s", elem.inMemory(), e.bases[a.load.Region], e.set("add i64 %s, %s", row, c))
				e.line("%s", e.called("void", "llvm.prefetch.p0", nil, []string{"ptr " + at, "i32 0", "i32 2", "i32 1"}))
				return nil, ""
			})
			return nil
		})
	}
}
