package daemon

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: small parcels that bring a few states to a cached kernel and a column in memory. Out: their answers, on the goroutine that received
// them, without another goroutine, a context, a clock or an allocation. What was found out of such a parcel once, by the same code as for
// others, is kept as a recipe, and holds for all that have the same bytes but for their states' values, request and time.
// Invariant: what a recipe runs has the bits that the ordinary way has, and counts as there; whatever is not as the recipe has
// it goes the ordinary way, with the parcel as it came.

// recipes are those of a node, by what parcels begin with. One is in use by one goroutine.
type recipes [mostRecipes]slot

const (
	mostRecipes = 32
	// swiftStates is how many states a parcel has at most; more are worth another goroutine.
	swiftStates = 8
	// swiftTime is what a kernel takes at most that runs while its connection waits. One run in swiftLooks is timed, and what took
	// longer in one of four has no recipe for the next swiftPause parcels like it.
	swiftTime  = 20 * time.Microsecond
	swiftLooks = 64
	swiftPause = 1 << 12
	// mostMisses bounds the parcels until a recipe is made again, where they fit none.
	mostMisses = 1 << 10
)

type slot struct {
	made   atomic.Pointer[recipe]
	misses atomic.Int64 // parcels since the last recipe was made
	wait   atomic.Int64 // misses until the next one is made
}

// recipe is what is done with a kind of parcel.
type recipe struct {
	from   catalog.Peer
	begins [2]byte
	code   parcel.Prefix
	shape  []byte // the payload as far as it is the same in all
	length int    // of a parcel

	pass   *node.Pass
	c      *engine.Compiled
	states int
	lo, hi int64 // rows that are here
	values []moved
	held   []*resident
	area   *area
	args   engine.Args
	answer []byte // but for the values
	runs   int
	rested int // how many runs there were at the last rest
	debt   int // of those that were in vain
	long   int // runs, of those that were timed, that took long
}

// moved is a column of states on its way: in the parcel, in kernel memory and in the answer.
type moved struct {
	from, size int
	arena      []byte
	to         int   // -1: not in the answer
	bound      int64 // that elements stay below; -1 for none
	kind       num.Kind
}

var _ transport.Swift = (*Daemon)(nil)

// swiftRest is how long a recipe is kept that nobody follows: it holds memory of the kernels', and its client may be gone.
// Tests lower it.
var swiftRest = 5 * time.Second

// ready says, every tick, whether parcels may be answered at once: a node that does not know whether it is still a member, or that logs
// each parcel, or stands for a longer way, takes the ordinary way, which looks for itself. Where no such parcel came for a while, all are to take that,
// and the next one has it look again.
func (d *Daemon) ready() {
	t, rest := time.NewTicker(tick), time.NewTicker(swiftRest)
	defer t.Stop()
	defer rest.Stop()
	defer d.swiftly.Store(false)
	for still := 0; ; {
		d.swiftly.Store(d.late == nil && d.outdated(nil) == nil && !d.log.Enabled(d.ctx, slog.LevelDebug))
		select {
		case <-d.ctx.Done():
			return
		case <-rest.C:
			if d.rest(); d.busy.Swap(false) {
				still = 0
			} else {
				still++
			}
		case <-t.C:
		}
		if still < 2 { // after which no recipe is left
			continue
		}
		d.swiftly.Store(false)
		select {
		case <-d.ctx.Done():
			return
		case <-d.wanted:
			still = 0
		}
	}
}

// want has ready look again.
func (d *Daemon) want() {
	select {
	case d.wanted <- struct{}{}:
	default:
	}
}

// rest gives up the recipes that nobody has followed since the last time.
func (d *Daemon) rest() {
	for i := range d.recipes {
		s := &d.recipes[i]
		r := s.made.Swap(nil) // who wants it meanwhile takes the ordinary way
		switch {
		case r == nil:
		case r.runs == r.rested:
			d.forsake(r)
		default:
			r.rested = r.runs
			s.keep(d, r)
		}
	}
}

// Swift implements transport.Swift.
func (d *Daemon) Swift(from catalog.Peer, b, room []byte) ([]byte, bool) {
	if len(b) < parcel.HeaderSize || parcel.Kind(b[0]&15) != parcel.Walk || b[1] != 0 {
		return nil, false
	}
	if !d.swiftly.Load() {
		d.want()
		return nil, false
	}
	if !d.busy.Load() {
		d.busy.Store(true)
	}
	code := parcel.Prefix(binary.LittleEndian.Uint64(b[20:]))
	s := &d.recipes[(uint64(code)^uint64(from)*0x9e3779b9^uint64(len(b))*31)%mostRecipes]
	r := s.made.Swap(nil)
	if r == nil || !r.fits(from, code, b) {
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
		return nil, false
	}
	answer, end := d.follow(r, b, room)
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
	return answer, end == followed
}

