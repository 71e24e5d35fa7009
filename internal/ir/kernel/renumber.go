package kernel

// Renumber gives every value its canonical number (see the package comment),
// so that equal kernels have equal bytes.
func Renumber(k *Kernel) {
	r := renumbering{to: map[Value]Value{None: None}}
	r.block(&k.Body)
}

type renumbering struct {
	to   map[Value]Value
	next Value
}

func (r *renumbering) define(vs []Value) []Value {
	out := make([]Value, len(vs))
	for i, v := range vs {
		r.to[v] = r.next
		out[i] = r.next
		r.next++
	}
	return out
}

// use, like define, gives a new slice: a builder's caller may use one twice.
func (r *renumbering) use(vs []Value) []Value {
	out := make([]Value, len(vs))
	for i, v := range vs {
		out[i] = r.to[v]
	}
	return out
}

func (r *renumbering) block(b *Block) {
	b.Params = r.define(b.Params)
	for i := range b.Instrs {
		in := &b.Instrs[i]
		in.Args = r.use(in.Args)
		in.At = r.to[in.At]
		for j := range in.Blocks {
			r.block(&in.Blocks[j])
		}
		in.Out = r.define(in.Out)
	}
	b.Results = r.use(b.Results)
}
