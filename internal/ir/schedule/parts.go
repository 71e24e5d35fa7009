package schedule

import "github.com/godwit-run/godwit/internal/front/size"

// In: an operation over slots that depend on each other, such as a sort, and how many threads there are. Out: sizes by which it is done in
// parts, side by side, that are put together in rounds. Invariant: the result does not tell how many parts there were.

// SetParts defines sizes: how many parts there are; the slots of a grain, GrainsOfPart of which make a part, so that the parts
// cover all Slots; and how many rounds, each of which puts together two runs of parts at a time, leave two runs or one.
type SetParts struct {
	Slots                size.Poly
	Parts, Grain, Rounds string
}

const (
	// MostParts is beyond what helps: twice as many take one more round.
	MostParts = 64
	// GrainsOfPart is how many outer indices put together as many slots as a part has: so many that threads end together.
	GrainsOfPart = 16
)

// Define sets the sizes for so many threads.
func (s *SetParts) Define(sizes map[string]int64, threads int, slots int64) {
	parts := int64(min(max(threads, 1), MostParts))
	per := parts * GrainsOfPart
	sizes[s.Parts], sizes[s.Grain], sizes[s.Rounds] = parts, max(1, slots/per+min(slots%per, 1)), 0
	for runs := parts; runs > 2; runs = (runs + 1) / 2 {
		sizes[s.Rounds]++
	}
}
