package measure

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// In: calls of the far benchmark. Out: how long they take through a channel of one call in shared memory: the caller writes the number of the call and
// waits, a second thread waits for one, computes and writes the sum. Whoever waits looks again and again, or sleeps for a microsecond in between.

// exchange is the channel; each word has a line of the cache of its own.
type exchange struct {
	asked    atomic.Int64
	_        [56]byte
	answered atomic.Int64
	_        [56]byte
	sum      int32 // written before answered is
	sleeps   bool
}

func (x *exchange) await(word *atomic.Int64, least int64) {
	for looks := 1; word.Load() < least; looks++ {
		switch {
		case looks%spinLooks == 0: // others have something to do, too
			runtime.Gosched()
		case x.sleeps:
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1000}, nil) // a wait that is cut short is one more look
		}
	}
}

// spinLooks is how often a waiting thread looks before it lets others have its turn.
const spinLooks = 256

// channel makes n calls through one.
func channel(a, b []int32, n int, sleeps bool) Runner {
	return func(context.Context) (time.Duration, []float64, error) {
		x := &exchange{sleeps: sleeps}
		done := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // a thread that ends takes the processes with it that it has started
			defer close(done)
			for k := range n {
				x.await(&x.asked, int64(k)+1)
				x.sum = callsFrom(a, b, k, k+1)
				x.answered.Store(int64(k) + 1)
			}
		}()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		start, sum := time.Now(), int32(0)
		for k := range n {
			x.asked.Store(int64(k) + 1)
			x.await(&x.answered, int64(k)+1)
			sum += x.sum
		}
		took := time.Since(start)
		<-done
		if want := callsFrom(a, b, 0, n); sum != want {
			return 0, nil, fmt.Errorf("%d calls through a channel come to %d, expected %d", n, sum, want)
		}
		return took, nil, nil
	}
}