// ending is how it went to follow a recipe.
type ending int

const (
	followed ending = iota
	unsuited        // this parcel is not as others
	stale           // the recipe is of another time
	slow            // the kernel takes long
)

// mostDebt ends a recipe. A run in vain adds two to its debt and a good one takes one off, so the debt grows where more than one in three is in vain.
const mostDebt = 16

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

// fits says whether a parcel is of the recipe's kind.
func (r *recipe) fits(from catalog.Peer, code parcel.Prefix, b []byte) bool {
	return from == r.from && code == r.code && len(b) == r.length && [2]byte(b) == r.begins && bytes.Equal(b[parcel.HeaderSize:][:len(r.shape)], r.shape)
}

// again takes columns into use that were in use before; false if one of them was dropped meanwhile.
func (c *columns) again(held []*resident) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range held {
		if r.dropped {
			return false
		}
	}
	c.clock++
	for _, r := range held {
		r.users, r.used = r.users+1, c.clock
	}
	return true
}

// follow answers a parcel that fits.
func (d *Daemon) follow(r *recipe, b, room []byte) ([]byte, ending) {
	for i := range r.values {
		m := &r.values[i]
		v := b[m.from:][:m.size]
		if m.bound >= 0 {
			for j := range int64(r.states) {
				if column.Get(m.kind, v, j) >= uint64(m.bound) {
					return nil, unsuited
				}
			}
		}
		copy(m.arena, v)
	}
	wants, ids := r.values[0].arena, r.values[1].arena
	for i := range r.states {
		want := int64(binary.LittleEndian.Uint64(wants[8*i:]))
		if want < r.lo || want >= r.hi || i > 0 && int64(binary.LittleEndian.Uint64(ids[8*i:])) < int64(binary.LittleEndian.Uint64(ids[8*i-8:])) {
			return nil, unsuited
		}
	}
	h := parcel.Header{Left: binary.LittleEndian.Uint32(b[4:]), Request: binary.LittleEndian.Uint64(b[8:]), Caller: catalog.Peer(binary.LittleEndian.Uint32(b[16:]))}
	if !d.columns.again(r.held) {
		return nil, stale
	}
	end := d.pass(r, &h)
	if end == followed {
		end = d.swiftRun(r)
		if end == followed {
			room = append(room, r.answer...)
			parcel.Readdress(room, &parcel.Header{Hops: binary.LittleEndian.Uint16(b[2:]), Left: h.Left, Request: h.Request, Caller: h.Caller})
			for i := range r.values {
				if m := &r.values[i]; m.to >= 0 {
					copy(room[m.to:], m.arena)
				}
			}
		}
		d.leave(r, len(room), end)
	}
	for _, c := range r.held {
		d.columns.release(c)
	}
	if end != followed {
		return nil, end
	}
	return room, end
}

// pass has the core count the parcel in.
func (d *Daemon) pass(r *recipe, h *parcel.Header) (end ending) {
	d.drive.Between(func() {
		if !d.core.Enter(r.pass, h) {
			end = unsuited
			if !d.core.Lasts(r.pass) {
				end = stale
			}
		}
	})
	return end
}

// leave has the core count it out.
func (d *Daemon) leave(r *recipe, answer int, end ending) {
	if end != followed {
		answer = 0
	}
	waiting := false
	d.drive.Between(func() { waiting = d.core.Leave(r.pass, answer) })
	if waiting {
		d.drive.Step(&node.Tick{})
	}
}

// swiftRun runs the kernel over the states in kernel memory.
func (d *Daemon) swiftRun(r *recipe) (end ending) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("bug: a small job panicked", "kernel", r.c.Hash.Short(), "panic", p)
			end = stale
		}
	}()
	timed := r.runs%swiftLooks == 0
	var start time.Time
	if timed {
		start = time.Now()
	}
	r.runs++
	good, err := r.c.RunSwift(&r.args, int64(r.states))
	if err != nil {
		return stale
	}
	for _, c := range r.held {
		if c.lease != nil && c.changed() != nil {
			return stale // the ordinary way says what is wrong
		}
	}
	if timed && time.Since(start) > swiftTime {
		if r.long++; r.long > 2 && r.long > r.runs/swiftLooks/4 { // now and then it is another process that took the time
			return slow
		}
	}
	if !good {
		return unsuited
	}
	wants := r.values[0].arena
	for i := range r.states {
		if int64(binary.LittleEndian.Uint64(wants[8*i:])) != -1 {
			return unsuited // it goes on to another shard, or has not come to its end
		}
	}
	return followed
}

