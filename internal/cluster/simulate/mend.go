package simulate

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/repair"
)

// mending is a node's part in making lost replicas again: the plan and the caller that
// production runs, too.
type mending struct {
	h    *host
	life int
	plan *repair.Plan
	core *caller.Core
	ask  drive.Own
}

// mendAfter is how long a replica is missing before it is made again.
const mendAfter = second

func (h *host) mend() {
	m := &mending{h: h, life: h.life}
	m.plan = repair.New(h.peer, repair.Options{After: mendAfter, Surplus: 3 * mendAfter}, h.disk.known)
	m.core = caller.New(h.peer, caller.Options{First: drive.FirstOwn + uint64(h.life)<<32, Retry: second / 4, Patience: second})
	m.ask.Self = h.peer
	m.ask.Driver = h.w.driver(h.peer, h.name, &alarmed{Core: m.core, w: h.w, tick: func() {
		if !m.over() {
			m.ask.Step(&caller.Tick{})
		}
	}}, m.ask.CarryOut)
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
	m.ask.Begin(func(d *caller.Deliver) {
		a, err := d.Answer, d.Err
		if err == nil && (len(a.Columns) != 1 || int64(len(a.Columns[0])) != p.Count) {
			err = errors.New("another answer came")
		}
		if err != nil {
			m.plan.Ended(w.now, n, err)
			return
		}
		m.copy(n, append(have[:len(have):len(have)], a.Columns[0]...))
	}, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Copy, Set: n.Set, Shard: n.Shard, Payload: p.Append(nil), Left: 5 * second}
	})
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
