package control

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A lease of T is renewed every T/renewals, and an endpoint gets as long to answer,
// one second at most. So while a majority of the members answers, a silent one among three
// costs less than half of T even if it is asked first.
const renewals = 5

// Renewal is the time between two signs of life of etcd where all is well.
func (o Options) Renewal() time.Duration { return o.withDefaults().TTL / renewals }

// keeping renews one lease. What comes in are answers of any endpoint; the lease counts
// as ended only when one of them says so. That nobody answers ends nothing: while
// etcd has no leader, leases do not run out, and a new leader gives each its full time.
type keeping struct {
	e      *etcd
	lease  clientv3.LeaseID
	every  time.Duration
	latest atomic.Pointer[time.Time]
	over   chan struct{}
}

func (e *etcd) keep(ctx context.Context, lease int64, ttl time.Duration) (<-chan struct{}, func() time.Time, error) {
	k := &keeping{e: e, lease: clientv3.LeaseID(lease), every: ttl / renewals, over: make(chan struct{})}
	k.note()
	go k.run(ctx)
	return k.over, func() time.Time { return *k.latest.Load() }, nil
}

func (k *keeping) note() {
	now := time.Now()
	k.latest.Store(&now)
}

func (k *keeping) run(ctx context.Context) {
	for wait := k.every; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		renewed, ended := k.round(ctx)
		switch {
		case ended:
			close(k.over)
			return
		case renewed:
			k.note()
			wait = max(0, k.every-time.Since(began))
		default:
			wait = min(pause, k.every)
		}
	}
}

// round asks the endpoints in turn until one answers.
func (k *keeping) round(ctx context.Context) (renewed, ended bool) {
	for _, p := range k.e.order() {
		try, cancel := context.WithTimeout(ctx, min(oneTry, k.every))
		r, err := p.c.KeepAliveOnce(try, k.lease)
		cancel()
		if ctx.Err() != nil {
			return false, false
		}
		gone := err == nil && r.TTL <= 0 || noLease(err)
		k.e.judge(p, err == nil || gone)
		if err == nil || gone {
			return !gone, gone
		}
	}
	return false, false
}

func noLease(err error) bool {
	return errors.Is(err, rpctypes.ErrLeaseNotFound) || status.Code(err) == codes.NotFound
}
