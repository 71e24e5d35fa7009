package plan

import (
	"fmt"
	"maps"
	"math"

	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a schedule, and the range of one of its sizes. Out: which engine and how many threads are the cheapest way from which
// size on. Where two ways cross is found by halving between two sizes with different ways.

// Row is a way that is the cheapest from a size on, up to that of the next row.
type Row struct {
	From    int64
	Engine  string
	Threads int            // most of any step
	Time    machine.Spread // nanoseconds, at From
}

const (
	// perOctave is how many sizes are looked at between one and its double.
	perOctave = 2
	// near is how close to each other, as a part, two sizes are that a crossing lies between.
	near = 0.01
	// mostSize is the largest size that is looked at.
	mostSize = 1 << 40
)

// Table looks at sizes lo..hi of one name; the others are as in sizes.
func Table(s *schedule.Schedule, sizes map[string]int64, name string, lo, hi int64, opt Options) ([]Row, error) {
	at := maps.Clone(sizes)
	row := func(n int64) (Row, error) {
		at[name] = n
		p, err := Predict(s, at, opt)
		if err != nil {
			return Row{}, err
		}
		return Row{n, p.Engine, p.Threads, p.Time}, nil
	}
	lo, hi = max(lo, 1), min(hi, mostSize)
	if lo > hi {
		return nil, fmt.Errorf("%s has no sizes from %d to %d to look at", name, lo, hi)
	}
	last, err := row(lo)
	if err != nil {
		return nil, err
	}
	list := []Row{last}
	for n := lo; n < hi; {
		n = min(hi, max(n+1, int64(float64(n)*math.Exp2(1.0/perOctave))))
		next, err := row(n)
		if err != nil {
			return nil, err
		}
		if !next.same(&last) {
			if next, err = crossing(last, next, row); err != nil {
				return nil, err
			}
			list, n = append(list, next), next.From
		}
		last = next
	}
	return list, nil
}

func (r *Row) same(o *Row) bool { return r.Engine == o.Engine && r.Threads == o.Threads }

// crossing finds the first size above that of a that does not go a's way.
func crossing(a, b Row, row func(int64) (Row, error)) (Row, error) {
	for b.From-a.From > 1 && float64(b.From-a.From) > near*float64(a.From) {
		mid, err := row(a.From + (b.From-a.From)/2)
		if err != nil {
			return b, err
		}
		if mid.same(&a) {
			a = mid
		} else {
			b = mid
		}
	}
	return b, nil
}
