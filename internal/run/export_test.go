package run

// Ways is how many ways windows on a file can come.
const Ways = int(ways)

// Prefer is for tests: launches with too few windows for a contest take this way, where they can.
func Prefer(w int) { lately.Store(int32(w)) }

// Frames are the sizes that the program has frames for, and how many columns of each lie apart from its span.
func (p *Program) Frames(sizes map[string]int64) (framed bool, apart int) {
	f := p.frame(sizes)
	if f == nil {
		return false, 0
	}
	apart = len(f.results)
	for _, in := range f.inputs {
		if in.long {
			apart++
		}
	}
	return true, apart
}
