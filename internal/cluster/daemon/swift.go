package daemon

import (
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// In: small parcels that bring a few states to a cached kernel and a column in memory. Out: their answers, on the goroutine that received
// them, without another goroutine, a context, a clock or an allocation. What was found out of such a parcel once, by the same code as for
// others, is kept as a recipe (recipe.go), and holds for all that have the same bytes but for their states' values, request and time; it is
// followed (follow.go) while the node may answer at once (atonce.go).
// Invariant: what a recipe runs has the bits that the ordinary way has, and counts as there; whatever is not as the recipe has
// it goes the ordinary way, with the parcel as it came.

// recipes are those of a node, by what parcels begin with. One is in use by one goroutine.
type recipes [mostRecipes]slot

const (
	mostRecipes = 32
	// mostMisses bounds the parcels until a recipe is made again, where they fit none.
	mostMisses = 1 << 10
	// swiftPause is for how many parcels there is no recipe after one that was not for most parcels, or took long.
	swiftPause = 1 << 12
	// mostDebt ends a recipe. A run in vain adds two to its debt and a good one takes one off, so the debt grows where more than one in three is in vain.
	mostDebt = 16
)

// slot is where a recipe lies while nobody follows it.
type slot struct {
	made   atomic.Pointer[recipe]
	misses atomic.Int64 // parcels since the last recipe was made
	wait   atomic.Int64 // misses until the next one is made
}

var _ transport.Swift = (*Daemon)(nil)

// Swift implements transport.Swift.
func (d *Daemon) Swift(from catalog.Peer, b, room []byte) ([]byte, bool) {
	h, ok := parcel.Fields(b)
	if !ok || h.Kind != parcel.Walk || h.Flags != 0 {
		return nil, false
	}
	if !d.swiftly.Load() {
		d.want()
		return nil, false
	}
	if !d.busy.Load() {
		d.busy.Store(true)
	}
	s := &d.recipes[(uint64(h.Code)^uint64(from)*0x9e3779b9^uint64(len(b))*31)%mostRecipes]
	r := s.made.Swap(nil)
	if r == nil || !r.fits(from, h.Code, b) {
		s.miss(d, r, from, b)
		return nil, false
	}
	answer, end := d.follow(r, &h, b, room)
	s.settle(d, r, end)
	return answer, end == followed
}

// miss counts a parcel that goes the ordinary way, and makes a recipe of it if there were enough of them; r is the one that it does not fit, if any.
func (s *slot) miss(d *Daemon, r *recipe, from catalog.Peer, b []byte) {
	if s.misses.Add(1) > s.wait.Load() {
		s.misses.Store(0)
		s.wait.Store(min(2*s.wait.Load()+1, mostMisses))
		if fresh := d.recipe(from, b); fresh != nil {
			d.forsake(r)
			r = fresh
		}
	}
	if r != nil {
		s.keep(d, r)
	}
}

// settle keeps a recipe that was followed, or gives it up.
func (s *slot) settle(d *Daemon, r *recipe, end ending) {
	switch {
	case end == followed:
		if r.debt = max(0, r.debt-1); r.debt == 0 {
			s.wait.Store(0)
		}
		s.keep(d, r)
	case end == unsuited && r.debt < mostDebt:
		r.debt += 2
		s.keep(d, r)
	case end == unsuited || end == slow: // most parcels like it are not for it
		s.misses.Store(0)
		s.wait.Store(swiftPause)
		d.forsake(r)
	default:
		d.forsake(r)
	}
}

// keep puts a recipe back.
func (s *slot) keep(d *Daemon, r *recipe) {
	if !s.made.CompareAndSwap(nil, r) {
		d.forsake(r)
	}
}

// forsake gives up a recipe. Its memory is freed: recipes take areas beside those that jobs have in turns, which would be more and more.
func (d *Daemon) forsake(r *recipe) {
	if r != nil && r.area != nil {
		d.eng.Arena().Free(r.area.span)
	}
}
