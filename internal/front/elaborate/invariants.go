package elaborate

import (
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// In: a loop of a function of which something was not shown. Out: its body, knowing what every
// turn keeps of the variables that the loop assigns: `i` stays below N in a loop that makes
// 2·i + 1 of it and leaves when that is N or more. What might be kept is guessed: bounds that the
// value before the loop has, sizes of arrays that an index was not shown to be below, one more in
// each turn, and sums of counters. All that holds before the first turn is taken to hold at the
// start of a turn. What is then not shown at its end is struck out, and the body is tried again,
// until nothing is struck out: by induction the rest holds in every turn. Functions of which all
// is shown without that cost nothing.

// guess is a bound of a variable that a loop assigns.
type guess struct {
	of    int  // of the variables assigned
	above bool // the variable is at most the bound; or else at least
	turns bool // the bound grows by one from turn to turn
	// bound is the bound in a turn, given what the variables are there.
	bound func(turn size.Poly, now func(of int) size.Poly) size.Poly
}

// gap is at least 0 if the guess holds.
func (g guess) gap(turn size.Poly, now func(of int) size.Poly) size.Poly {
	d := prove.Below
	if g.above {
		d = prove.Above
	}
	return prove.Gap(g.bound(turn, now), now(g.of), d)
}

// maxTrials is how often bodies of one function are tried again, with those inside of them. Tests
// set it to 0.
var maxTrials = 64

const (
	// maxGuesses is how many bounds of a loop's variables are guessed.
	maxGuesses = 48
	// maxBeyond is how many sizes are guessed from.
	maxBeyond = 6
)

// unshown are the messages that a bound might take away.
var unshown = []string{"B02", "B06", "B08", "T02"}

func lacks(msgs []*diag.Message) bool {
	return slices.ContainsFunc(msgs, func(m *diag.Message) bool { return slices.Contains(unshown, m.Code) })
}

// thoroughly elaborates a function again, of which something was not shown: with what its loops
// keep, and with proofs that take longer. It reports whether that is better.
func (e *elab) thoroughly(d *decl, reps map[string]*graph.Type) (g *graph.Graph, msgs *diag.List, better bool) {
	if !lacks(e.msgs.Messages) && !e.lacking || e.full || e.tired || maxTrials == 0 {
		return nil, nil, false
	}
	own := new(diag.List)
	second := newElab(e.p, d.name, d.src, own)
	second.thorough, second.prover.Deep, second.beyond = true, true, e.beyond
	g = second.entry(d, reps)
	return g, own, len(own.Messages) < len(e.msgs.Messages)
}

// beyondSize notes a size that an index was not shown to be below.
func (e *elab) beyondSize(n size.Poly) {
	if !e.thorough && len(e.beyond) < maxBeyond && !slices.ContainsFunc(e.beyond, n.Equal) {
		e.beyond = append(e.beyond, n)
	}
}

// provenBody elaborates a loop's body with what its turns keep, if that is looked for.
func (e *elab) provenBody(s *syntax.For, t turns, all []carried, stops bool) (b *graph.Block, kept []guess, bad bool) {
	before, mark := e.variables(), len(e.msgs.Messages)
	try := func(known []guess) (holds []guess) {
		e.restore(before)
		e.msgs.Messages = e.msgs.Messages[:mark]
		b = e.inBlock(func() {
			bad = e.loopBody(s, t, all, stops, known)
			if !bad && len(known) > 0 {
				holds = e.stillHold(known, all)
			}
		})
		return holds
	}
	var guesses []guess
	if e.thorough && !e.tired {
		guesses = e.guesses(t, all)
	}
	for len(guesses) > 0 && e.trials < maxTrials {
		e.trials++
		work := e.prover.Effort()
		holds := try(guesses)
		e.prover.Forgive(work)
		if bad || len(e.msgs.Messages) > mark {
			return b, nil, true // even with all of them
		}
		if len(holds) == len(guesses) {
			return b, guesses, bad
		}
		guesses = holds
	}
	try(nil)
	return b, nil, bad
}

// stillHold is what of the guesses is shown at the end of a turn, for the next one.
func (e *elab) stillHold(known []guess, all []carried) (holds []guess) {
	next := e.form(e.cur.b.Params[0]).AddConst(1)
	now := func(of int) size.Poly { return e.form(e.cur.b.Results[of]) }
	e.prover.Known = e.cur.known
	for _, g := range known {
		if e.shows(g.gap(next, now)) {
			holds = append(holds, g)
		}
	}
	return holds
}

// guesses lists what holds of the variables before the first turn, and may hold in all.
func (e *elab) guesses(t turns, all []carried) (list []guess) {
	lo := e.form(t.lo)
	now := func(of int) size.Poly { return e.form(all[of].first) }
	e.prover.Known = e.cur.known
	add := func(g guess) {
		p := g.gap(lo, now)
		if len(list) < maxGuesses && !prove.TooWide(p) && e.shows(p) {
			list = append(list, g)
		}
	}
	var counters []int
	for j, c := range all {
		if c.first == nil || c.first.Type.Kind != graph.Scalar || !types.IsInt(c.first.Type) {
			continue
		}
		first, b := e.form(c.first), e.boundsOf(c.first)
		for _, p := range distinct(append([]size.Poly{size.Const(1), size.Const(0), size.Const(-1), first}, b.los...)) {
			add(guess{of: j, bound: func(size.Poly, func(int) size.Poly) size.Poly { return p }})
		}
		uppers := append([]size.Poly{first}, b.his...)
		for _, n := range e.beyond {
			uppers = append(uppers, n.AddConst(-1), n)
		}
		for _, p := range distinct(uppers) {
			add(guess{of: j, above: true, bound: func(size.Poly, func(int) size.Poly) size.Poly { return p }})
		}
		if c.step.Equal(size.Const(1)) && c.counts {
			counters = append(counters, j)
		}
		add(guess{of: j, above: true, turns: true, bound: func(turn size.Poly, _ func(int) size.Poly) size.Poly { return first.Add(turn).Sub(lo) }})
	}
	for k, y := range counters {
		for h, x := range counters[:k] {
			sum := now(x).Add(now(y))
			for _, above := range []bool{true, false} {
				add(guess{of: y, above: above, turns: true, bound: func(turn size.Poly, now func(int) size.Poly) size.Poly { return sum.Add(turn).Sub(lo).Sub(now(x)) }})
			}
			for _, w := range counters[:h] {
				rest := now(y).Sub(now(x)).Sub(now(w))
				for _, above := range []bool{true, false} {
					add(guess{of: y, above: above, bound: func(_ size.Poly, now func(int) size.Poly) size.Poly { return rest.Add(now(x)).Add(now(w)) }})
				}
			}
		}
	}
	return list
}

func distinct(ps []size.Poly) []size.Poly {
	var out []size.Poly
	for _, p := range ps {
		if !p.Overflowed() && !slices.ContainsFunc(out, p.Equal) {
			out = append(out, p)
		}
	}
	return out
}

// keep enters what is known of variable number of, now, in a turn.
func (e *elab) keep(known []guess, of int, now *graph.Node, turn size.Poly, vars func(of int) size.Poly) {
	i := e.of(now)
	for _, g := range known {
		if g.of != of {
			continue
		}
		p := g.bound(turn, vars)
		if g.above {
			i.most = append(i.most, p)
		} else {
			i.least = append(i.least, p)
		}
	}
	if len(i.most)+len(i.least) == 0 {
		return
	}
	b := *e.boundsOf(now)
	b.los, b.his = slices.Clone(b.los), slices.Clone(b.his)
	for _, p := range i.least {
		if c, ok := p.Const(); ok {
			b.lo = max(b.lo, c)
		} else if plain(p) {
			b.los = append(b.los, p)
		}
	}
	for _, p := range i.most {
		if c, ok := p.Const(); ok {
			b.hi = min(b.hi, c)
		} else if plain(p) {
			b.his = append(b.his, p)
		}
	}
	b.declared = b.declared || len(b.his) > 0
	e.tighten(&b)
	i.bounds = &b
}

// plain reports that p is over sizes alone.
func plain(p size.Poly) bool {
	return !slices.ContainsFunc(p.Vars(), func(name string) bool { return strings.HasPrefix(name, prove.Prefix) })
}

// keptAfter enters what turns keep into what the variables are after the last turn, whichever that is.
func (e *elab) keptAfter(known []guess, t turns, all []carried) {
	hi, vars := e.form(t.hi), func(of int) size.Poly { return e.form(e.vars[all[of].v].n) }
	e.prover.Known = e.cur.known
	forward := e.shows(hi.Sub(e.form(t.lo)))
	known = slices.DeleteFunc(slices.Clone(known), func(g guess) bool { return g.turns && !(g.above && forward) })
	for j, c := range all {
		e.keep(known, j, e.vars[c.v].n, hi, vars)
	}
}
