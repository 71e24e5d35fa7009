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
	ordered := data && !at.carried && (!at.bent && at.depth < inner && step > 0 && step <= 1 || w.inRow(in.Args[0], inner)) // from a random start
	switch {
	case at.beside:
	case data && at.carried:
		t.Pattern, t.Levels, t.Woven = Chased, at.levels, w.woven != nil
		w.m.Lanes = math.Max(w.m.Lanes, w.lanes)
		w.begin(in, &t, depth)
	case data && !ordered:
		t.Pattern, t.Per = Random, math.Abs(at.along(0))
		w.tell(in, &t, n)
	case ordered:
		w.row(in, &t, inner)
	case step > 1:
		t.Pattern, t.Count = Strided, n/w.again(&at, depth, float64(reg.Elem.Size()))
	}
	w.m.Touches = append(w.m.Touches, t)
	if t.Pattern == InOrder {
		w.values(Near, n, reg.Elem)
	} else {
		w.add(Apart, n*w.together(), false)
	}
	if t.Store {
		w.stored(in.Region, w.known[in.Args[1]])
		return
	}
	if w.Value != nil && w.m.Regions[in.Region].Bytes == w.m.Regions[in.Region].Elem {
		if v, ok := w.Value(in.Region); ok {
			w.known[in.Out[0]] = known{mid: v, fixed: true}
			return
		}
	}
	r := known{mid: math.NaN(), carried: at.carried, depth: depth - 1}
	if reg.Bounded {
		if bound, ok := kernel.EvalPoly(reg.Bound, w.sizes); ok {
			r.mid = float64(bound) / 2
		}
	}
	w.known[in.Out[0]] = r
}

// inRow reports that a place goes to the next element in each turn of the loop at a depth, wherever it begins.
func (w *walker) inRow(place kernel.Value, depth int) bool {
	if depth < 1 || depth > len(w.inside) {
		return false
	}
	s, ok := w.loops.Sum(place, &w.inside[depth-1].Blocks[0])
	return ok && (s.Step == 1 || s.Step == -1)
}

// stored notes what a region of one element has after a store, if that follows from the arguments and every other store puts the same there.
func (w *walker) stored(region int, v known) {
	if w.m.Regions[region].Bytes != w.m.Regions[region].Elem {
		return
	}
	if w.m.Values == nil {
		w.m.Values = map[int]float64{}
	}
	x := v.mid
	if before, twice := w.m.Values[region]; !v.fixed || v.guessed || twice && before != x {
		x = math.NaN()
	}
	w.m.Values[region] = x
}

// again is how often a load comes by the same elements in a loop around it that does not move it, while they are in the first cache.
func (w *walker) again(at *known, depth int, elem float64) float64 {
	times, lines := 1.0, 1.0
	for d := depth - 1; d > 0; d-- {
		switch step := math.Abs(at.along(d)); {
		case step > 0:
			lines *= w.trips[d]
		case lines*math.Max(line, elem) <= cached && d != w.side:
			times *= math.Max(w.trips[d], 1)
		}
	}
	return times
}

// together is how many accesses it takes to bring an element to its lane, or to take it from there.
func (w *walker) together() float64 {
	if w.lanes > 0 && !w.loops.Engine.Nests { // WebAssembly has no instruction for that
		return 4
	}
	return 1
}
