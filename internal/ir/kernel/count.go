package kernel

// Instructions is how many a kernel has, with those within others: what has to be compiled, however often it runs.
func Instructions(k *Kernel) int { return k.Body.instructions() }

func (b *Block) instructions() int {
	n := len(b.Instrs)
	for i := range b.Instrs {
		for j := range b.Instrs[i].Blocks {
			n += b.Instrs[i].Blocks[j].instructions()
		}
	}
	return n
}
