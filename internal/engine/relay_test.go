package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// counting compacts what is greater than 1 and counts it in r0, one slot to an outer index; r2 takes the sum of all in r1 so far,
// checked.
const counting = `kernel
size s0 0..1000000
region readwrite i64 1
region readwrite i64 1
region write i64 s0
region read i64 s0
region write i64 s0
sites 1
outer s0
grain 1
count s0
state i64 r0
state i64 r1
body o lo hi c s
  one = const i64 1
  x = load r3 o
  t = add i64 s x site 0 at o
  store r4 o t
  p = gt i64 x one
  n = if p {
    q = bound c < s0
    store r2 q x
    m = add i64 c one
    yield m
  } else {
    yield c
  }
  end n t`

// relayed is a job of counting over n slots in the engine's memory.
type relayed struct {
	e     *Engine
	c     *Compiled
	n     int64
	bases []int64
	bytes [][]byte
}

func newRelayed(t *testing.T, tier Tier, in []int64) *relayed {
	t.Helper()
	k, err := kernel.ParseText(counting)
	if err != nil {
		t.Fatal(err)
	}
	r := &relayed{e: newEngine(t, tier), n: int64(len(in))}
	if r.c, err = r.e.Kernel(context.Background(), k); err != nil {
		t.Fatal(err)
	}
	if r.c.Law() == nil {
		t.Fatal("the kernel has no law")
	}
	for _, n := range []int64{1, 1, r.n, r.n, r.n} {
		s, b, err := r.e.Alloc(8 * n)
		if err != nil {
			t.Fatal(err)
		}
		r.bases, r.bytes = append(r.bases, s.Off), append(r.bytes, b)
	}
	for i, x := range in {
		binary.LittleEndian.PutUint64(r.bytes[3][8*i:], uint64(x))
	}
	return r
}

func (r *relayed) at(region int, i int64) int64 {
	return int64(binary.LittleEndian.Uint64(r.bytes[region][8*i:]))
}

// run has so many workers take stretches of n outer indices, of which that from broken on fails.
func (r *relayed) run(ctx context.Context, t *testing.T, workers int, n, broken int64) (*Job, []error) {
	t.Helper()
	j := r.e.NewJob(r.c, []int64{r.n}, nil)
	if ok, err := j.Relay(ctx, r.bases, 0); !ok || err != nil {
		t.Fatalf("no relay: %v", err)
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	errs, next := []error{}, int64(0)
	for range workers {
		group.Go(func() {
			w, err := j.Worker(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			w.SetBases(r.bases)
			for {
				mu.Lock()
				lo := next
				next += n
				mu.Unlock()
				if lo >= r.n {
					return
				}
				if lo == broken {
					time.Sleep(time.Millisecond) // the others wait
					j.Fail(lo)
					return
				}
				if err := w.Run(ctx, lo, min(lo+n, r.n)); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	j.Settle()
	return j, errs
}

func numbers(n int) []int64 {
	in := make([]int64, n)
	for i := range in {
		in[i] = int64(i*7919%13) - 4
	}
	return in
}

// want holds a run to a loop. count and sum are the states before it.
func (r *relayed) want(t *testing.T, in []int64, count, sum int64, faults []int64) {
	t.Helper()
	fault := int64(math.MaxInt64)
	stored := map[int64]int64{}
	for i, x := range in {
		if s := sum + x; (s > sum) != (x > 0) && x != 0 && fault == math.MaxInt64 {
			fault = int64(i)
		}
		if sum += x; r.at(4, int64(i)) != sum {
			t.Fatalf("sum %d is %d, want %d", i, r.at(4, int64(i)), sum)
		}
		if x > 1 {
			at := count
			if at < 0 || at >= r.n {
				at = 0
			}
			stored[at] = x
			count++
		}
	}
	for at, x := range stored {
		if r.at(2, at) != x {
			t.Fatalf("element %d is %d, want %d", at, r.at(2, at), x)
		}
	}
	if r.at(0, 0) != count || r.at(1, 0) != sum || faults[0] != fault {
		t.Fatalf("states %d and %d, fault at %d; want %d and %d, %d", r.at(0, 0), r.at(1, 0), faults[0], count, sum, fault)
	}
}

func TestRelay(t *testing.T) {
	for _, tier := range []Tier{Wasm, Stepper} {
		for _, n := range []int{0, 1, 2, 100, 1000} {
			for _, workers := range []int{1, 2, 7} {
				in := numbers(n)
				if n == 1000 { // one sum does not fit, and it stays so wrapped
					in[457] = math.MaxInt64
				}
				r := newRelayed(t, tier, in)
				binary.LittleEndian.PutUint64(r.bytes[1], 12)
				j, errs := r.run(context.Background(), t, workers, 3, -1)
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				r.want(t, in, 0, 12, j.Faults())
			}
		}
	}
}

// Positions that leave the region all become 0 there, so that stretches would meet: they run one after the other.
func TestRelayMeets(t *testing.T) {
	in := numbers(600)
	for _, first := range []int64{-50, 450, math.MaxInt64 - 3, math.MinInt64} {
		for range 20 {
			r := newRelayed(t, Wasm, in)
			binary.LittleEndian.PutUint64(r.bytes[0], uint64(first))
			j, errs := r.run(context.Background(), t, 5, 7, -1)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			r.want(t, in, first, 0, j.Faults())
		}
	}
}

// Those behind a stretch that fails end, and those before it are seen through.
func TestRelayFails(t *testing.T) {
	in := numbers(1000)
	for range 20 {
		r := newRelayed(t, Wasm, in)
		_, errs := r.run(context.Background(), t, 4, 10, 500)
		for _, err := range errs {
			if !errors.Is(err, errEarlier) {
				t.Fatal(err)
			}
		}
		sum := int64(0)
		for i := range int64(500) {
			if sum += in[i]; r.at(4, i) != sum {
				t.Fatalf("sum %d is %d, want %d", i, r.at(4, i), sum)
			}
		}
	}
}

func TestRelayCancelled(t *testing.T) {
	r := newRelayed(t, Wasm, numbers(1000))
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	j := r.e.NewJob(r.c, []int64{r.n}, nil)
	if ok, err := j.Relay(ctx, r.bases, 0); !ok || err != nil {
		t.Fatal(ok, err)
	}
	w, err := j.Worker(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w.SetBases(r.bases)
	if err := w.Run(ctx, 10, 10); err != nil { // which waits for nobody
		t.Error(err)
	}
	time.AfterFunc(time.Millisecond, func() { cancel(why) })
	if err := w.Run(ctx, 10, 20); !errors.Is(err, why) { // nobody has begun with 0..10
		t.Errorf("a stretch that waits ended with %v", err)
	}
	w.Close()
	j.Settle()
}
