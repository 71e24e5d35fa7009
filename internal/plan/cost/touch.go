package cost

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// touch counts a load or store, and notes how it goes through its region.
func (w *walker) touch(in *kernel.Instr, n float64, depth int) {
	at, data, reg := w.known[in.Args[0]], w.loops.Data[in.Args[0]], &w.k.Regions[in.Region]
	inner := depth - 1
	if w.plan != nil && !w.plan.Tile.Packs(in) {
		inner = w.side
		if w.plan.Turned.Turns(in) { // elements of a row lie where the loop around leads
			inner--
		}
	}
	step := math.Abs(at.along(inner))
	t := Touch{Region: in.Region, Store: in.Code == kernel.Store, Count: n, Stride: step}
	ordered := data && !at.carried && !at.bent && at.depth < inner && step > 0 && step <= 1 // in order from a random start
	switch {
	case at.beside:
	case data && at.carried:
		t.Pattern, t.Levels, t.Woven = Chased, at.levels, w.woven != nil
		w.m.Lanes = math.Max(w.m.Lanes, w.lanes)
	case data && !ordered:
		t.Pattern, t.Per = Random, math.Abs(at.along(0))
	case step > 1:
		t.Pattern = Strided
	}
	w.m.Touches = append(w.m.Touches, t)
	if t.Pattern == InOrder {
		w.values(Near, t.Count, reg.Elem)
	} else {
		w.add(Apart, t.Count, false)
	}
	if t.Store {
		if v := w.known[in.Args[1]]; v.fixed && !math.IsNaN(v.mid) && w.m.Regions[in.Region].Bytes == w.m.Regions[in.Region].Elem {
			if w.m.Values == nil {
				w.m.Values = map[int]float64{}
			}
			w.m.Values[in.Region] = v.mid
		}
		return
	}
	r := known{mid: math.NaN(), carried: at.carried, depth: depth - 1}
	if reg.Bounded {
		if bound, ok := kernel.EvalPoly(reg.Bound, w.sizes); ok {
			r.mid = float64(bound) / 2
		}
	}
	w.known[in.Out[0]] = r
}
