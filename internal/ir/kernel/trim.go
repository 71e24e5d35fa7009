package kernel

// Trim drops the regions that k neither loads from nor stores to, so that
// what stands for them need not be in memory. It gives the old numbers of
// those that stay.
func Trim(k *Kernel) []int {
	used := make([]bool, len(k.Regions))
	touched(&k.Body, func(region *int) { used[*region] = true })
	for _, s := range k.State {
		used[s.Region] = true
	}
	var kept []int
	var regions []Region
	number := make([]int, len(used))
	for r, u := range used {
		if u {
			number[r] = len(kept)
			kept, regions = append(kept, r), append(regions, k.Regions[r])
		}
	}
	touched(&k.Body, func(region *int) { *region = number[*region] })
	for i := range k.State {
		k.State[i].Region = number[k.State[i].Region]
	}
	k.Regions = regions
	return kept
}

// touched visits the region of every load and store.
func touched(b *Block, visit func(region *int)) {
	b.Each(func(in *Instr) {
		if in.Code == Load || in.Code == Store {
			visit(&in.Region)
		}
	})
}
