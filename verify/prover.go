package verify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/size"
)

// An integer value is described by a polynomial over sizes (s0, s1, …) and
// symbols. A symbol v12 stands for a value whose exact form is not known; it
// has lower and upper bounds, polynomials over sizes and symbols of earlier
// values. To show that a polynomial is at least 0, symbols are replaced by
// their bounds, the latest first, until only sizes are left, and then
// size.Facts decides.

// claim is a bound, sound if what needs lists holds. A need is the number of
// a polynomial in prover.ranges that has to stay within ±limit.
type claim struct {
	p     size.Poly
	needs []int
}

// limit is how far values may get for arithmetic on them to be taken as
// exact, with room for the sum of two.
const limit = 1 << 61

type symbol struct {
	lo, hi []claim
	// natural says that lo proves the symbol to be at least 0, given needs.
	natural bool
	needs   []int
	// cases, if any, are all that the value can be.
	cases []choice
}

// choice is a form that a value has when each given is at least 0.
type choice struct {
	form  size.Poly
	given []size.Poly
}

const (
	// maxEffort bounds the work on all proofs of one kernel, in terms of
	// polynomials looked at, which take up to half a microsecond each: a
	// hostile kernel is refused within a tenth of a second. It is ten times
	// what the most difficult kernel takes that lowering or suspend makes in tests.
	maxEffort = 250_000
	// maxGoal bounds the work on a question that decides over a kernel, and
	// minGoal on one whose answer only describes a value better.
	maxGoal = 20000
	minGoal = 500
	// maxClaims is how many bounds of one value are kept.
	maxClaims = 4
	// maxWidth and maxPower bound the polynomials that describe values.
	maxWidth = 24
	maxPower = 6
)

type prover struct {
	symbols map[string]*symbol
	facts   *size.Facts // about sizes, true at the current instruction
	decided map[question]bool
	guards  []size.Poly // over symbols too: at least 0 at the current instruction
	ranges  []size.Poly
	used    map[int]bool // ranges that a proof relied on
	effort  int
	goal    int
	tooLong func()
	// dead says that the current instruction cannot run.
	dead bool
	// guarding says that a case is being looked at with the guards.
	guarding bool
}

// question is whether a polynomial over sizes is at least 0, given facts; they
// do not change once they are there.
type question struct {
	facts *size.Facts
	p     string
}

type direction int

const (
	below direction = -1 // a bound that is less or equal
	above direction = 1  // a bound that is greater or equal
)

func symbolName(v kernel.Value) string { return "v" + strconv.Itoa(int(v)) }

// lastName is the symbol for the greatest index that v, a position found by
// a fold, can have. It comes right before that of v.
func lastName(v kernel.Value) string { return symbolName(v) + "m" }

// symbolOrder is the number of the value behind a symbol, -1 for a size.
func symbolOrder(name string) int {
	if name[0] != 'v' {
		return -1
	}
	n, _ := strconv.Atoi(strings.TrimSuffix(name[1:], "m"))
	return n
}

// latest is the symbol of p with the greatest number from mark on. Names
// come sorted, so that v12 is found before v12m, on which it depends.
func latest(p size.Poly, mark kernel.Value) (name string, ok bool) {
	best := int(mark) - 1
	for _, n := range p.Vars() {
		if o := symbolOrder(n); o > best {
			best, name = o, n
		}
	}
	return name, name != ""
}

// spend counts work and tells whether the current question may go on.
func (v *prover) spend(n int) bool {
	v.effort += n
	v.goal -= n
	if v.effort > maxEffort {
		v.tooLong()
	}
	return v.goal > 0
}

func width(p size.Poly) int {
	n := 1
	p.Terms(func(int64, []string, bool) { n++ })
	return n
}

// volume is the width of p after each size has been moved to its least value,
// when a product of n sizes becomes 2^n terms; half of it, as not all do.
func volume(p size.Poly) int {
	n := 1
	p.Terms(func(_ int64, names []string, _ bool) { n += max(1, 1<<len(names)/2) })
	return n
}

