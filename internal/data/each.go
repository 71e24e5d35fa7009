package data

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

type threadsKey struct{}

// WithThreads gives Each a context in which it has so many threads, and all processors if that is 0.
func WithThreads(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, threadsKey{}, n)
}

// threadsOf is how many threads Each has.
func threadsOf(ctx context.Context) int {
	if n, _ := ctx.Value(threadsKey{}).(int); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Each calls f with 0 to n-1 on all threads, in ascending order as far as there is one. It gives the
// error of the least number of which f had one, and begins nothing more after an error
// or after the end of ctx.
func Each(ctx context.Context, n int, f func(i int) error) error {
	var next, failed atomic.Int64
	failed.Store(int64(n))
	errs := make([]error, n)
	var wg sync.WaitGroup
	for range min(threadsOf(ctx), n) {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= failed.Load() {
					return
				}
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = f(int(i))
				}
				if errs[i] != nil {
					failed.Store(min(i, failed.Load())) // a lost race costs a few calls
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
