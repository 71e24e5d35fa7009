// Package prove shows that polynomials over the sizes and the values of a program are never
// negative. The checker asks it about indices in the source, and verify about kernels from
// strangers.
//
// A value is described by a polynomial over sizes (N, s0, …) and symbols. A symbol %12
// stands for a value whose exact form is not known; it has lower and upper bounds,
// polynomials over sizes and symbols of earlier values. To show that a polynomial is at
// least 0, symbols are replaced by their bounds, the latest first, until only sizes are
// left, and then size.Facts decides.
package prove

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/front/size"
)

// Claim is a bound, sound if what Needs lists holds. A need is the number of
// a polynomial that has to stay within ±Limit, see Required.
type Claim struct {
	P     size.Poly
	Needs []int
}

// Claims are bounds that need nothing.
func Claims(ps ...size.Poly) []Claim {
	var cs []Claim
	for _, p := range ps {
		cs = append(cs, Claim{P: p})
	}
	return cs
}

// Symbol is what is known of a value.
type Symbol struct {
	Lo, Hi []Claim
	// Cases, if any, are all that the value can be.
	Cases []Choice
	// Quotient, if any, is what it is the quotient of.
	Quotient *Quotient
	// natural says that Lo proves the symbol to be at least 0, given needs.
	natural bool
	needs   []int
}

// Choice is a form that a value has when each Given is at least 0.
type Choice struct {
	Form  size.Poly
	Given []size.Poly
}

// Quotient is Num/Den rounded down, if Needs hold, for a Den of at least 1.
type Quotient struct {
	Num, Den size.Poly
	Needs    []int
}

// Known is what is known at one place of a program.
type Known struct {
	Facts  *size.Facts // about sizes
	Guards []size.Poly // over symbols too: at least 0 here
	// Dead says that the place cannot be reached.
	Dead bool
}

const (
	// maxEffort bounds the work on all proofs of one program, in terms of
	// polynomials looked at, which take up to half a microsecond each: a
	// hostile kernel is refused within a tenth of a second. It is more than twice
	// what the most difficult kernel takes that lowering or suspend makes in tests.
	maxEffort = 250_000
	// perValue is what each value of a program adds to that, up to four times as much: programs grow when steps of them are fused.
	perValue = 1000
	// MaxGoal bounds the work on a question that decides over a kernel, and
	// MinGoal on one whose answer only describes a value better.
	MaxGoal = 20000
	MinGoal = 500
	// maxClaims is how many bounds of one value are kept.
	maxClaims = 4
)

// Prover answers questions about one program.
type Prover struct {
	Known
	Symbols map[string]*Symbol
	// More lists further facts about the sizes of p, to decide about p; nil if all are in Facts.
	More func(p size.Poly) []size.Poly
	// Values is how many values the program has.
	Values int
	// Deep asks for proofs that take longer: with two guards, and with quotients multiplied out
	// wherever they come up.
	Deep bool
	// TooLong is called when the work exceeds what is allowed for one program.
	TooLong func()

	decided map[question]bool
	ranges  []size.Poly
	used    map[int]bool // ranges that a proof relied on
	effort  int
	goal    int
	// guarding says that a case is being looked at with the guards.
	guarding bool
	// thorough says that the question decides something, and may cost more.
	thorough bool
	given    []size.Poly // what the cases being looked at are given
}

// question is whether a polynomial over sizes is at least 0, given facts; they
// do not change once they are there.
type question struct {
	facts *size.Facts
	p     string
}

// New makes a prover that knows these facts.
func New(facts *size.Facts, tooLong func()) Prover {
	return Prover{
		Known: Known{Facts: facts}, Symbols: map[string]*Symbol{}, TooLong: tooLong,
		decided: map[question]bool{}, used: map[int]bool{},
	}
}

// Direction tells on which side of a value a bound lies.
type Direction int

const (
	Below Direction = -1 // a bound that is less or equal
	Above Direction = 1  // a bound that is greater or equal
)

// Prefix begins the names of symbols, and of no sizes.
const Prefix = "%"

// Name is the symbol for value number i.
func Name(i int) string { return Prefix + strconv.Itoa(i) }

// LastName is the symbol for the greatest index that value i, a position found by
// a fold, can have. It comes right before that of i.
func LastName(i int) string { return Name(i) + "m" }

// order is the number of the value behind a symbol, -1 for a size.
func order(name string) int {
	if name[0] != Prefix[0] {
		return -1
	}
	n := 0
	for _, c := range []byte(name[1:]) {
		if c == 'm' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// Latest is the symbol of p with the greatest number from mark on; of %12
// and %12m it is %12, which depends on the other.
func Latest(p size.Poly, mark int) (name string, ok bool) {
	best := mark - 1
	p.EachVar(func(n string) {
		if o := order(n); o > best || o == best && name != "" && n < name {
			best, name = o, n
		}
	})
	return name, name != ""
}

// Describe says what is known of the symbol called name. What holds only here must not
// become a property of the symbol, which may be looked at elsewhere, so guards do not count.
func (v *Prover) Describe(name string, s *Symbol) {
	for _, b := range s.Lo {
		if needs, ok := v.Search(b.P); ok {
			s.natural, s.needs = true, Join(needs, b.Needs)
			break
		}
	}
	v.Symbols[name] = s
}

// Effort is how much work there was so far.
func (v *Prover) Effort() int { return v.effort }

// Forgive counts the work since then no more. Whoever calls it bounds how often.
func (v *Prover) Forgive(since int) { v.effort = since }

// Spend counts work and tells whether the current question may go on.
func (v *Prover) Spend(n int) bool {
	v.toil(n)
	v.goal -= n
	return v.goal > 0
}

// toil counts work that leaves the current question its own.
func (v *Prover) toil(n int) {
	v.effort += n
	if v.effort > min(maxEffort+perValue*v.Values, 4*maxEffort) {
		v.TooLong()
	}
}

// factoring is how many times as much work it may be to take the sizes of products out of p, one by one: each is
// looked at in two polynomials.
func factoring(p size.Poly) int {
	if p.Degree() < 2 {
		return 0
	}
	factors := map[string]bool{}
	p.Terms(func(_ int64, names []string, _ bool) {
		for _, n := range names {
			factors[n] = factors[n] || len(names) > 1
		}
	})
	n := 0
	for _, is := range factors {
		if is {
			n += 2
		}
	}
	return n
}

// Width is a measure of how much work p makes.
func Width(p size.Poly) int { return 1 + p.Len() }

// volume is the width of p after each size has been moved to its least value,
// when a product of n sizes becomes 2^n terms; half of it, as not all do.
func volume(p size.Poly) int {
	n := 1
	p.Terms(func(_ int64, names []string, _ bool) { n += max(1, 1<<len(names)/2) })
	return n
}

// Join is the needs of both.
func Join(a, b []int) []int {
	if len(b) == 0 {
		return a
	}
	r := append(slices.Clone(a), b...)
	slices.Sort(r)
	return slices.Compact(r)
}
