package calibrate

import (
	"context"
	"math"
	"sync"
	"time"
)

// In: nothing but the processors. Out: how many times as many operations all of them do in a time as one. Where two share a core, that is less than
// two; so it is where a host gives them to others, too. Each side has its least of passes that take turns.

const (
	togetherPasses = 7
	togetherTurns  = 400_000 // about a millisecond
)

// together measures it.
func together(ctx context.Context, processors int) float64 {
	if processors < 2 {
		return 1
	}
	alone, all := math.Inf(1), math.Inf(1)
	for range togetherPasses {
		if ctx.Err() != nil {
			return 0
		}
		alone, all = min(alone, busy(1)), min(all, busy(processors))
	}
	return min(max(1, float64(processors)*alone/all), float64(processors))
}

// busy is how long so many threads take that do as much each, in nanoseconds.
func busy(threads int) float64 {
	begin := make(chan struct{})
	var ready, done sync.WaitGroup
	sums := make([]uint64, 8*threads) // each has a line of its own
	for i := range threads {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			sums[8*i] = mixed(togetherTurns)
		})
	}
	ready.Wait()
	start := time.Now()
	close(begin)
	done.Wait()
	return float64(time.Since(start))
}

// mixed keeps the units of a core busy: four chains of products, additions and shifts that do not wait for each other.
func mixed(turns int) uint64 {
	a, b, c, d := uint64(1), uint64(2), uint64(3), uint64(4)
	for range turns {
		a = a*0x9E3779B97F4A7C15 + 1
		b = b*0xBF58476D1CE4E5B9 ^ b>>7
		c = c*0x94D049BB133111EB + c>>9
		d = (d<<13 | d>>51) + 0x2545F4914F6CDD1D
	}
	return a ^ b ^ c ^ d
}