// proves reports that p ≥ 0 here, and if so notes what the proof relied on.
func (v *prover) proves(p size.Poly) bool {
	needs, ok := v.nonNegative(p, maxGoal)
	if ok {
		v.rely(needs)
	}
	return ok
}

// sees tells whether every p is easily seen to be at least 0, and on which
// needs that rests. It is for describing values: the needs go into the
// description, and count only when a proof makes use of it.
func (v *prover) sees(ps ...size.Poly) (needs []int, ok bool) {
	for _, p := range ps {
		n, ok := v.nonNegative(p, minGoal)
		if !ok {
			return nil, false
		}
		needs = join(needs, n)
	}
	return needs, true
}

func (v *prover) rely(needs []int) {
	for _, n := range needs {
		v.used[n] = true
	}
}

// required lists the polynomials that proofs relied on.
func (v *prover) required() []size.Poly {
	var ps []size.Poly
	for i, p := range v.ranges {
		if v.used[i] {
			ps = append(ps, p)
		}
	}
	return ps
}

// nonNegative tries to show p ≥ 0, directly and then with each guard.
func (v *prover) nonNegative(p size.Poly, goal int) ([]int, bool) {
	if v.dead {
		return nil, true
	}
	v.goal = goal
	if needs, ok := v.search(p); ok {
		return needs, true
	}
	for i := len(v.guards) - 1; i >= max(0, len(v.guards)-maxGuards); i-- {
		v.goal = goal
		if needs, ok := v.search(p.Sub(v.guards[i])); ok {
			return needs, true
		}
	}
	return nil, false
}

const maxGuards = 6

func (v *prover) search(p size.Poly) ([]int, bool) {
	if p.Overflowed() || !v.spend(width(p)) {
		return nil, false
	}
	if n, ok := p.Const(); ok {
		return nil, n >= 0
	}
	name, symbolic := latest(p, 0)
	if !symbolic {
		return nil, v.decide(p)
	}
	if positive(p) {
		if needs, ok := v.naturals(p.Vars()); ok {
			return needs, true
		}
	}
	for _, q := range v.replace(p, name, below) {
		if needs, ok := v.search(q.p); ok {
			return join(needs, q.needs), true
		}
	}
	return v.everyCase(p, name)
}

// everyCase shows p ≥ 0 for every value that the symbol x can have.
func (v *prover) everyCase(p size.Poly, x string) (needs []int, ok bool) {
	sym := v.symbols[x]
	if sym == nil || len(sym.cases) == 0 {
		return nil, false
	}
	// A guard may bring in symbols that went already; once on a path is
	// enough, and keeps this from going in circles.
	var guards []size.Poly
	if !v.guarding {
		guards = v.guards[max(0, len(v.guards)-maxGuards):]
		v.guarding = true
		defer func() { v.guarding = false }()
	}
	for _, c := range sym.cases {
		known := append(c.given[:len(c.given):len(c.given)], guards...)
		n, ok := v.given(substitute(p, x, c.form), known)
		if !ok {
			return nil, false
		}
		needs = join(needs, n)
	}
	return needs, true
}

// given tries to show p ≥ 0, directly and with what is known.
func (v *prover) given(p size.Poly, known []size.Poly) (needs []int, ok bool) {
	if needs, ok = v.search(p); ok {
		return needs, true
	}
	for _, g := range known {
		if needs, ok = v.search(p.Sub(g)); ok {
			return needs, true
		}
	}
	return nil, false
}

// positive reports that p has no negative coefficient.
func positive(p size.Poly) bool {
	ok := true
	p.Terms(func(coef int64, _ []string, _ bool) { ok = ok && coef >= 0 })
	return ok
}

// decide asks about a polynomial over sizes alone.
func (v *prover) decide(p size.Poly) bool {
	if positive(p) {
		return true
	}
	q := question{v.facts, p.String()}
	if yes, asked := v.decided[q]; asked {
		return yes
	}
	known := len(v.facts.NonNeg) + 1
	v.spend(volume(p) * known * known)
	yes := v.facts.Proves(p)
	v.decided[q] = yes
	return yes
}

