package loops

import (
	"maps"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes an index inside of a loop, out goes the same number as a sum: a multiple of the loop's counter, multiples of values
// known before the loop, and a constant. All of it wraps as the index does, so that equal sums are equal indices, and what two
// differ by is exact.

// Sum is such a sum.
type Sum struct {
	Step  int64                  // times the counter
	Terms map[kernel.Value]int64 // times values known before the loop; none is 0
	C     int64
}

// sumSteps is how far Sum looks back; an index is made in a few steps.
const sumSteps = 8

// Sum is an integer as a sum, for the loop with this body. It is not ok if the integer depends on anything else that the loop
// computes.
func (a *Analysis) Sum(v kernel.Value, body *kernel.Block) (s Sum, ok bool) {
	s.Terms = map[kernel.Value]int64{}
	return s, a.addTo(&s, v, 1, body.Params[0], sumSteps)
}

func (a *Analysis) addTo(s *Sum, v kernel.Value, times int64, counter kernel.Value, steps int) bool {
	if v == counter {
		s.Step += times
		return true
	}
	if n, ok := a.ConstInt(v); ok {
		s.C += n * times
		return true
	}
	d := a.Def[v]
	if d != nil && d.Code == kernel.Arith && d.Kind == num.I64 && d.Site == kernel.NoSite && steps > 0 {
		sign := int64(1)
		switch d.Op {
		case num.Sub:
			sign = -1
			fallthrough
		case num.Add:
			return a.addTo(s, d.Args[0], times, counter, steps-1) && a.addTo(s, d.Args[1], sign*times, counter, steps-1)
		case num.Mul:
			for i, f := range d.Args {
				if n, ok := a.ConstInt(f); ok {
					return a.addTo(s, d.Args[1-i], n*times, counter, steps-1)
				}
			}
		}
	}
	if v > counter { // made inside of the loop
		return false
	}
	s.Terms[v] += times
	if s.Terms[v] == 0 {
		delete(s.Terms, v)
	}
	return true
}

// Minus is s - o.
func (s Sum) Minus(o Sum) Sum {
	d := Sum{s.Step - o.Step, maps.Clone(s.Terms), s.C - o.C}
	for v, n := range o.Terms {
		d.Terms[v] -= n
		if d.Terms[v] == 0 {
			delete(d.Terms, v)
		}
	}
	return d
}

// IsConst reports a sum that is its constant.
func (s Sum) IsConst() bool { return s.Step == 0 && len(s.Terms) == 0 }

// StepsBy1 reports that an index grows with a loop's counter.
func (a *Analysis) StepsBy1(v, counter kernel.Value) bool {
	if v == counter {
		return true
	}
	d := a.Def[v]
	return d != nil && d.Code == kernel.Arith && d.Kind == num.I64 && d.Site == kernel.NoSite &&
		(d.Op == num.Add && (a.StepsBy1(d.Args[0], counter) || a.StepsBy1(d.Args[1], counter)) || d.Op == num.Sub && a.StepsBy1(d.Args[0], counter))
}

// Consecutive reports that a loop loads or stores one element after another.
func (a *Analysis) Consecutive(in *kernel.Instr) bool {
	found := false
	in.Each(func(x *kernel.Instr) {
		if x.Code == kernel.Load || x.Code == kernel.Store {
			found = found || a.StepsBy1(x.Args[0], in.Blocks[0].Params[0])
		}
	})
	return found
}

// DependsOn reports that arithmetic on a counter leads to an index.
func (a *Analysis) DependsOn(index, counter kernel.Value) bool {
	if index == counter {
		return true
	}
	d := a.Def[index]
	if d == nil {
		return false
	}
	for _, v := range d.Args {
		if a.DependsOn(v, counter) {
			return true
		}
	}
	return false
}
