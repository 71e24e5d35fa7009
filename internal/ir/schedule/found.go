package schedule

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
)

// In: a schedule. Out: the sizes that it finds while it runs, and whether it could be laid out without them, as that of a filter can: only the
// result is as long as they say. Invariant: where it is so, no launch, loop or buffer depends on what is found.

// Found gives the names of the sizes that steps find, and whether nothing but the result's dimensions depends on them, and each is found once.
func (s *Schedule) Found() (names []string, settled bool) {
	settled = true
	for _, step := range s.Steps {
		if f, ok := step.(*SetSize); ok {
			names = append(names, f.Name)
		} else {
			settled = settled && !Resizes([]Step{step})
		}
	}
	depends := func(p size.Poly) bool {
		return slices.ContainsFunc(p.Vars(), func(v string) bool { return slices.Contains(names, v) })
	}
	for i := range s.Buffers {
		settled = settled && !depends(s.Buffers[i].Len) && !depends(s.Buffers[i].Bound)
	}
	walk(s.Steps, false, func(step Step, _ bool) {
		switch step := step.(type) {
		case *Launch:
			for _, l := range append(step.Others(), step) {
				for _, a := range l.Sizes {
					settled = settled && !depends(a.Poly) && (a.KeyedBy == nil || !depends(*a.KeyedBy))
				}
			}
		case *Loop:
			settled = settled && !depends(step.Lo.Poly) && !depends(step.Hi.Poly) && !depends(step.Max)
		}
	})
	return names, settled
}
