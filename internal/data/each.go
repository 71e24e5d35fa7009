package data

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls f with 0 to n-1 on all processors, in ascending order as far as there is one. It gives the
// error of the least number of which f had one, and begins nothing more after an error
// or after the end of ctx.
func Each(ctx context.Context, n int, f func(i int) error) error {
	var next, failed atomic.Int64
	failed.Store(int64(n))
	errs := make([]error, n)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
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
