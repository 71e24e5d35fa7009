package num

import "math/bits"

// The canonical order of floating-point reductions. These three constants
// are part of the language: changing one changes results. RATIONALE.md has
// the measurements behind them.
const (
	// Leaf is the number of consecutive slots that are folded in lanes
	// before leaves are combined pairwise by leaf number.
	Leaf = 4096
	// RowBytes is the width of the row of lanes inside a leaf.
	RowBytes = 128
	// minKeyedLeaf is the least number of slots in a leaf of a keyed fold.
	minKeyedLeaf = 1 << 16
)

// Lanes is the number of lanes that a leaf's slots are dealt to: slot i of
// a leaf goes to lane i mod Lanes.
func Lanes(k Kind) int { return RowBytes / k.Size() }

// KeyedLeaf is the number of slots in a leaf of a keyed fold whose
// accumulator table has width entries (groups × elements per group). It
// grows with the table so that combining leaves costs at most 1/64 of
// folding them.
func KeyedLeaf(width int64) int64 { return keyedLeaf(width, minKeyedLeaf, KeyedSlots) }

// ShortKeyedLeaf is one of a fold that gives the same in any order, whose leaves are therefore no part of the language: short enough that
// a shard has many, where combining them costs up to a quarter.
func ShortKeyedLeaf(width int64) int64 { return keyedLeaf(width, Leaf, ShortKeyedSlots) }

// KeyedSlots and ShortKeyedSlots are how many slots such leaves have at least for each entry of a table.
const KeyedSlots, ShortKeyedSlots = 64, 4

func keyedLeaf(width, least, slots int64) int64 {
	if width <= least/slots {
		return least
	}
	return slots << bits.Len64(uint64(min(width, 1<<40)-1))
}
