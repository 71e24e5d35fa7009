package caller

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// failed deals with what a node could not do. States of the current request
// that are given back go on from where they are; those of earlier ones have
// been sent again since. Without states it is not known which they are, so all start
// again.
func (w *walking) failed(op *operation, from catalog.Peer, request uint64, f *parcel.Failure) {
	if onTheWay(f) {
		op.involve(request, f.Node) // the states may be at work there
	}
	if request != op.request() && passing(f.Reason) {
		return
	}
	wait, err := w.mend(op, from, f)
	switch {
	case err != nil:
		w.c.end(op, err)
	case request != op.request():
	case f.States == nil:
		w.sooner(op, wait)
	default:
		w.hold(op, from, f, wait)
	}
}

// onTheWay reports whether a failure tells of a node that was lost and to which states had
// gone. It need not be needed again.
func onTheWay(f *parcel.Failure) bool {
	return f.Reason == parcel.Unreachable && f.States == nil && f.Shard < 0
}

// passing reports whether another attempt may do without what has gone wrong.
func passing(r parcel.Reason) bool {
	return slices.Contains([]parcel.Reason{parcel.Busy, parcel.Unreachable, parcel.NoShard, parcel.NoCode, parcel.Cancelled}, r)
}

// mend says after what time to go on after a failure, or how the operation
// ends.
func (w *walking) mend(op *operation, from catalog.Peer, f *parcel.Failure) (int64, *Error) {
	c := w.c
	switch f.Reason {
	case parcel.Busy:
		return max(int64(f.Retry)+c.jitter(op, int64(f.Retry)/2), c.backoff(op)), nil
	case parcel.Unreachable, parcel.NoShard, parcel.NoCode:
		if s, ok := c.shard(f); ok && f.Reason == parcel.NoShard && c.lacks(f.Node, s.ID, int(f.Shard)) {
			if c.choose(s, int(f.Shard), 0, 0) != 0 {
				return 0, nil
			}
			return c.backoff(op), c.nobody(op, s, int(f.Shard))
		}
		if onTheWay(f) {
			return c.backoff(op), nil
		}
		return c.backoff(op), c.wants(op, from, f) // NoShard: a node that lags behind the view
	case parcel.Cancelled: // the node lost sight of this caller for a moment
		return c.backoff(op), nil
	case parcel.HopsSpent:
		if f.States != nil {
			return 0, nil
		}
	}
	return 0, c.failure(f)
}

// sooner makes the walk start again after the given time at the latest.
func (w *walking) sooner(op *operation, wait int64) {
	w.restart = min(w.restart, w.c.now+wait)
	w.schedule(op)
}

// hold keeps states that were given back until they go on.
func (w *walking) hold(op *operation, from catalog.Peer, f *parcel.Failure, wait int64) {
	b := f.States
	if !bytes.Equal(b.Kinds, w.states.kinds) || b.Set != w.batch.Set {
		w.c.broken(op, from, "it gave back states of another shape")
		return
	}
	if err := w.states.fits(b.Values, b.States); err != nil {
		w.c.broken(op, from, "it gave back states that do not fit: "+err.Error())
		return
	}
	all, err := w.states.rows(b.Values[columnID])
	if err != nil {
		w.c.broken(op, from, err.Error())
		return
	}
	w.answer.mergeFaults(b.Faults)
	h := held{due: w.c.now + wait, late: f.Reason != parcel.HopsSpent, batch: w.resumed(b)}
	for _, r := range all {
		state := &w.fates[r.rank]
		if state.done || state.held {
			continue
		}
		if f.Reason == parcel.HopsSpent {
			if state.spent++; state.spent > w.c.opt.Budgets {
				w.c.end(op, w.c.failure(f))
				return
			}
		}
		state.held = true
		h.rows = append(h.rows, r)
	}
	if len(h.rows) > 0 {
		op.stats.Retries++
		w.held = append(w.held, h)
		w.due(op)
	}
}

// resumed is the walk's batch with the states of another, whose faults are
// noted already.
func (w *walking) resumed(b *parcel.Batch) *parcel.Batch {
	all := *w.batch
	all.States, all.Values = b.States, b.Values
	return &all
}

// lost starts the states again that a node may have had, which are unknown:
// states travel between nodes.
func (w *walking) lost(op *operation, p catalog.Peer) {
	set, err := w.c.setOf(w.batch.Set)
	if err != nil {
		w.c.end(op, err)
		return
	}
	held := func(set *catalog.Set) bool {
		return slices.ContainsFunc(set.Shards, func(s catalog.Shard) bool { return slices.Contains(s.Replicas, p) })
	}
	if held(set) {
		w.sooner(op, w.c.backoff(op))
	} else if w.c.before != nil { // a view tells it, which does not name its shards any more
		if set, ok := w.c.before.Set(w.batch.Set); ok && held(set) {
			w.sooner(op, w.c.backoff(op))
		}
	}
}

// learned sends states on that wait for a shard to be reachable.
func (w *walking) learned(op *operation) {
	if _, err := w.c.setOf(w.batch.Set); err != nil {
		w.c.end(op, err)
		return
	}
	for i := range w.held {
		if w.held[i].late {
			w.held[i].due = w.c.now
		}
	}
	w.due(op)
}

func (w *walking) expired(*operation) (catalog.Peer, string) {
	var at []catalog.Peer
	for _, f := range w.fates {
		if !f.done && f.at != 0 {
			at = insert(at, f.at)
		}
	}
	if len(at) == 0 {
		return 0, fmt.Sprintf("none of %d states were sent", len(w.states.ids))
	}
	names := make([]string, len(at))
	for i, p := range at {
		names[i] = w.c.name(p)
	}
	detail := fmt.Sprintf("%d of %d states are missing; they were last sent to %s", w.missing, len(w.states.ids), strings.Join(names, ", "))
	if len(at) == 1 {
		return at[0], detail
	}
	return 0, detail
}
