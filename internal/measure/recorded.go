package measure

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// recorded is a parcel that a call has sent.
type recorded struct {
	head    parcel.Header
	bytes   []byte
	states  int
	answer  [][]byte // the columns of the answer
	refused bool     // the node says no
}

// recorder is a client whose parcels are seen. What comes in are calls, what goes out the parcels that they send.
type recorder struct {
	c *cluster.Cluster

	cached, preinstalled, many, refused *recorded
	times                               []time.Duration // of kernels never seen

	mu        sync.Mutex
	addresses map[catalog.Peer]string
	node      catalog.Peer
	walk      []byte    // the last request
	answer    [][]byte  // the columns of the last answer
	began     time.Time // when the first parcel since then was sent
	took      time.Duration
}

// record loads the table and records what calls send.
func (f *fleet) record(ctx context.Context) (*recorder, error) {
	next := make([]int64, incrementRows)
	for i := range next {
		next[i] = (int64(i) + 1) % incrementRows
	}
	if _, err := f.c.Load(ctx, data.FromSlice(next), "next", cluster.LoadOptions{Shards: 2, By: "rows", Replicas: 1}); err != nil { // states go to the owner of a shard; of a set in one shard the launch as a whole would
		return nil, err
	}
	r := &recorder{}
	var err error
	if r.c, err = site.Connect(ctx, f.dir, site.Options{Through: r.through}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.c.Close())
		}
	}()
	for _, k := range []struct {
		as **recorded
		n  int
	}{{&r.cached, 1}, {&r.many, manyIncrements}} {
		for range 2 { // the second one sends no code
			if *k.as, err = r.call(ctx, 1<<11, k.n); err != nil {
				return nil, err
			}
		}
		if (*k.as).head.Flags&parcel.Carries != 0 {
			return nil, errors.New("a call sent its kernel again")
		}
	}
	if r.preinstalled, err = builtin(r.cached); err != nil {
		return nil, err
	}
	cut := *r.cached
	cut.bytes, cut.refused = cut.bytes[:len(cut.bytes)-1], true
	r.refused = &cut
	return r, nil
}

// builtin is the same for the function that is on every node: the chase, of one step.
func builtin(like *recorded) (*recorded, error) {
	_, _, payload, err := parcel.ReadHeader(like.bytes)
	if err != nil {
		return nil, err
	}
	var b parcel.Batch
	if err := parcel.ReadBatch(&b, payload); err != nil {
		return nil, err
	}
	one := binary.LittleEndian.AppendUint64(nil, 1)
	zero := make([]byte, 8)
	b.States, b.Keep, b.Faults = 1, 0b1110, nil
	b.Kinds = []byte{byte(num.I64), byte(num.I64), byte(num.I64), byte(num.I64)}
	b.Values = [][]byte{zero, zero, one, zero} // want, id, steps left, index
	h := like.head
	h.Flags, h.Code = parcel.Builtin, parcel.PrefixOf(daemon.Chase)
	return &recorded{head: h, bytes: b.Append(h.Append(nil, nil)), states: 1, answer: [][]byte{zero, zero, one}}, nil
}

// call calls the program with n starts and one step, and gives the parcel that it sent.
func (r *recorder) call(ctx context.Context, bound, n int) (*recorded, error) {
	fn, err := incrementer(bound)
	if err != nil {
		return nil, err
	}
	src, err := r.c.Open("next")
	if err != nil {
		return nil, err
	}
	b, err := fn.Bind(compile.Args{
		"next": compile.Table{Source: src}, "starts": compile.Table{Source: data.FromSlice(starts(n))}, "steps": compile.Text("1"),
	})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	p, err := b.Plan()
	if err != nil {
		return nil, err
	}
	time.Sleep(settling)
	r.mu.Lock()
	r.walk, r.began = nil, time.Time{}
	r.mu.Unlock()
	res, err := run.Run(ctx, p.Schedule, p.Inputs, run.Options{Beside: r.c.Beside(cluster.Ship)})
	if err != nil {
		return nil, err
	}
	v := &value.Value{Columns: res.Columns}
	if err := incremented(&v.Columns[0], n); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.walk == nil {
		return nil, errors.New("the call did not send its states to the node")
	}
	h, _, _, err := parcel.ReadHeader(r.walk)
	return &recorded{head: h, bytes: r.walk, states: n, answer: r.answer}, err
}

// fresh is how long a call of a program takes that the node has not seen, from its first parcel to its answer.
func (r *recorder) fresh(ctx context.Context, i int) (time.Duration, error) {
	k, err := r.call(ctx, 1+i, 1)
	if err != nil {
		return 0, err
	}
	if k.head.Code == r.cached.head.Code {
		return 0, errors.New("another program has the same kernel")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.took, nil
}

// through has a look at what goes to the transport and what comes from it.
func (r *recorder) through(h transport.Handler, dial func(transport.Handler) (transport.Transport, error)) (transport.Transport, error) {
	t, err := dial(&watchedHandler{h, r})
	if err != nil {
		return nil, err
	}
	return &watchedTransport{t, r}, nil
}

type watchedTransport struct {
	transport.Transport
	r *recorder
}

func (t *watchedTransport) Know(addresses map[catalog.Peer]string) {
	t.r.mu.Lock()
	t.r.addresses = maps.Clone(addresses)
	t.r.mu.Unlock()
	t.Transport.Know(addresses)
}

func (t *watchedTransport) Send(to catalog.Peer, b []byte) error {
	if h, _, _, err := parcel.ReadHeader(b); err == nil {
		t.r.mu.Lock()
		if t.r.began.IsZero() {
			t.r.began = time.Now()
		}
		if h.Kind == parcel.Walk {
			t.r.node, t.r.walk = to, slices.Clone(b)
		}
		t.r.mu.Unlock()
	}
	return t.Transport.Send(to, b)
}

type watchedHandler struct {
	transport.Handler
	r *recorder
}

func (h *watchedHandler) Receive(from catalog.Peer, b []byte) {
	if head, _, payload, err := parcel.ReadHeader(b); err == nil && head.Kind == parcel.Result {
		h.r.mu.Lock()
		h.r.took = time.Since(h.r.began)
		if a, err := parcel.ReadAnswer(slices.Clone(payload)); err == nil {
			h.r.answer = a.Columns
		}
		h.r.mu.Unlock()
	}
	h.Handler.Receive(from, b)
}

// String says what was recorded, for errors.
func (k *recorded) String() string {
	return fmt.Sprintf("a parcel of %d states in %d bytes", k.states, len(k.bytes))
}
