package size

import "math"

// Likely is which part of what it can be a size is likely that is found while a program runs. It is for predictions, and changes no result.
type Likely uint8

// What is likely.
const (
	Half Likely = iota // nothing is known
	None               // a way that is seldom gone
	All                // a way that is mostly gone
	Rest               // what a small table had no room for: none, but all where values are known to be many
	Root               // different things among many: the square root, which is in the middle of what can be by its size
)

// Part is the part of n.
func (l Likely) Part(n float64) float64 {
	switch l {
	case None, Rest:
		return 0
	case All:
		return 1
	case Root:
		return 1 / math.Sqrt(max(1, n))
	}
	return 0.5
}
