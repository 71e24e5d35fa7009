package cluster

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// StoreDeadline is after how long a load ends of which nothing was stored meanwhile.
const StoreDeadline = 2 * time.Minute

// sealing is how many bytes of a shard a node is given a second for to put them on its disk and
// compare them: until that is done nothing else need be stored.
const sealing = 20 << 20

// idle ends a load that does not get on: its nodes do not answer, or store what others load.
type idle struct {
	limit  time.Duration
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// newIdle gives the context that ends when nothing was stored for so long; 0 is StoreDeadline.
func newIdle(ctx context.Context, limit time.Duration) (*idle, context.Context) {
	limit = cmp.Or(max(limit, 0), StoreDeadline)
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() {
		cancel(fmt.Errorf("nothing of it was stored for %v: its nodes do not answer, or store what others load; godwit status tells which (--deadline, LoadOptions.Deadline)", limit))
	})
	return &idle{limit, timer, cancel}, ctx
}

// stored begins anew. bytes have still to be sealed.
func (i *idle) stored(bytes int64) {
	i.timer.Reset(i.limit + time.Duration(bytes/sealing)*time.Second)
}

func (i *idle) end() {
	i.timer.Stop()
	i.cancel(nil)
}
