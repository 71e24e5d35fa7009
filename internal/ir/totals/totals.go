// Package totals finds out that what a kernel carries from one outer index to the next adds up: then the stretches of
// its outer indices can be done at the same time, once it is known what each adds.
//
//	kernel with State ──Of──► Law: its kernel of totals, and how what that gives is joined
//
// In: a kernel that passed verify, from whomever. Out: a law, or why there is none. Invariant: the states before a stretch,
// joined with the totals of the stretch, are bit for bit the states that the kernel leaves behind it; and no
// two stretches store to the same element. The kernel of totals passed verify on its own, so that nothing of its safety rests
// on this package.
package totals

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Law is how the states of a kernel add up.
type Law struct {
	// Ops join the states before a stretch with what it adds; BadFold for a state that stays as it is.
	Ops []num.FoldOp
	// Totals has the kernel's sizes, scalars, outer indices and states, stores nothing else, and faults nowhere.
	// When its states begin with Identity, it leaves what the outer indices add.
	Totals *verify.Safe
	// Regions are those of the kernel that stand behind the regions of Totals.
	Regions []int

	kinds  []num.Kind
	limits []limit
	needs  []size.Poly
}

// limit is what keeps the stores of stretches apart that lie where a state says: it counts from 0 at least up to Below.
type limit struct {
	state int
	below size.Poly
}

// refusal says why there is no law.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// Of gives the law of a kernel, or an error that says why there is none. Its time is bounded as that of verify.Check is.
func Of(s *verify.Safe) (*Law, error) {
	k := s.Kernel
	if len(k.State) == 0 {
		return nil, refuse("it carries no state")
	}
	for _, st := range k.State {
		if k.Regions[st.Region].Bounded {
			return nil, refuse("a state has a bound, which an identity may break")
		}
	}
	c, err := classesOf(k)
	if err != nil {
		return nil, err
	}
	l := new(Law)
	for i, v := range k.Body.Results {
		got := c.of[v]
		if got.state != i {
			return nil, refuse("state %d is not joined by one exact operation with what does not depend on any state", i)
		}
		l.Ops, l.kinds = append(l.Ops, got.op), append(l.kinds, k.State[i].Kind)
	}
	if err := l.separate(k, c); err != nil {
		return nil, err
	}
	if err := l.derive(k, c); err != nil {
		return nil, err
	}
	return l, nil
}

// Admits reports that the law holds for sizes that the kernel admits.
func (l *Law) Admits(sizes []int64) bool {
	for _, p := range l.needs {
		if n, ok := kernel.EvalPoly(p, sizes); !ok || n < -prove.Limit || n > prove.Limit {
			return false
		}
	}
	return true
}

// Identity are the states with which the kernel of totals begins.
func (l *Law) Identity() []uint64 {
	out := make([]uint64, len(l.Ops))
	for i, op := range l.Ops {
		if op != num.BadFold {
			out[i] = op.Identity(l.kinds[i], 0)[0]
		}
	}
	return out
}

// Join gives the states behind a stretch, of those before it and its totals.
func (l *Law) Join(before, totals []uint64) []uint64 {
	out := make([]uint64, len(l.Ops))
	for i, op := range l.Ops {
		if out[i] = before[i]; op != num.BadFold {
			out[i] = op.Combine(l.kinds[i], num.Partial{before[i]}, num.Partial{totals[i]})[0]
		}
	}
	return out
}

// Disjoint reports that what a stretch stores where a state says lies between its states before and behind it, so that it
// meets nothing of other stretches of which that holds too.
func (l *Law) Disjoint(sizes []int64, before, behind []uint64) bool {
	for _, m := range l.limits {
		n, ok := kernel.EvalPoly(m.below, sizes)
		from, to := int64(before[m.state]), int64(behind[m.state])
		if !ok || from < 0 || from > to || to > n {
			return false
		}
	}
	return true
}
