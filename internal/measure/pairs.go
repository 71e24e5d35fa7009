package measure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Contest is a row to be: what takes turns, and how to judge it.
type Contest struct {
	Name, Against string
	Unit          string  // "GB/s" of Bytes per run, or "ms" or "µs"
	Bytes         int64   // that a run has to move
	Limit         Number  // in Unit; unknown if 0
	Tolerance     float64 // by which results may differ
	Pairs         int     // that count
	Ours          Runner
	Reference     Runner // nil if there is none
	// Before is called before every run, out of the time: it makes a file
	// cold.
	Before func() error
}

// Runner runs once and gives what is compared.
type Runner func(ctx context.Context) (time.Duration, []float64, error)

// settled is how often each side runs before its times count.
const settled = 2

// Row has both sides take turns.
func (c Contest) Row(ctx context.Context) (Row, error) {
	var ours, reference []time.Duration
	for i := range settled + c.Pairs {
		a, b, err := c.pair(ctx)
		if err != nil {
			return Row{}, fmt.Errorf("%s: %w", c.Name, err)
		}
		if i >= settled {
			ours, reference = append(ours, a), append(reference, b)
		}
	}
	if c.Reference == nil {
		reference = nil
	}
	return c.row(ours, reference), nil
}

// hold holds a contest and reports it.
func (s *session) hold(ctx context.Context, c Contest) error {
	c.Pairs = s.pairs()
	return s.holdAs(ctx, c)
}

// holdFew is hold with as few pairs as count, for what takes seconds.
func (s *session) holdFew(ctx context.Context, c Contest) error {
	c.Pairs = min(5, s.pairs())
	return s.holdAs(ctx, c)
}

// holdMany is hold with many pairs, for what takes less than a millisecond.
func (s *session) holdMany(ctx context.Context, c Contest) error {
	c.Pairs = 20 * s.pairs()
	return s.holdAs(ctx, c)
}

func (s *session) holdAs(ctx context.Context, c Contest) error {
	s.progress("%s", c.Name)
	r, err := c.Row(ctx)
	if err == nil {
		s.report.Rows = append(s.report.Rows, r)
	}
	return err
}

// pair runs ours, then the reference, and compares the results.
func (c *Contest) pair(ctx context.Context) (a, b time.Duration, err error) {
	a, mine, err := c.turn(ctx, c.Ours)
	if err != nil || c.Reference == nil {
		return a, 0, err
	}
	b, theirs, err := c.turn(ctx, c.Reference)
	if err != nil {
		return a, b, fmt.Errorf("%s: %w", c.Against, err)
	}
	if err := within(c.Tolerance, mine, theirs); err != nil {
		return a, b, fmt.Errorf("ours and %s differ: %w", c.Against, err)
	}
	return a, b, nil
}

func (c *Contest) turn(ctx context.Context, run Runner) (time.Duration, []float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, context.Cause(ctx)
	}
	if c.Before != nil {
		if err := c.Before(); err != nil {
			return 0, nil, err
		}
	}
	return run(ctx)
}

// within accepts results that differ by rounding.
func within(tolerance float64, ours, reference []float64) error {
	if len(ours) != len(reference) {
		return fmt.Errorf("%d numbers against %d", len(ours), len(reference))
	}
	for i, x := range ours {
		y := reference[i]
		if math.IsNaN(x) && math.IsNaN(y) {
			continue
		}
		if !(math.Abs(x-y) <= tolerance) {
			return fmt.Errorf("%.17g against %.17g, number %d of %d", x, y, i, len(ours))
		}
	}
	return nil
}

// row sums up the times of both sides; reference is nil if there was none.
func (c *Contest) row(ours, reference []time.Duration) Row {
	r := Row{Name: c.Name, Unit: c.Unit, Ours: c.figure(median(ours)), Limit: c.Limit, N: len(ours),
		Reference: unknown, Ratio: unknown, RatioMin: unknown, RatioMax: unknown}
	if r.Limit == 0 {
		r.Limit = unknown
	}
	if r.OfLimit = r.Ours / r.Limit; units[c.Unit] > 0 {
		r.OfLimit = r.Limit / r.Ours
	}
	if len(reference) == 0 {
		return r
	}
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = float64(reference[i]) / float64(ours[i])
	}
	r.ReferenceName, r.Reference = c.Against, c.figure(median(reference))
	r.Ratio, r.RatioMin, r.RatioMax = Number(median(ratios)), Number(slices.Min(ratios)), Number(slices.Max(ratios))
	return r
}

// units are those of time; less is better.
var units = map[string]time.Duration{"ms": time.Millisecond, "µs": time.Microsecond}

func (c *Contest) figure(d time.Duration) Number {
	if of := units[c.Unit]; of > 0 {
		return Number(float64(d) / float64(of))
	}
	return Number(float64(c.Bytes) / d.Seconds() / 1e9)
}

// median of at least one value; the mean of the two in the middle.
func median[T ~int64 | ~float64](xs []T) T {
	s := slices.Sorted(slices.Values(xs))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
