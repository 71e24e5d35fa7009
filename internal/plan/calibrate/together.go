package calibrate

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
)

// In: nothing but the processors. Out: how many times as many operations all of them do in a time as one. Where two share a core, that is less than
// two; so it is where a host gives them to others, too. Each side has its least of passes that take turns.

const (
	togetherPasses = 7
	togetherTurns  = 400_000               // about a millisecond
	patience       = 20 * time.Millisecond // until helpers come
)

// sides are the least times so far of one processor alone and of all of them, in nanoseconds.
type sides struct{ alone, all float64 }

// measure has the processors of a pool work, and says how many times as much all of them do as one, by what was measured so far; 0 if nothing was.
func (s *sides) measure(ctx context.Context, pool *engine.Pool) float64 {
	n := pool.Size()
	if n < 2 {
		return 1
	}
	defer pool.Close()
	for range togetherPasses {
		if ctx.Err() != nil {
			return 0
		}
		s.alone, s.all = min(s.alone, busy(ctx, pool, 1)), min(s.all, busy(ctx, pool, n))
	}
	return min(max(1, float64(n)*s.alone/s.all), float64(n))
}

// busy is how long so many of a pool's workers take that do as much each, in nanoseconds, once all have begun: helpers, which calls have,
// since a goroutine may be long on the processor of who made it, while another has nothing to do.
func busy(ctx context.Context, pool *engine.Pool, threads int) float64 {
	var begun atomic.Int32
	starts, ends := make([]time.Time, threads), make([]time.Time, threads)
	sums := make([]uint64, 8*threads) // each has a line of its own
	_ = pool.Do(ctx, threads, func(ctx context.Context, i int) error {
		begun.Add(1)
		for late := time.Now().Add(patience); int(begun.Load()) < threads && time.Now().Before(late); {
		}
		starts[i] = time.Now()
		sums[8*i] = mixed(togetherTurns)
		ends[i] = time.Now()
		return nil
	})
	if int(begun.Load()) < threads {
		return math.Inf(1) // nobody came
	}
	return float64(slices.MaxFunc(ends, time.Time.Compare).Sub(slices.MinFunc(starts, time.Time.Compare)))
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
