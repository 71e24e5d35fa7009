package measure

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// contest is a row to be: what takes turns, and how to judge it.
type contest struct {
	name, against string
	unit          string // GB/s, of bytes per run, or ms
	bytes         int64
	limit         Number // in unit
	ours          runner
	reference     runner // nil if there is none
	agree         func(ours, reference []float64) error
	// before is called before every run, out of the time: it makes a file
	// cold.
	before func() error
}

// runner runs once. The result is what is compared.
type runner func(ctx context.Context) (time.Duration, []float64, error)

// settled is how often each side runs before its times count.
const settled = 2

// hold runs a contest and reports it.
func (s *session) hold(ctx context.Context, c contest) error {
	s.progress("%s", c.name)
	var ours, reference []time.Duration
	for i := range settled + s.pairs() {
		a, b, err := c.pair(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if i >= settled {
			ours, reference = append(ours, a), append(reference, b)
		}
	}
	if c.reference == nil {
		reference = nil
	}
	s.report.Rows = append(s.report.Rows, c.row(ours, reference))
	return nil
}

// pair runs ours, then the reference, and compares the results.
func (c *contest) pair(ctx context.Context) (a, b time.Duration, err error) {
	a, mine, err := c.turn(ctx, c.ours)
	if err != nil || c.reference == nil {
		return a, 0, err
	}
	b, theirs, err := c.turn(ctx, c.reference)
	if err != nil {
		return a, b, fmt.Errorf("%s: %w", c.against, err)
	}
	if err := c.agree(mine, theirs); err != nil {
		return a, b, fmt.Errorf("ours and %s differ: %w", c.against, err)
	}
	return a, b, nil
}

func (c *contest) turn(ctx context.Context, run runner) (time.Duration, []float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, context.Cause(ctx)
	}
	if c.before != nil {
		if err := c.before(); err != nil {
			return 0, nil, err
		}
	}
	return run(ctx)
}

// row sums up the times of both sides; reference is nil if there was none.
func (c *contest) row(ours, reference []time.Duration) Row {
	r := Row{Name: c.name, Unit: c.unit, Ours: c.figure(median(ours)), Limit: c.limit, N: len(ours),
		Reference: unknown, Ratio: unknown, RatioMin: unknown, RatioMax: unknown}
	if r.OfLimit = r.Ours / c.limit; c.unit == "ms" {
		r.OfLimit = c.limit / r.Ours
	}
	if len(reference) == 0 {
		return r
	}
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = float64(reference[i]) / float64(ours[i])
	}
	r.ReferenceName, r.Reference = c.against, c.figure(median(reference))
	r.Ratio, r.RatioMin, r.RatioMax = Number(median(ratios)), Number(slices.Min(ratios)), Number(slices.Max(ratios))
	return r
}

func (c *contest) figure(d time.Duration) Number {
	if c.unit == "ms" {
		return Number(d.Seconds() * 1e3)
	}
	return Number(float64(c.bytes) / d.Seconds() / 1e9)
}

// median of at least one value; the mean of the two in the middle.
func median[T ~int64 | ~float64](xs []T) T {
	s := slices.Sorted(slices.Values(xs))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
