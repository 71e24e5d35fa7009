package cost

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// In: the If of a loop that appends elements, see loops.Appended. Out: what that takes in lanes of native code, and on WebAssembly,
// which has no lanes for it. No lane is asked for by a branch.

const (
	movedTogether = 12 // operations on a vector of elements of which some are moved together and stored across lines (measured 25 on Zen 4; Agner Fog: 6 on Intel)
	movedAlone    = 4  // operations on one element that is stored to the next place or aside
	countedLanes  = 6  // operations on the bits of a group, to count them
)

// appends is what an If appends whose stores WebAssembly has without a branch, one after the other; nil otherwise.
func (w *walker) appends(in *kernel.Instr) *loops.Appended {
	if w.loops.Engine.Nests || w.vector == 0 || len(w.inside) == 0 {
		return nil
	}
	if x := w.loops.Appends(w.inside[len(w.inside)-1]); x != nil && x.If == in {
		return x
	}
	return nil
}

// append counts n turns, of which half are taken to append.
func (w *walker) append(in *kernel.Instr, n float64, x *loops.Appended) {
	w.m.Guessed = true
	if w.lanes > 0 {
		w.add(Simple, countedLanes*n/w.lanes, false)
	}
	for _, st := range x.Stores {
		if w.lanes > 0 && w.loops.Engine.Compresses {
			w.values(Simple, movedTogether*n, w.loops.Kinds[st.Args[1]])
		} else {
			w.add(Simple, movedAlone*n, false)
			w.add(Near, n, false)
		}
		w.m.Touches = append(w.m.Touches, Touch{Region: st.Region, Store: true, Count: n / 2, Stride: 1})
		w.stored(st.Region, known{mid: math.NaN()})
	}
	w.known[in.Out[0]] = known{mid: math.NaN()}
}
