// Package cost says what a run of a kernel does, and how long that takes on a machine. It is the only
// place that weighs instructions against each other.
//
//	kernel, sizes ──Of──► Mix ──Time, with what was measured of a machine──► time, as an interval
package cost

import (
	"maps"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Class is a kind of operation. Operations of one class take about the same time on any processor.
type Class uint8

// The classes. What memory adds to Near and Apart is no part of them.
const (
	Simple   Class = iota // sums, logic, comparisons and choices of integers and bools
	Multiply              // products of integers
	High                  // the upper half of a product of 64-bit integers, which a check of such a product and a quotient by a number need
	Divide                // quotients and remainders of integers
	Float                 // sums, products, comparisons, roundings of floats
	Extreme               // the lesser or greater of two floats, which asks for NaN
	Root                  // quotients and square roots of floats
	Fused                 // a product of floats with a sum, rounded once, which WebAssembly has no instruction for
	Convert               // from one kind to another
	Check                 // whether a sum or product fits, or an index is in bounds
	Near                  // a load or store beside the one before
	Apart                 // a load or store anywhere else
	Branch                // on data
	Turn                  // of a loop
	Enter                 // to begin a loop, and to end it
	Lane                  // adding to the lanes of a fold
	Outer                 // an outer index
	classes
)

// Names are the classes' names, in a description of a machine too.
var Names = [classes]string{"simple", "multiply", "high", "divide", "float", "extreme", "root", "fused", "convert", "check",
	"near", "apart", "branch", "turn", "enter", "lane", "outer"}

// Pattern is how a load or store goes through a region.
type Pattern uint8

// The patterns.
const (
	InOrder Pattern = iota // one element after the other, or the same again
	Strided                // Touch.Stride elements apart
	Random                 // where data says
	Chased                 // where the element that was loaded before says
)

// Touch is a load or store with all its repetitions.
type Touch struct {
	Region  int
	Store   bool
	Pattern Pattern
	Count   float64 // how often
	Stride  float64 // elements from one to the next
	Per     float64 // elements among which the place is, for each outer index; 0 for all of the region
	Woven   bool    // others of its kind are under way at the same time, see Mix.Flight
	Told    bool    // an index tells its place some turns before
	// Levels says that each place of a chase is among twice as many as the one before, or half, as in trees and searches: the first
	// are the same again and again.
	Levels bool
}

// Count is how many operations of a class there are: on one value at a time, and on vectors.
type Count struct{ One, Vector float64 }

// Mix is what a run of a kernel does.
type Mix struct {
	Counts  [classes]Count
	Touches []Touch
	// Chain is the operations of which each needs the one before.
	Chain Steps
	// Guessed says that some loop has turns, or some branch is taken, as data says.
	Guessed bool
	// Sequential says that each outer index needs what the one before has left.
	Sequential bool
	// Lanes is how many chases go side by side.
	Lanes float64
	// Woven is what the run does if iterations that follow references are interleaved, and places asked for that indices tell; nil
	// where nothing can be. Flight is how many of them are then under way at the same time; 0 where a run is told.
	Woven  *Mix
	Flight float64

	Outer   int64
	Regions []Region
	// Values are what is stored to regions of one element, where it follows from the arguments.
	Values map[int]float64
}

// Region is a region as the memory sees it.
type Region struct {
	Elem   int64 // bytes of an element
	Bytes  int64
	Access kernel.Access
}

// Given is what is known of a run besides its sizes; each is nil if nothing is.
type Given struct {
	Scalar func(i int) (int64, bool)        // the value of an integer scalar
	Value  func(region int) (float64, bool) // what is in a region of one element that is read
}

// Of finds what the outer indices of a kernel do for these sizes, all of them together.
func Of(s *verify.Safe, sizes []int64, given Given, e loops.Engine) *Mix {
	m := of(s, sizes, given, e, false)
	if l := s.Loops(e); l.Overlaps() {
		if woven := of(s, sizes, given, e, true); len(l.Weaves()) > 0 || woven.told() {
			if m.Woven = woven; e.Steps {
				woven.Flight = float64(l.Weaves()[0].Abreast())
			}
		}
	}
	return m
}

func of(s *verify.Safe, sizes []int64, given Given, e loops.Engine, weaves bool) *Mix {
	k := s.Kernel
	outer, _ := kernel.EvalPoly(k.Outer, sizes)
	outer = max(outer, 0)
	w := &walker{k: k, loops: s.Loops(e), sizes: sizes, Given: given, vector: float64(e.Bytes), known: make([]known, len(s.Kinds)), weaves: weaves, asked: map[askedFor]bool{}, m: &Mix{Outer: outer, Sequential: len(k.State) > 0}}
	for i := range k.Regions {
		r := &k.Regions[i]
		n, _ := kernel.EvalPoly(r.Len, sizes)
		w.m.Regions = append(w.m.Regions, Region{int64(r.Elem.Size()), max(n, 0) * int64(r.Elem.Size()), r.Access})
	}
	w.body(float64(outer))
	maps.DeleteFunc(w.m.Values, func(_ int, v float64) bool { return math.IsNaN(v) })
	return w.m
}

// Operations is how many there are of all classes.
func (m *Mix) Operations() (n float64) {
	for _, c := range m.Counts {
		n += c.One + c.Vector
	}
	return n
}

// Behind is what outer indices do if a kernel of totals goes ahead of them, so that they need not run in order. What it
// walks over in order it leaves in the cache. regions are those behind its own.
func (m *Mix) Behind(ahead *Mix, regions []int) *Mix {
	both := *m
	both.Woven = nil
	both.Sequential, both.Guessed = false, m.Guessed || ahead.Guessed
	both.Chain.add(&ahead.Chain, 1)
	for c := range both.Counts {
		both.Counts[c].One += ahead.Counts[c].One
		both.Counts[c].Vector += ahead.Counts[c].Vector
	}
	both.Touches = slices.Clone(m.Touches)
	for _, t := range ahead.Touches {
		if t.Pattern != InOrder {
			t.Region = regions[t.Region]
			both.Touches = append(both.Touches, t)
		}
	}
	return &both
}

// walker goes through a kernel and counts.
type walker struct {
	k     *kernel.Kernel
	loops *loops.Analysis
	sizes []int64
	Given
	vector float64 // bytes of one
	known  []known // by value
	m      *Mix
	inLanes
	weaves  bool                     // iterations that follow references are interleaved
	woven   *loops.Weave             // the loop at hand whose iterations are; nil for none
	inside  []*kernel.Instr          // the loops around
	asked   map[askedFor]bool        // places that are asked for before they are needed
	columns *loops.Plan              // of tiles, whose loop is still to come
	trips   []float64                // iterations of the loops around, by depth, the outer index first
	serial  int                      // loops around, and the kernel itself, that hand something on
	last    map[kernel.Value]float64 // by the conditions that end loops, how many turns these make
}

// inLanes is a loop whose iterations go side by side; nil outside of such loops.
type inLanes struct {
	plan  *loops.Plan
	lanes float64 // of one vector
	side  int     // depth of the loop
}

// body counts the body, for all outer indices.
func (w *walker) body(outer float64) {
	k, p := w.k, w.k.Body.Params
	grain, _ := kernel.EvalPoly(k.Grain, w.sizes)
	count, _ := kernel.EvalPoly(k.Count, w.sizes)
	mid := math.Floor(outer / 2)
	w.known[p[0]] = known{mid: mid, stride: []float64{1}}
	w.known[p[1]] = known{mid: mid * float64(grain), stride: []float64{float64(grain)}}
	w.known[p[2]] = known{mid: mid*float64(grain) + math.Ceil(float64(count)/math.Max(outer, 1)), stride: []float64{float64(grain)}}
	for _, v := range p[3:] {
		w.known[v] = known{mid: math.NaN(), carried: true}
	}
	if w.add(Outer, outer, false); w.loops.Slots != nil {
		w.m.Counts[Outer].One = 1
	}
	w.serial, w.trips = len(k.State), []float64{outer}
	w.block(&k.Body, outer, 1)
	if len(k.State) > 0 {
		way := w.chain(&k.Body, p[3:], k.Body.Results)
		w.m.Chain.add(&way, outer)
	}
}

// add counts n operations, or a vector's worth of them.
func (w *walker) add(c Class, n float64, vector bool) {
	if vector {
		w.m.Counts[c].Vector += n
	} else {
		w.m.Counts[c].One += n
	}
}

// values counts operations on n values of a kind, side by side where the loop goes so.
func (w *walker) values(c Class, n float64, k num.Kind) {
	if w.lanes == 0 {
		w.add(c, n, false)
		return
	}
	w.add(c, n*float64(max(1, k.Size()))/w.vector, true)
}

func (w *walker) block(b *kernel.Block, n float64, depth int) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		switch {
		case w.plan == nil:
			w.instr(in, n, depth)
		case w.plan.Single[in] && w.plan.Appended != nil:
			w.append(in, n, w.plan.Appended)
		case w.plan.Single[in]:
			w.alone(func() { w.instr(in, n, depth) })
		case len(in.Out) == 1 && len(in.Blocks) == 0 && w.plan.Shapes[in.Out[0]] == loops.Uniform:
			once := n / w.lanes
			w.alone(func() { w.instr(in, once, depth) })
		default:
			w.instr(in, n, depth)
		}
	}
}

// alone counts what is computed one lane after the other, or once for all.
func (w *walker) alone(count func()) {
	before := w.inLanes
	w.inLanes = inLanes{}
	count()
	w.inLanes = before
}
