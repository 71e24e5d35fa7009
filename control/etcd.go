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
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The times at which a client gives up on a connection that has become silent.
const (
	silence   = 5 * time.Second // then it is asked for a sign of life
	noSign    = 2 * time.Second // then it is given up
	firstDial = 2 * time.Second
	oneTry    = 2 * time.Second // then another endpoint gets its chance
	pause     = 100 * time.Millisecond
)

// Dial connects with an etcd cluster at any of the endpoints, each host:port or
// a URL. It does not wait for an answer. tls may be nil for connections without
// TLS.
func Dial(endpoints []string, tls *tls.Config, opt Options) (Control, error) {
	opt = opt.withDefaults()
	if len(endpoints) == 0 {
		return nil, &InvalidError{"no endpoint of the control was given: expected host:port"}
	}
	scheme := "http://"
	if tls != nil {
		scheme = "https://"
	}
	urls := make([]string, len(endpoints))
	for i, e := range endpoints {
		urls[i] = e
		if !strings.Contains(e, "://") {
			urls[i] = scheme + e
		}
	}
	c, err := clientv3.New(clientv3.Config{
		Endpoints: urls, TLS: tls, Logger: zap.New(slogCore{opt.Log}),
		DialTimeout: firstDial, DialKeepAliveTime: silence, DialKeepAliveTimeout: noSign,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot connect with the control (%s): %w", strings.Join(urls, ", "), err)
	}
	return newRegistry(&etcd{c, strings.Join(urls, ", ")}, opt), nil
}

// etcd is records in etcd.
type etcd struct {
	c  *clientv3.Client
	at string
}

func (e *etcd) where() string { return e.at }
func (e *etcd) close() error  { return e.c.Close() }

// patiently tries again while there is time and the control has no leader or a
// connection is silent. What was tried may have been done nevertheless:
// callers see that as somebody's change and look again.
func patiently[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	for {
		try, cancel := context.WithTimeout(ctx, oneTry)
		v, err := call(try)
		cancel()
		code := status.Code(err)
		var own rpctypes.EtcdError
		if errors.As(err, &own) {
			code = own.Code()
		}
		if code != codes.Unavailable && code != codes.DeadlineExceeded && !errors.Is(err, context.DeadlineExceeded) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, fmt.Errorf("%w (%w)", ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

func (e *etcd) read(ctx context.Context, keys ...string) ([]record, int64, error) {
	gets := make([]clientv3.Op, len(keys))
	for i, k := range keys {
		gets[i] = clientv3.OpGet(k)
		if strings.HasSuffix(k, "/") {
			gets[i] = clientv3.OpGet(k, clientv3.WithPrefix())
		}
	}
	r, err := patiently(ctx, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return e.c.Txn(ctx).Then(gets...).Commit()
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
	r, err := patiently(ctx, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return e.c.Txn(ctx).If(ifs...).Then(ops...).Commit()
	})
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return false, 0, errNoLease
	}
	if err != nil {
		return false, 0, err
	}
	return r.Succeeded, r.Header.Revision, nil
}

func (e *etcd) grant(ctx context.Context, ttl time.Duration) (int64, error) {
	r, err := patiently(ctx, func(ctx context.Context) (*clientv3.LeaseGrantResponse, error) {
		return e.c.Grant(ctx, int64(ttl/time.Second))
	})
	if err != nil {
		return 0, err
	}
	return int64(r.ID), nil
}

func (e *etcd) revoke(ctx context.Context, lease int64) error {
	_, err := patiently(ctx, func(ctx context.Context) (*clientv3.LeaseRevokeResponse, error) {
		return e.c.Revoke(ctx, clientv3.LeaseID(lease))
	})
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return nil
	}
	return err
}

// keep relies on the client, which renews at a third of the time to live, and
// closes its channel when it had no answer for that time.
func (e *etcd) keep(ctx context.Context, lease int64) (<-chan struct{}, error) {
	renewed, err := e.c.KeepAlive(ctx, clientv3.LeaseID(lease))
	if err != nil {
		return nil, err
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for range renewed {
		}
	}()
	return over, nil
}

func (e *etcd) watch(ctx context.Context, prefix string, after int64) log {
	ctx = clientv3.WithRequireLeader(ctx)
	return &etcdLog{e.c.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(after+1))}
}

type etcdLog struct{ from clientv3.WatchChan }

func (l *etcdLog) next(ctx context.Context) ([]record, int64, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case r, ok := <-l.from:
			if !ok {
				return nil, 0, errors.New("the watch ended")
			}
			if r.CompactRevision != 0 {
				return nil, 0, errBehind
			}
			if err := r.Err(); err != nil {
				return nil, 0, err
			}
			if out := changesOf(r.Events); len(out) > 0 {
				return out, r.Header.Revision, nil
			}
		}
	}
}

func changesOf(events []*clientv3.Event) []record {
	var out []record
	for _, ev := range events {
		r := record{key: string(ev.Kv.Key), created: ev.Kv.CreateRevision, modified: ev.Kv.ModRevision}
		if ev.Type == clientv3.EventTypePut {
			r.value = ev.Kv.Value
		}
		out = append(out, r)
	}
	return out
}
