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
	// good is how many times as long as the best a way may take to be stayed with.
	good = 1.002
	// near is how close to each other, as a part, two sizes are that a crossing lies between.
	near = 0.01
	// mostSize is the largest size that is looked at.
	mostSize = 1 << 40
)

// Table looks at sizes lo..hi of one name; the others are as in sizes.
func Table(s *schedule.Schedule, sizes map[string]int64, name string, lo, hi int64, opt Options) ([]Row, error) {
	last := Row{}
	row := func(n int64) (Row, error) {
		all, err := open(opt.of(s, sizes, name, n), with(sizes, name, n), opt)
		if err != nil {
			return Row{}, err
		}
		p := all[chosen(all)].Prediction
		for _, c := range all { // a way is left for another that is better, and not for one that is as good
			if last.From > 0 && c.Prediction.Engine == last.Engine && min(c.Prediction.Threads, 2) == min(last.Threads, 2) && c.beginsNative == p.beginsNative && c.Time.P50 < good*p.Time.P50 {
				return Row{n, last.Engine, c.Prediction.Threads, c.Time}, nil
			}
		}
		return Row{n, p.Engine, p.Threads, p.Time}, nil
	}
	ns, err := octaves(name, lo, hi)
	if err != nil {
		return nil, err
	}
	if last, err = row(ns[0]); err != nil {
		return nil, err
	}
	list := []Row{last}
	for _, n := range ns[1:] {
		for n > last.From { // several ways may cross between two sizes
			next, err := row(n)
			if err != nil {
				return nil, err
			}
			if next.same(&last) {
				last = next
				break
			}
			if last, err = crossing(last, next, row); err != nil {
				return nil, err
			}
			list = append(list, last)
		}
	}
	return list, nil
}

// octaves are the sizes of a range that are looked at, both ends among them.
func octaves(name string, lo, hi int64) ([]int64, error) {
	lo, hi = max(lo, 1), min(hi, mostSize)
	if lo > hi {
		return nil, fmt.Errorf("%s has no sizes from %d to %d to look at", name, lo, hi)
	}
	list := []int64{lo}
	for n := lo; n < hi; {
		n = min(hi, max(n+1, int64(float64(n)*math.Exp2(1.0/perOctave))))
		list = append(list, n)
	}
	return list, nil
}

// of is the schedule where a size is n.
func (opt *Options) of(s *schedule.Schedule, sizes map[string]int64, name string, n int64) *schedule.Schedule {
	if opt.General != nil && sizes[name] != n {
		return opt.General
	}
	return s
}

// with are sizes of which one is n.
func with(sizes map[string]int64, name string, n int64) map[string]int64 {
	out := maps.Clone(sizes)
	if out == nil {
		out = map[string]int64{}
	}
	out[name] = n
	return out
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
