package control

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// The times at which a client gives up on a connection that has become silent.
const (
	silence   = 5 * time.Second // then it is asked for a sign of life
	noSign    = 2 * time.Second // then it is given up
	firstDial = 2 * time.Second
	oneTry    = time.Second // then another endpoint gets its chance
	pause     = 100 * time.Millisecond
)

// Dial connects with an etcd cluster at any of the endpoints, each host:port or
// a URL; earlier ones are preferred. It does not wait for an answer. tls may be nil
// for connections without TLS.
func Dial(endpoints []string, tls *tls.Config, opt Options) (Control, error) {
	opt = opt.withDefaults()
	if len(endpoints) == 0 {
		return nil, &InvalidError{"no endpoint of the control was given: expected host:port"}
	}
	// What the client warns of, one try that failed, is said here when all have.
	e := &etcd{overseer: overseer{down: map[uint64]time.Time{}}, tls: tls, log: zap.New(slogCore{to: opt.Log}, zap.IncreaseLevel(zap.ErrorLevel))}
	if err := e.add(endpoints...); err != nil {
		return nil, errors.Join(err, e.close())
	}
	g := newRegistry(e, opt)
	if opt.Discover {
		go e.discover(g.ctx)
	}
	if opt.Oversee {
		go e.oversee(g.ctx)
	}
	return g, nil
}

// scheme is that of endpoints which name none.
func (e *etcd) scheme() string {
	if e.tls != nil {
		return "https://"
	}
	return "http://"
}

// dial makes the connection of one endpoint. Each has its own, so that it is known
// which of them is silent.
func (e *etcd) dial(url string) (*clientv3.Client, error) {
	c, err := clientv3.New(clientv3.Config{
		Endpoints: []string{url}, TLS: e.tls, Logger: e.log,
		DialTimeout: firstDial, DialKeepAliveTime: silence, DialKeepAliveTimeout: noSign,
		MaxUnaryRetries: 1, // ask tries again, elsewhere
		DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: pause, Multiplier: 2, Jitter: 0.2, MaxDelay: firstDial},
			MinConnectTimeout: firstDial,
		})},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot connect with the control (%s): %w", url, err)
	}
	return c, nil
}

func (e *etcd) read(ctx context.Context, keys ...string) ([]record, int64, error) {
	gets := make([]clientv3.Op, len(keys))
	for i, k := range keys {
		gets[i] = clientv3.OpGet(k)
		if strings.HasSuffix(k, "/") {
			gets[i] = clientv3.OpGet(k, clientv3.WithPrefix())
		}
	}
	r, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.TxnResponse, error) {
		return c.Txn(ctx).Then(gets...).Commit()
	})
	if err != nil {
		return nil, 0, err
	}
	var out []record
	for _, part := range r.Responses {
		for _, kv := range part.GetResponseRange().Kvs {
			out = append(out, record{string(kv.Key), kv.Value, kv.CreateRevision, kv.ModRevision})
		}
	}
	return out, r.Header.Revision, nil
}

func (e *etcd) commit(ctx context.Context, when []condition, then []change) (bool, int64, error) {
	ifs := make([]clientv3.Cmp, len(when))
	for i, c := range when {
		ifs[i] = clientv3.Compare(clientv3.ModRevision(c.key), "=", c.revision)
		if c.created {
			ifs[i] = clientv3.Compare(clientv3.CreateRevision(c.key), "=", c.revision)
		}
	}
	ops := make([]clientv3.Op, len(then))
	for i, c := range then {
		ops[i] = clientv3.OpPut(c.key, string(c.value), clientv3.WithLease(clientv3.LeaseID(c.lease)))
		if c.value == nil {
			ops[i] = clientv3.OpDelete(c.key)
		}
	}
	r, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.TxnResponse, error) {
		return c.Txn(ctx).If(ifs...).Then(ops...).Commit()
	})
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return false, 0, errNoLease
	}
	if err != nil {
		return false, 0, err
	}
	return r.Succeeded, r.Header.Revision, nil
}

// weighAgain is how long the size of the database is taken to be as it was.
const weighAgain = time.Second

func (e *etcd) size(ctx context.Context) (used, quota int64, err error) {
	e.mu.Lock()
	r, at := e.weight, e.weighed
	e.mu.Unlock()
	if r == nil || time.Since(at) > weighAgain {
		r, err = ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.StatusResponse, error) {
			at := "" // in this process
			if all := c.Endpoints(); len(all) > 0 {
				at = all[0]
			}
			return c.Status(ctx, at)
		})
		if err != nil {
			return 0, 0, err
		}
		e.mu.Lock()
		e.weight, e.weighed = r, time.Now()
		e.mu.Unlock()
	}
	return r.DbSize, r.DbSizeQuota, nil
}

func (e *etcd) grant(ctx context.Context, ttl time.Duration) (int64, error) {
	r, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.LeaseGrantResponse, error) {
		return c.Grant(ctx, int64(ttl/time.Second))
	})
	if err != nil {
		return 0, err
	}
	return int64(r.ID), nil
}

func (e *etcd) revoke(ctx context.Context, lease int64) error {
	_, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.LeaseRevokeResponse, error) {
		return c.Revoke(ctx, clientv3.LeaseID(lease))
	})
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return nil
	}
	return err
}