// naturals reports whether every name stands for something at least 0.
func (v *prover) naturals(names []string) (needs []int, ok bool) {
	for _, n := range names {
		if symbolOrder(n) < 0 {
			continue
		}
		s := v.symbols[n]
		if s == nil || !s.natural {
			return nil, false
		}
		needs = join(needs, s.needs)
	}
	return needs, true
}

func join(a, b []int) []int {
	if len(b) == 0 {
		return a
	}
	r := append(slices.Clone(a), b...)
	slices.Sort(r)
	return slices.Compact(r)
}

// split is a polynomial sorted by what bounds it when a symbol x goes: terms
// that want the lower bound of x, terms that want the upper one, and terms
// free of x. Powers of x that want the lower bound have none better than 0
// and are dropped.
type split struct {
	low, high, rest size.Poly
	needs           []int
	ok              bool
}

// split needs every factor besides x to be at least 0, and x too where it
// stands in a power.
func (v *prover) split(p size.Poly, x string, d direction) split {
	s := split{ok: true}
	p.Terms(func(coef int64, names []string, _ bool) {
		power := 0
		t := size.Const(coef)
		var others []string
		for _, n := range names {
			if n == x {
				power++
			} else {
				others = append(others, n)
			}
			t = t.Mul(size.Var(n))
		}
		if power == 0 {
			s.rest = s.rest.Add(t)
			return
		}
		if power > 1 {
			others = append(others, x)
		}
		needs, ok := v.naturals(others)
		s.ok = s.ok && ok
		s.needs = join(s.needs, needs)
		switch {
		case (coef > 0) == (d == above):
			s.high = s.high.Add(t)
		case power == 1:
			s.low = s.low.Add(t)
		}
	})
	return s
}

// replace gives bounds of p in direction d that are free of the symbol x.
func (v *prover) replace(p size.Poly, x string, d direction) []claim {
	sym := v.symbols[x]
	if sym == nil {
		return nil
	}
	out := append(v.factored(p, x, d, sym), v.termwise(p, x, d, sym)...)
	slices.SortStableFunc(out, func(a, b claim) int { return symbolCount(a.p) - symbolCount(b.p) })
	return out
}

// termwise bounds each term with x by itself.
func (v *prover) termwise(p size.Poly, x string, d direction, sym *symbol) (out []claim) {
	s := v.split(p, x, d)
	if !s.ok {
		return nil
	}
	for _, low := range options(s.low, sym.lo) {
		for _, high := range options(s.high, sym.hi) {
			q := s.rest.Add(substitute(s.low, x, low.p)).Add(substitute(s.high, x, high.p))
			if !v.spend(width(q)) {
				return out
			}
			out = append(out, claim{q, join(join(s.needs, low.needs), high.needs)})
		}
	}
	return out
}

// symbolCount is how much is left to do: what is nearly done comes first.
func symbolCount(p size.Poly) int {
	n := 0
	for _, name := range p.Vars() {
		if symbolOrder(name) >= 0 {
			n++
		}
	}
	return n
}

// options are the bounds to try for a part; an empty part needs none.
func options(part size.Poly, bounds []claim) []claim {
	if part.Equal(size.Const(0)) {
		return []claim{{}}
	}
	return bounds
}

func substitute(part size.Poly, x string, by size.Poly) size.Poly {
	return part.Subst(func(name string) (size.Poly, bool) { return by, name == x })
}

// bounds gives up to maxClaims bounds of p in direction d without symbols of
// values from mark on, best guess first.
func (v *prover) bounds(p size.Poly, d direction, mark kernel.Value) []claim {
	v.goal = maxGoal
	var out []claim
	v.collect(claim{p: p}, d, mark, &out)
	return out
}

func (v *prover) collect(c claim, d direction, mark kernel.Value, out *[]claim) {
	if c.p.Overflowed() || len(*out) >= maxClaims || !v.spend(width(c.p)) {
		return
	}
	name, ok := latest(c.p, mark)
	if !ok {
		if !slices.ContainsFunc(*out, func(o claim) bool { return o.p.Equal(c.p) }) {
			*out = append(*out, c)
		}
		return
	}
	for _, q := range v.replace(c.p, name, d) {
		v.collect(claim{q.p, join(c.needs, q.needs)}, d, mark, out)
	}
}
