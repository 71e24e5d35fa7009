package kernel

// Copy emits the instructions of a block that stands elsewhere. to says which value takes the
// place of another; it gains the copies' results.
func (b *Builder) Copy(instrs []Instr, to map[Value]Value) {
	for i := range instrs {
		b.copy(instrs[i], to)
	}
}

func (b *Builder) copy(in Instr, to map[Value]Value) {
	old := in.Out
	in.Args, in.At, in.Out = Replaced(in.Args, to), Replaced([]Value{in.At}, to)[0], nil
	if IsPure(b.K, &in) {
		to[old[0]] = b.pure(in, b.kinds[old[0]])
		return
	}
	blocks := in.Blocks
	in.Blocks = make([]Block, len(blocks))
	for j, blk := range blocks {
		for _, p := range blk.Params {
			to[p] = b.param(b.kinds[p])
			in.Blocks[j].Params = append(in.Blocks[j].Params, to[p])
		}
		b.block(&in.Blocks[j], func() []Value {
			b.Copy(blk.Instrs, to)
			return Replaced(blk.Results, to)
		})
	}
	for j, v := range b.emit(in, b.kindsOf(old)...) {
		to[old[j]] = v
	}
}

// Replaced gives vs with those values that to knows replaced.
func Replaced(vs []Value, to map[Value]Value) []Value {
	out := make([]Value, len(vs))
	for i, v := range vs {
		out[i] = v
		if w, ok := to[v]; ok {
			out[i] = w
		}
	}
	return out
}

// IsPure reports that an instruction has one result, the same wherever and however often it
// stands.
func IsPure(k *Kernel, in *Instr) bool {
	switch in.Code {
	case Const, SizeOf, ScalarArg, Arith, Convert, Bitcast, Select, Bound, Positive:
		return true
	case Load:
		return k.Regions[in.Region].Access == Read
	}
	return false
}
