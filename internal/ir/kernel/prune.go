package kernel

// Prune drops instructions whose results nobody uses and that neither store
// nor can fault.
func Prune(k *Kernel) {
	p := pruning{used: map[Value]bool{}}
	p.block(&k.Body)
}

type pruning struct{ used map[Value]bool }

// block works backwards, so that what only dead code uses is dead too.
func (p pruning) block(b *Block) {
	p.mark(b.Results)
	kept := len(b.Instrs)
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		in := &b.Instrs[i]
		if !p.live(in) {
			continue
		}
		p.mark(in.Args)
		if in.At != None {
			p.used[in.At] = true
		}
		for j := range in.Blocks {
			p.block(&in.Blocks[j])
		}
		kept--
		b.Instrs[kept] = *in
	}
	b.Instrs = b.Instrs[kept:]
}

func (p pruning) mark(vs []Value) {
	for _, v := range vs {
		p.used[v] = true
	}
}

func (p pruning) live(in *Instr) bool {
	for _, v := range in.Out {
		if p.used[v] {
			return true
		}
	}
	return HasEffect(in)
}

// HasEffect reports that an instruction, or one inside it, stores or may
// fault.
func HasEffect(in *Instr) (has bool) {
	in.Each(func(in *Instr) { has = has || in.Code == Store || in.Code == Fault || in.Site != NoSite })
	return has
}
