package kernel

import "slices"

// Each visits all instructions of a block and inside, each before those of its blocks.
func (b *Block) Each(visit func(*Instr)) {
	for i := range b.Instrs {
		b.Instrs[i].Each(visit)
	}
}

// Each visits an instruction and all inside.
func (in *Instr) Each(visit func(*Instr)) {
	visit(in)
	for i := range in.Blocks {
		in.Blocks[i].Each(visit)
	}
}

// Defs lists what defines each value; nil of parameters.
func (k *Kernel) Defs() []*Instr {
	def := make([]*Instr, k.Values())
	k.Body.Each(func(in *Instr) {
		for _, v := range in.Out {
			def[v] = in
		}
	})
	return def
}

// HasScratch reports a kernel with memory of its own.
func (k *Kernel) HasScratch() bool {
	return slices.ContainsFunc(k.Regions, func(r Region) bool { return r.Access == Scratch })
}
