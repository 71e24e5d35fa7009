package control

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/raft/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// etcd is records in etcd. What is asked goes to one endpoint; when that is silent
// or cannot answer, to the next. So a member that hangs costs each call one try.
type etcd struct {
	tls *tls.Config
	log *zap.Logger

	mu   sync.Mutex
	each []*endpoint
	pref Preference[*endpoint]

	weight  *clientv3.StatusResponse // nil before anybody asked
	weighed time.Time

	overseer overseer
}

// endpoint is one member of etcd as its clients see it.
type endpoint struct {
	url string
	c   *clientv3.Client
}

// add makes endpoints known that are not yet.
func (e *etcd) add(endpoints ...string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, url := range endpoints {
		if !strings.Contains(url, "://") {
			url = e.scheme() + url
		}
		if slices.ContainsFunc(e.each, func(p *endpoint) bool { return p.url == url }) {
			continue
		}
		c, err := e.dial(url)
		if err != nil {
			return err
		}
		e.each = append(e.each, &endpoint{url: url, c: c})
	}
	return nil
}

func (e *etcd) where() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var urls []string
	for _, p := range e.each {
		urls = append(urls, p.url)
	}
	return strings.Join(urls, ", ")
}

func (e *etcd) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var errs []error
	for _, p := range e.each {
		if err := p.c.Close(); !errors.Is(err, context.Canceled) { // which a client in the member's process says
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// order is in which order to ask: first those that have not failed lately.
func (e *etcd) order() []*endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pref.Order(e.each)
}

// judge remembers whether an endpoint has answered.
func (e *etcd) judge(p *endpoint, answered bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pref.Judge(p, answered)
}

// ask tries one endpoint after the other while there is time, and they have no
// leader or are silent. What was tried may have been done nevertheless: callers see
// that as somebody's change and look again.
func ask[T any](ctx context.Context, e *etcd, call func(context.Context, *clientv3.Client) (T, error)) (v T, err error) {
	for patience := oneTry; ; patience *= 2 { // a busy machine needs more
		for _, p := range e.order() {
			try, cancel := context.WithTimeout(ctx, patience)
			v, err = call(try, p.c)
			cancel()
			if !silent(err) {
				e.judge(p, true)
				return v, err
			}
			if ctx.Err() != nil {
				return v, fmt.Errorf("%w (%w)", ctx.Err(), err)
			}
			e.judge(p, false)
		}
		select {
		case <-ctx.Done():
			return v, fmt.Errorf("%w (%w)", ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// silent reports whether an error only says that this endpoint gave no answer.
func silent(err error) bool {
	code := status.Code(err)
	var own rpctypes.EtcdError
	if errors.As(err, &own) {
		code = own.Code()
	}
	return code == codes.Unavailable || code == codes.DeadlineExceeded || errors.Is(err, context.DeadlineExceeded) || dropped(err)
}

// dropped reports that a member had no leader to give a change to: nothing was written, and nothing
// will be. etcd passes on the text of raft's error, without a code.
func dropped(err error) bool {
	return status.Code(err) == codes.Unknown && status.Convert(err).Message() == raft.ErrProposalDropped.Error()
}
