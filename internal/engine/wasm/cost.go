package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A call into wazero keeps Go's garbage collector waiting, so the code counts
// down fuel and visits the host when it has run out. One unit is about a
// quarter of a nanosecond; the figures err on the high side.
const (
	fullTank  = 1 << 19 // an eighth of a millisecond
	maxCost   = 1 << 18 // of one turn, so that a strip's cost fits in 31 bits
	shortLoop = 1 << 14 // loops this cheap, known beforehand, are not metered

	costPlain  = 2
	costDivide = 40
	costStream = 8   // a load or store near the one of the turn before
	costFar    = 300 // a load from anywhere
	costFold   = 400 // setting up and closing a fold
	costLane   = 10  // adding to a lane in memory
	costLeaf   = 60  // adding a leaf to the tree
	costFused  = 100 // a fused multiply-add
	costOuter  = 16  // an outer index
)

// cost estimates one turn through a block, without the loops that meter
// themselves.
func (e *emitter) cost(b *block) int {
	sum := costPlain
	for _, n := range b.code {
		sum = min(sum+e.nodeCost(n), maxCost)
	}
	return sum
}

// loopSize is what is known of a loop's running time. It is computed once
// for each loop: asking again at every level of a nest would take
// exponentially long.
type loopSize struct {
	turn  int  // cost of a turn
	trips int  // at most, if short
	short bool // few, cheap turns; nothing in it meters itself
}

func (e *emitter) loopSize(n *node) loopSize {
	if n.size == nil {
		s := &loopSize{turn: e.turnCost(n)}
		if trips, ok := e.t.Most(n.Instr); ok && trips <= num.Leaf && int(trips)*s.turn <= shortLoop && !meters(&n.blocks[0]) {
			s.trips, s.short = int(trips), true
		}
		n.size = s
	}
	return *n.size
}

// turnCost estimates one turn of a loop.
func (e *emitter) turnCost(n *node) int {
	sum := e.cost(&n.blocks[0])
	for _, a := range n.Accs {
		switch {
		case !a.Op.IsOrdered(a.Kind):
			sum += 3 * costPlain
		case n.Tree:
			sum += costLeaf
		default:
			sum += costLane
		}
		if a.Op == kernel.FoldMulAdd {
			sum += costFused
		}
	}
	return min(sum, maxCost)
}

func (e *emitter) nodeCost(n *node) int {
	switch n.Code {
	case kernel.Load, kernel.Store:
		if e.t.Data[n.Args[0]] {
			return costFar
		}
		return costStream
	case kernel.Arith:
		if n.Op == num.Fma {
			return costFused
		}
		if n.Op == num.Div || n.Op == num.Rem || n.Op == num.Sqrt {
			return costDivide
		}
	case kernel.If:
		return costPlain + max(e.cost(&n.blocks[0]), e.cost(&n.blocks[1]))
	case kernel.For, kernel.Fold:
		sum := 4 * costPlain
		if n.Code == kernel.Fold {
			sum = costFold
		}
		for _, p := range n.pre {
			sum += e.nodeCost(p)
		}
		if size := e.loopSize(n); size.short {
			sum += size.trips * size.turn
		}
		return sum
	}
	return costPlain
}

// meters reports whether a block contains a loop that visits the host; the
// sizes of the loops in it are known.
func meters(b *block) bool {
	for _, n := range b.code {
		switch n.Code {
		case kernel.For, kernel.Fold:
			if !n.size.short {
				return true
			}
		case kernel.If:
			if meters(&n.blocks[0]) || meters(&n.blocks[1]) {
				return true
			}
		}
	}
	return false
}
