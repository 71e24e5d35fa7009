package simulate

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/repair"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
)

// mending is a node's part in making lost replicas again: the plan and the caller that
// production runs, too.
type mending struct {
	h    *host
	life int
	plan *repair.Plan
	core *caller.Core
	next caller.ID
	then map[caller.ID]func(*parcel.Answer, error)
	wake int64
}

// mendAfter is how long a replica is missing before it is made again.
const mendAfter = second

// firstAsked is the least number of a node's own requests.
const firstAsked = 1 << 63

func (h *host) mend() {
	m := &mending{h: h, life: h.life, then: map[caller.ID]func(*parcel.Answer, error){}}
	m.plan = repair.New(h.peer, repair.Options{After: mendAfter, Surplus: 3 * mendAfter}, h.disk.known)
	m.core = caller.New(h.peer, caller.Options{First: firstAsked + uint64(h.life)<<32, Retry: second / 4, Patience: second})
	h.mending = m
	m.look()
}

func (m *mending) over() bool { return m.h.life != m.life || m.h.core == nil }

// look does what is due, every so often.
func (m *mending) look() {
	w := m.h.w
	if m.over() || w.ended() {
		return
	}
	var held []repair.Name
	for _, n := range inOrder(m.h.disk.replicas) {
		held = append(held, repair.Name{Set: n.set, Shard: n.shard})
	}
	list, _ := m.plan.Due(w.now, held)
	m.h.disk.known = m.plan.Known()
	for _, a := range list {
		switch a := a.(type) {
		case *repair.Publish:
			m.h.say(name{a.Set, a.Shard}, true)
		case *repair.Retract:
			m.h.say(name{a.Set, a.Shard}, false)
		case *repair.Drop:
			w.counts.Surplus++
			m.drop(name{a.Set, a.Shard}, a.Why)
		case *repair.Copy:
			if w.hooks.idle {
				continue
			}
			m.copy(a.Name, nil)
		}
	}
	w.after(second/5, m.look)
}

func (m *mending) drop(n name, why string) {
	h := m.h
	h.w.note("%s drops shard %d of set %d: %s", h.name, n.shard, n.set, why)
	delete(h.disk.replicas, n)
	h.spoil(n)
	h.say(n, false)
	h.step(&node.Lacks{Set: n.set, Shard: n.shard, Why: why})
}

// copy asks for the part of a shard that comes next.
func (m *mending) copy(n repair.Name, have []byte) {
	w := m.h.w
	t := w.tables[n.Set-1]
	s := &t.set.Shards[n.Shard]
	if int64(len(have)) >= s.Bytes {
		m.plan.Ended(w.now, n, m.seal(n, have))
		return
	}
	p := parcel.Part{Set: n.Set, Shard: uint32(n.Shard), Offset: int64(len(have)), Sum: s.Sum}
	p.Count = min(s.Bytes-p.Offset, s.Bytes/2+1)
	m.next++
	m.then[m.next] = func(a *parcel.Answer, err error) {
		if err == nil && (len(a.Columns) != 1 || int64(len(a.Columns[0])) != p.Count) {
			err = errors.New("another answer came")
		}
		if err != nil {
			m.plan.Ended(w.now, n, err)
			return
		}
		m.copy(n, append(have[:len(have):len(have)], a.Columns[0]...))
	}
	m.step(&caller.Ask{ID: m.next, Kind: parcel.Copy, Set: n.Set, Shard: n.Shard, Payload: p.Append(nil), Left: 5 * second})
}

// seal compares the whole with its sum and says that it is here.
func (m *mending) seal(n repair.Name, file []byte) error {
	h, w := m.h, m.h.w
	if sha256.Sum256(file) != w.tables[n.Set-1].set.Shards[n.Shard].Sum {
		w.fail("%s has copied another file than shard %d of set %d", h.name, n.Shard, n.Set)
		return fmt.Errorf("it is damaged")
	}
	w.counts.Repairs++
	w.note("%s has made shard %d of set %d again", h.name, n.Shard, n.Set)
	at := name{n.Set, n.Shard}
	h.give(at)
	h.step(&node.Holds{Set: n.Set, Shard: n.Shard})
	h.say(at, true)
	return nil
}

// takes reports whether a delivery was an answer to this node's own request.
func (m *mending) takes(d *memnet.Delivery) bool {
	p, err := parcel.Decode(d.Bytes)
	if err != nil || p.Caller != m.h.peer || p.Request < firstAsked || p.Kind != parcel.Result && p.Kind != parcel.Fail {
		return false
	}
	m.step(&caller.Received{From: d.From, Bytes: d.Bytes})
	return true
}

func (m *mending) step(in caller.Input) {
	w := m.h.w
	effects := append([]caller.Effect(nil), m.core.Step(w.now, in)...)
	if at, ok := m.core.Next(); ok && (m.wake <= w.now || at < m.wake) {
		m.wake = max(at, w.now+1)
		w.after(m.wake-w.now, func() {
			if !m.over() {
				m.step(&caller.Tick{})
			}
		})
	}
	for _, e := range effects {
		switch e := e.(type) {
		case *caller.Send:
			if e.To == m.h.peer {
				m.step(&caller.Gone{Peer: e.To})
				continue
			}
			w.observe(m.h.name, e.To, e.Bytes)
			w.send(m.h.peer, e.To, e.Bytes)
		case *caller.Deliver:
			then := m.then[e.ID]
			delete(m.then, e.ID)
			then(e.Answer, e.Err)
		}
	}
}

// mended looks whether, in the end, each shard has as many good replicas as it can have.
func (w *world) mended() error {
	for _, t := range w.tables {
		for i := range t.set.Shards {
			good, live := 0, 0
			for _, h := range w.hosts {
				if h.core == nil {
					continue
				}
				live++
				if r := h.disk.replicas[name{t.set.ID, i}]; r != nil && !r.damaged {
					good++
				}
			}
			if want := min(len(t.set.Shards[i].Assigned), live); good > 0 && good < want {
				return fmt.Errorf("shard %d of %s has %d good replicas on live nodes in the end, it could have %d", i, t.set.Name, good, want)
			}
		}
	}
	return nil
}
