package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
)

// enough nodes that have said that they cannot do it, and another one perhaps can.
const enough = 2

// ask sends a request to one node after the other until one has an answer.
func (c *Client) ask(ctx context.Context, what string, req *request) (*answer, error) {
	asked := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(c.ctx, stop)()
	if _, ok := ctx.Deadline(); !ok {
		limited, cancel := context.WithTimeout(ctx, c.opt.Timeout)
		defer cancel()
		ctx = limited
	}
	began := time.Now()
	t := &trying{c: c, req: req, began: began}
	for within := contact; ; within *= 2 { // a busy machine needs more
		order := c.pool.order()
		for i, n := range order {
			if a, err, final := t.try(ctx, n, share(ctx, within, len(order)-i)); final {
				return a, err
			}
		}
		if why := c.pool.refusal(); why != nil {
			return nil, why
		}
		if t.stale != nil { // no node has a better one
			return t.stale, nil
		}
		if t.unable != nil && !t.electing {
			return nil, t.unable
		}
		if time.Since(began) > refusing && c.pool.dead(began) {
			return nil, c.pool.unanswered(what, began, nil)
		}
		select {
		case <-ctx.Done():
			if t.unable != nil && asked.Err() == nil {
				return nil, t.unable
			}
			if why := context.Cause(asked); why != nil && time.Since(began) < contact { // nobody had the time to answer, which says nothing about nodes
				return nil, fmt.Errorf("cannot %s: no node had answered after %v: %w", what, time.Since(began).Round(time.Millisecond), why)
			}
			return nil, c.pool.unanswered(what, began, context.Cause(asked))
		case <-time.After(50 * time.Millisecond):
			c.pool.again()
		}
	}
}

// share is how long one of some nodes that are still to be asked may take, so that there is time to ask all of them: the first ones may be
// silent, and one behind them answer. It is enough for a node that is not.
func share(ctx context.Context, within time.Duration, nodes int) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(within, max(time.Until(end)/time.Duration(nodes), contact/8))
	}
	return within
}

// trying is one request with what has become of it so far.
type trying struct {
	c      *Client
	req    *request
	began  time.Time
	unable error // of a node that said so
	// electing says that unable is only that etcd did not answer, and that it did when the request
	// began or shortly before: its members may be choosing a leader.
	electing bool
	count    int     // of them
	stale    *answer // an old view
}

// try asks one node. The answer is final if asking another one would not change it.
func (t *trying) try(ctx context.Context, n *node, within time.Duration) (a *answer, err error, final bool) {
	a, err = t.c.once(ctx, n, t.req, within)
	switch {
	case ctx.Err() != nil && t.c.ctx.Err() != nil:
		return nil, errClosed, true
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, ctx.Err(), true
	case err != nil && ctx.Err() != nil:
		t.c.pool.tell(n, err)
		return nil, nil, false
	case err != nil:
		t.c.pool.judge(n, false)
		t.c.pool.tell(n, err)
		if status.Code(err) == codes.PermissionDenied {
			return nil, &RefusedError{status.Convert(err).Message()}, true
		}
		return nil, nil, false
	}
	t.c.pool.judge(n, true)
	if a.Err != nil {
		err = a.Err.err()
		if a.Err.Kind != elsewhere {
			return nil, err, true
		}
		t.count++
		t.unable = err
		t.req.doubt = true
		silent := time.Duration(a.Err.Silent) * time.Millisecond
		t.electing = silent > 0 && silent-time.Since(t.began) < doubtAfter
		return nil, err, t.req.Do != doRenew && t.count >= enough && !t.electing
	}
	if a.Age > 0 {
		t.count++
		t.stale = a
		return a, nil, t.count >= enough
	}
	return a, nil, true
}

// once asks one node.
func (c *Client) once(ctx context.Context, n *node, req *request, within time.Duration) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, within+callTime+contact)
	defer cancel()
	st, err := c.pool.open(ctx, n, &callStream, req, within)
	if err != nil {
		return nil, err
	}
	var b []byte
	if err := st.RecvMsg(&b); err != nil {
		req.doubt = true // it may have been done
		return nil, err
	}
	a := &answer{}
	return a, json.Unmarshal(b, a)
}

// Watch implements control.Control.
func (c *Client) Watch(ctx context.Context) (<-chan *catalog.View, error) {
	first := c.justNow() // the stream brings what is newer
	if first == nil {
		var err error
		if first, err = c.View(ctx); err != nil {
			return nil, err
		}
	}
	out := make(chan *catalog.View, 1)
	out <- first
	ctx, stop := context.WithCancel(ctx)
	context.AfterFunc(c.ctx, stop)
	w := &watching{c: c, out: out, last: first.Revision}
	go func() {
		defer stop()
		defer close(out)
		for ctx.Err() == nil {
			for _, n := range c.pool.order() {
				if err := w.follow(ctx, n); ctx.Err() == nil {
					c.opt.Log.Debug("another node is watched", "instead", n.Name, "why", err)
					c.pool.judge(n, false)
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return out, nil
}

// watching delivers views, each newer than the one before.
type watching struct {
	c    *Client
	out  chan *catalog.View
	last int64
}

// follow delivers what one node sends, until it is silent.
func (w *watching) follow(ctx context.Context, n *node) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	st, err := w.c.pool.open(ctx, n, &viewStream, &request{Do: doWatch}, contact)
	if err != nil {
		return err
	}
	silent := time.AfterFunc(deaf, func() { cancel(errSilent) })
	defer silent.Stop()
	for {
		var b []byte
		if err := st.RecvMsg(&b); err != nil {
			return err
		}
		silent.Reset(deaf)
		a := &answer{}
		if err := json.Unmarshal(b, a); err != nil {
			return err
		}
		if a.Err != nil {
			return a.Err.err()
		}
		if a.View != nil {
			v, err := a.decode()
			if err != nil {
				return err
			}
			w.deliver(w.c.learn(v))
		}
	}
}

// deliver passes a view on that is newer.
func (w *watching) deliver(v *catalog.View) {
	if v.Revision <= w.last {
		return
	}
	w.last = v.Revision
	control.Deliver(w.out, v)
}
