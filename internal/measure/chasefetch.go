package measure

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	columns "github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// fetching chases by reading elements from their nodes. The next read is sent
// where the answer to the last one arrives, without a hand-over between threads.
type fetching struct {
	c   *cluster.Cluster
	set *catalog.Set
}

func (f *fetching) element(b []byte, i int) int64 {
	return int64(columns.Get(f.set.Columns[0].Kind, b, int64(i)))
}

// follow chases from i for depth steps and tells its end to done.
func (f *fetching) follow(ctx context.Context, i int64, depth int, done func(int64, error)) {
	if depth == 0 {
		done(i, nil)
		return
	}
	f.c.Elements(ctx, f.set, f.set.ShardOf(i), 0, []int64{i}, func(b []byte, err error) {
		if err != nil {
			done(0, err)
			return
		}
		f.follow(ctx, f.element(b, 0), depth-1, done)
	})
}

// chaseOne is one chase.
func (f *fetching) chaseOne(from int64, depth int) Runner { return f.chaseAll([]int64{from}, depth) }

// chaseAll has all chases under way at once, each element in a parcel of its own.
func (f *fetching) chaseAll(starts []int64, depth int) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		begin := time.Now()
		var left atomic.Int64
		var failed atomic.Pointer[error]
		left.Store(int64(len(starts)))
		end := make(chan struct{})
		for _, s := range starts {
			f.follow(ctx, s, depth, func(_ int64, err error) {
				if err != nil {
					failed.Store(&err)
				}
				if left.Add(-1) == 0 {
					close(end)
				}
			})
		}
		if err := wait(ctx, end); err != nil {
			return 0, nil, err
		}
		if err := failed.Load(); err != nil {
			return 0, nil, *err
		}
		return time.Since(begin), nil, nil
	}
}

// chaseInTurn has one chase under way at a time.
func (f *fetching) chaseInTurn(starts []int64, depth int) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		var all time.Duration
		for _, s := range starts {
			d, _, err := f.chaseOne(s, depth)(ctx)
			if err != nil {
				return 0, nil, err
			}
			all += d
		}
		return all, nil, nil
	}
}

// chaseRounds moves all chases one step at a time: a parcel to each shard with
// all the elements that are wanted of it.
func (f *fetching) chaseRounds(starts []int64, depth int) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		begin := time.Now()
		at := append([]int64(nil), starts...)
		who, rows := make([][]int, len(f.set.Shards)), make([][]int64, len(f.set.Shards))
		for range depth {
			for s := range who {
				who[s], rows[s] = who[s][:0], rows[s][:0]
			}
			for i, x := range at {
				s := f.set.ShardOf(x)
				who[s], rows[s] = append(who[s], i), append(rows[s], x)
			}
			if err := f.round(ctx, at, who, rows); err != nil {
				return 0, nil, err
			}
		}
		return time.Since(begin), nil, nil
	}
}

func (f *fetching) round(ctx context.Context, at []int64, who [][]int, rows [][]int64) error {
	var left atomic.Int64
	var failed atomic.Pointer[error]
	end := make(chan struct{})
	left.Store(1)
	finish := func() {
		if left.Add(-1) == 0 {
			close(end)
		}
	}
	for s := range who {
		if len(rows[s]) == 0 {
			continue
		}
		left.Add(1)
		f.c.Elements(ctx, f.set, s, 0, rows[s], func(b []byte, err error) {
			if err != nil {
				failed.Store(&err)
			} else {
				for j, i := range who[s] {
					at[i] = f.element(b, j)
				}
			}
			finish()
		})
	}
	finish()
	if err := wait(ctx, end); err != nil {
		return err
	}
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func wait(ctx context.Context, end <-chan struct{}) error {
	select {
	case <-end:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// preinstalled sends states to a function that is part of every node.
func preinstalled(c *cluster.Cluster, set *catalog.Set, starts []int64, depth int) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		begin := time.Now()
		n := len(starts)
		want, id, left, at := make([]byte, 8*n), make([]byte, 8*n), make([]byte, 8*n), make([]byte, 8*n)
		for i, s := range starts {
			binary.LittleEndian.PutUint64(want[8*i:], uint64(s))
			binary.LittleEndian.PutUint64(id[8*i:], uint64(i))
			binary.LittleEndian.PutUint64(left[8*i:], uint64(depth))
			binary.LittleEndian.PutUint64(at[8*i:], uint64(s))
		}
		k := byte(num.I64)
		b := &parcel.Batch{Set: set.ID, Columns: []parcel.Far{{}}, States: n, Kinds: []byte{k, k, k, k}, Values: [][]byte{want, id, left, at}, Keep: 1<<1 | 1<<3}
		_, err := c.Walk(ctx, parcel.Builtin, caller.Code{ID: daemon.Chase}, b)
		return time.Since(begin), nil, err
	}
}

// bytesOf is the memory of a slice.
func bytesOf(xs []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), 8*len(xs))
}
