package compile

import (
	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/schedule"
)

// trim drops the regions that a kernel neither loads from nor stores to, so
// that what stands for them need not be read, nor be in memory. It comes
// before anything looks at which buffers a schedule uses.
func trim(s *schedule.Schedule) {
	kept := map[*kernel.Kernel][]int{}
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		if _, done := kept[l.Kernel]; !done {
			kept[l.Kernel] = trimKernel(l.Kernel)
		}
		var regions []int
		for _, r := range kept[l.Kernel] {
			regions = append(regions, l.Regions[r])
		}
		l.Regions = regions
	})
}

// trimKernel gives the old numbers of the regions that stay.
func trimKernel(k *kernel.Kernel) []int {
	used := make([]bool, len(k.Regions))
	accesses(&k.Body, func(region *int) { used[*region] = true })
	for _, s := range k.State {
		used[s.Region] = true
	}
	var kept []int
	var regions []kernel.Region
	number := make([]int, len(used))
	for r, u := range used {
		if u {
			number[r] = len(kept)
			kept, regions = append(kept, r), append(regions, k.Regions[r])
		}
	}
	accesses(&k.Body, func(region *int) { *region = number[*region] })
	for i := range k.State {
		k.State[i].Region = number[k.State[i].Region]
	}
	k.Regions = regions
	return kept
}

// accesses visits the region of every load and store.
func accesses(b *kernel.Block, visit func(region *int)) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if in.Code == kernel.Load || in.Code == kernel.Store {
			visit(&in.Region)
		}
		for j := range in.Blocks {
			accesses(&in.Blocks[j], visit)
		}
	}
}
