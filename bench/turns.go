package main

import (
	"context"
	"math"
	"time"

	"github.com/godwit-run/godwit/internal/measure"
)

// A turn is several runs, of which the shortest counts: one that was disturbed
// says nothing about the code. There are enough for so much time, but few of
// those that take long.
const (
	turn = 30 * time.Millisecond
	long = 500 * time.Millisecond
)

// runs is how many runs that take d are a turn.
func runs(d time.Duration) int {
	if d > long {
		return 1
	}
	return max(3, int(turn/max(d, 1)))
}

// repeated is a turn of several runs. What is compared is read afterwards.
func repeated(times int, result []vector, run func() (time.Duration, error)) measure.Runner {
	return func(context.Context) (time.Duration, []float64, error) {
		d, err := shortest(times, run)
		if err != nil {
			return 0, nil, err
		}
		sums, err := checksums(result)
		return d, sums, err
	}
}

// shortest is the least time of several runs.
func shortest(times int, run func() (time.Duration, error)) (time.Duration, error) {
	least := time.Duration(math.MaxInt64)
	for range times {
		d, err := run()
		if err != nil {
			return 0, err
		}
		least = min(least, d)
	}
	return least, nil
}

// best is the fastest of several forms.
func (p *peer) best(list []form, threads int, w work, repeat int) (best form, err error) {
	least := time.Duration(math.MaxInt64)
	for range 3 {
		for _, f := range list {
			d, err := shortest(repeat, func() (time.Duration, error) { return p.time(f, threads, w) })
			if err != nil {
				return best, err
			}
			if d < least {
				best, least = f, d
			}
		}
	}
	return best, nil
}

// rest waits until the threads of the other side sleep. Those of OpenBLAS wait for work for 2^26 cycles, which is 20 ms at 3 GHz and 60 at 1.
func rest() error {
	time.Sleep(60 * time.Millisecond)
	return nil
}
