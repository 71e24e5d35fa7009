package verify

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// Work is an upper bound on steps (see kernel.OuterSteps) as an expression
// over the sizes. A plain polynomial could not say "no turns when the range
// is empty" nor "the lesser of two bounds".
type Work struct {
	Fixed int64
	Parts []Part
}

// Part is a branch, which costs its dearest choice, or a loop, which costs
// Turn and its only choice for each of max(0, least of Trips) turns.
type Part struct {
	Trips   []size.Poly // nil for a branch
	Turn    int64
	Choices []Work
}

// Eval computes the bound; what leaves int64 is math.MaxInt64.
func (w *Work) Eval(sizes []int64) int64 {
	n := w.Fixed
	for i := range w.Parts {
		n = addSat(n, w.Parts[i].eval(sizes))
	}
	return n
}

func (p *Part) eval(sizes []int64) int64 {
	most := int64(0)
	for i := range p.Choices {
		most = max(most, p.Choices[i].Eval(sizes))
	}
	return mulSat(p.turns(sizes), addSat(most, p.Turn))
}

func (p *Part) turns(sizes []int64) int64 {
	if p.Trips == nil {
		return 1
	}
	least := int64(math.MaxInt64)
	for _, t := range p.Trips {
		if n, ok := kernel.EvalPoly(t, sizes); ok {
			least = min(least, max(n, 0))
		}
	}
	return least
}

func addSat(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func mulSat(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// String writes the bound for people: 3 + min(s0, 4096)·(5 + max(1, 2)).
func (w *Work) String() string {
	parts := []string{fmt.Sprint(w.Fixed)}
	for i := range w.Parts {
		parts = append(parts, w.Parts[i].text())
	}
	return strings.Join(parts, " + ")
}

func (p *Part) text() string {
	var choices []string
	for i := range p.Choices {
		choices = append(choices, p.Choices[i].String())
	}
	if p.Trips == nil {
		return "max(" + strings.Join(choices, ", ") + ")"
	}
	var trips []string
	for _, t := range p.Trips {
		trips = append(trips, t.String())
	}
	turns := strings.Join(trips, ", ")
	if len(trips) > 1 {
		turns = "min(" + turns + ")"
	}
	return fmt.Sprintf("(%s)·(%d + %s)", turns, p.Turn, strings.Join(choices, ""))
}
