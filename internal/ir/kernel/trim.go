package kernel

import "github.com/godwit-run/godwit/internal/front/size"

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

// TrimSizes drops the sizes that k does not speak of, but for those that stay. It gives the old numbers of those that are left.
func TrimSizes(k *Kernel, stay func(i int) bool) []int {
	used := make([]bool, len(k.Sizes))
	k.polys(func(p *size.Poly) {
		p.Subst(func(name string) (size.Poly, bool) {
			i, _ := SizeIndex(name)
			used[i] = true
			return size.Poly{}, false
		})
	})
	var kept []int
	var sizes []Size
	number := make([]int, len(used))
	for i := range used {
		if used[i] || stay(i) {
			number[i] = len(kept)
			kept, sizes = append(kept, i), append(sizes, k.Sizes[i])
		}
	}
	if len(kept) == len(used) {
		return kept
	}
	k.polys(func(p *size.Poly) {
		*p = p.Subst(func(name string) (size.Poly, bool) {
			i, _ := SizeIndex(name)
			return SizeVar(number[i]), true
		})
	})
	k.Sizes = sizes
	return kept
}

// polys visits every polynomial over the sizes of k.
func (k *Kernel) polys(visit func(p *size.Poly)) {
	visit(&k.Outer)
	visit(&k.Grain)
	visit(&k.Count)
	for i := range k.Regions {
		visit(&k.Regions[i].Len)
		visit(&k.Regions[i].Bound)
	}
	for i := range k.Scalars {
		visit(&k.Scalars[i].Bound)
	}
	k.Body.Each(func(in *Instr) {
		visit(&in.Poly)
		for i := range in.Carry {
			visit(&in.Carry[i].Bound)
		}
	})
}
