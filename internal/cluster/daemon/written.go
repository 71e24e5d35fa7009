package daemon

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/run"
)

// In: tasks and whose they are. Out: who may begin, by the memory that its results take. How
// much that is, is known before anything runs, and has nothing to do with how many steps it takes.

const (
	// answerRest is what an answer has besides the results themselves.
	answerRest = 64 << 10
	// rowsMost is for the rows that a task's partial kernel puts together, which do not travel.
	rowsMost = 256 << 20
	// fewBytes are not counted.
	fewBytes = 1 << 20
)

// written is how many bytes of results a piece has.
func written(p *run.Piece) (sum int64) {
	for i, o := range p.Operands {
		n := int64(0)
		switch o := o.(type) {
		case run.InOut:
			n = int64(len(o.Bytes))
		case run.Out:
			size := int64(p.Kernel.Kernel.Regions[i].Elem.Size())
			if o.Count > math.MaxInt64/16/size {
				return math.MaxInt64 / 2
			}
			n = o.Count * size
		}
		sum = min(sum+n, math.MaxInt64/2)
	}
	return sum
}

// bounded refuses a task whose answer would not fit a parcel, or whose rows are too many to
// be put together at once.
func bounded(t *parcel.Task, bytes int64) error {
	switch {
	case t.Partial.Code == 0 && bytes > parcel.MaxBytes-answerRest:
		return refused("the answer is longer than the %d bytes of a parcel: it has %d; ask for fewer rows at a time", parcel.MaxBytes, bytes)
	case t.Partial.Code != 0 && bytes > rowsMost:
		return refused("the rows that the task puts together have %d bytes, the limit is %d; send fewer outer indices at a time", bytes, rowsMost)
	}
	return nil
}

// rooms shares the memory for results between owners: one has no more than is then left, but
// for one task, so that whoever has none finds some.
type rooms struct {
	size int64

	mu  sync.Mutex
	all int64
	of  map[string]int64
}

// take gives room for so many bytes until release, or an error that says who has it.
func (r *rooms) take(owner string, n int64) (release func(), err error) {
	if r == nil || n <= fewBytes {
		return func() {}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	own, left := r.of[owner], r.size-r.all
	if n > left || own > 0 && own+n > left-n {
		return nil, &node.WorkError{Reason: parcel.Busy, Detail: fmt.Sprintf(
			"tasks have %d of the %d bytes for results in hand, %d of them are this owner's, and there is no room for %d more now", r.all, r.size, own, n)}
	}
	if r.of == nil {
		r.of = map[string]int64{}
	}
	r.of[owner] += n
	r.all += n
	return func() { r.give(owner, n) }, nil
}

func (r *rooms) give(owner string, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all -= n
	if r.of[owner] -= n; r.of[owner] == 0 {
		delete(r.of, owner)
	}
}

type ownerKey struct{}

func withOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// ownerOf is whose job a context is for; "" if nobody's.
func ownerOf(ctx context.Context) string {
	s, _ := ctx.Value(ownerKey{}).(string)
	return s
}
