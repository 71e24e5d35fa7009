package control

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// How often a watched member is asked for a sign of life, and how long it may
// be silent before another one is watched.
const (
	probing = time.Second
	deaf    = 4 * time.Second
)

var errDeaf = errors.New("the member that was watched is silent")

// etcdLog watches one endpoint. It ends with an error when that is silent, and who reads
// everything anew comes to another one.
type etcdLog struct {
	e      *etcd
	p      *endpoint
	cancel context.CancelFunc
	ctx    context.Context
	opened chan clientv3.WatchChan
	from   clientv3.WatchChan
	live   atomic.Bool // the member has answered
	heard  time.Time
}

func (e *etcd) watch(ctx context.Context, prefix string, after int64) log {
	l := &etcdLog{e: e, p: e.order()[0], opened: make(chan clientv3.WatchChan, 1), heard: time.Now()}
	l.ctx, l.cancel = context.WithCancel(clientv3.WithRequireLeader(ctx))
	go func() { // Watch itself waits for an answer
		l.opened <- l.p.c.Watch(l.ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(after+1))
	}()
	return l
}

// next gives what has changed. An error ends the log.
func (l *etcdLog) next(ctx context.Context) (changes []record, revision int64, err error) {
	probe := time.NewTicker(probing)
	defer probe.Stop()
	for {
		select {
		case <-ctx.Done():
			l.cancel()
			return nil, 0, ctx.Err()
		case l.from = <-l.opened:
			l.live.Store(true)
			l.heard = time.Now()
		case <-probe.C:
			err = l.probe()
		case r, ok := <-l.from:
			changes, revision, err = l.take(r, ok)
		}
		if err != nil {
			l.cancel()
		}
		if err != nil || revision > 0 {
			return changes, revision, err
		}
	}
}

// probe asks for an answer, which comes over the watch.
func (l *etcdLog) probe() error {
	if time.Since(l.heard) > deaf {
		l.e.judge(l.p, false)
		return errDeaf
	}
	l.progress(l.ctx)
	return nil
}

func (l *etcdLog) progress(ctx context.Context) {
	if !l.live.Load() || ctx.Err() != nil {
		return
	}
	own, cancel := context.WithTimeout(l.ctx, probing/2) // of the watch: by it the stream is found
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	_ = l.p.c.RequestProgress(own) // if it cannot be asked, it is not heard either
}

func (l *etcdLog) take(r clientv3.WatchResponse, ok bool) ([]record, int64, error) {
	switch {
	case !ok:
		return nil, 0, errors.New("the watch ended")
	case r.CompactRevision != 0:
		return nil, 0, errBehind
	case r.Err() != nil:
		l.e.judge(l.p, false)
		return nil, 0, r.Err()
	}
	l.heard = time.Now()
	if n := len(r.Events); n > 0 { // the header may be ahead of them, when more are to come
		return changesOf(r.Events), r.Events[n-1].Kv.ModRevision, nil
	}
	if r.IsProgressNotify() {
		return nil, r.Header.Revision, nil
	}
	return nil, 0, nil
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