// recipe makes one of a parcel that is about to go the ordinary way; nil if there is none for it.
func (d *Daemon) recipe(from catalog.Peer, raw []byte) *recipe {
	raw = bytes.Clone(raw)
	h, _, payload, err := parcel.ReadHeader(raw)
	v := d.view.Load()
	var b parcel.Batch
	if err != nil || v == nil || parcel.ReadBatch(&b, payload) != nil || b.States == 0 || b.States > swiftStates || len(b.Faults) > 0 {
		return nil
	}
	set, ok := v.Set(b.Set)
	if !ok || b.Want(0) < 0 || b.Want(0) >= set.Rows {
		return nil
	}
	number := set.ShardOf(b.Want(0))
	for _, f := range b.Columns {
		if !d.columns.has(place{b.Set, number, f.Column}) {
			return nil
		}
	}
	var pass *node.Pass
	var id kernel.ID
	turns := d.cfg.Limits.Turns
	owners := d.certificateOf()
	d.drive.Between(func() { pass, id = d.core.Pass(&h, from, int64(len(raw)), &b, number, owners) })
	if pass == nil {
		return nil
	}
	c, ok := d.eng.Lookup(id)
	if !ok || !c.Swiftly() {
		return nil
	}
	sh, release, err := d.shard(b.Set, number)
	if err != nil {
		return nil
	}
	defer release()
	a := &advancing{d: d, c: c, b: &b, sh: sh}
	defer func() {
		for _, r := range a.held {
			d.columns.release(r)
		}
	}()
	if a.place(d.ctx, turns) != nil || a.c != c {
		d.forsake(&recipe{area: a.area})
		return nil
	}
	r := &recipe{from: from, begins: [2]byte(raw), code: h.Code, length: len(raw), pass: pass, c: c, states: b.States,
		lo: sh.at.Lo, hi: sh.at.Hi, held: slices.Clone(a.held), area: a.area,
		args: engine.Args{Sizes: a.sizes, Scalars: a.scalars, Bases: a.bases, Faults: make([]int64, c.Kernel.Sites)}}
	if !r.lays(a, &b, &h, len(raw)) {
		d.forsake(r)
		return nil
	}
	r.shape = raw[parcel.HeaderSize:r.values[0].from]
	return r
}

// lays finds where values are in the parcel, in kernel memory and in the answer.
func (r *recipe) lays(a *advancing, b *parcel.Batch, h *parcel.Header, length int) bool {
	first := len(b.Values) + len(b.Columns)
	for i := range b.Near {
		if a.c.Kernel.Regions[first+i].Access != kernel.Read {
			return false // what a run writes there must not be there for the next one
		}
	}
	for _, c := range r.held {
		if c.outside() && !a.c.ReachesAll() {
			return false
		}
	}
	kept := make([][]byte, 0, len(b.Values))
	for i, v := range b.Values {
		if b.Keep>>i&1 != 0 {
			kept = append(kept, v)
		}
	}
	answer := parcel.Header{Kind: parcel.Result, Hops: h.Hops, Left: h.Left, Request: h.Request, Caller: h.Caller, Code: h.Code}
	r.answer = (&parcel.Answer{States: b.States, Columns: kept, Steps: uint64(a.last.steps)}).Append(answer.Append(nil, nil))
	if len(r.answer) > transport.SwiftBytes {
		return false
	}
	from, to := length, len(r.answer)
	r.values = make([]moved, len(b.Values))
	for i, v := range slices.Backward(b.Values) { // both end with the values
		from -= len(v)
		m := moved{from: from, size: len(v), arena: a.d.eng.Arena().Bytes(a.bases[i], int64(len(v))), to: -1, bound: a.last.bounds[i], kind: num.Kind(b.Kinds[i])}
		if b.Keep>>i&1 != 0 {
			to -= len(v)
			m.to = to
			to -= len(binary.AppendUvarint(nil, uint64(len(v))))
		}
		r.values[i] = m
	}
	return true
}
