package caller

import (
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// walking is a Walk in hand.
type walking struct {
	c      *Core
	batch  *parcel.Batch // as it came: where states start from
	states states
	rows   []row // of batch

	missing int
	owners  map[int]catalog.Peer // of shards, as they were last asked
	fates   []fate               // by rank
	held    []held

	restart int64 // when to start again unless there is progress
	starts  int   // again, since the last progress
	answer  walkAnswer
}

// fate is how it goes with a state.
type fate struct {
	done  bool
	held  bool         // it waits in walking.held
	spent int          // hop budgets since its last start
	at    catalog.Peer // whom it was last sent to
}

// held is a batch of states that were given back and go on at a later time.
type held struct {
	due   int64
	late  bool // what stopped them may last
	batch *parcel.Batch
	rows  []row
}

func (c *Core) walk(in *Walk) {
	op := &operation{id: in.ID, kind: parcel.Walk, flags: in.Flags, codes: []Code{in.Code}}
	op.work = &walking{c: c, batch: in.Batch, owners: map[int]catalog.Peer{}}
	c.begin(op, in.Left)
}

func (w *walking) begin(op *operation) {
	if err := w.prepare(); err != nil {
		w.c.end(op, w.c.refuse(err.Error()))
		return
	}
	if w.missing == 0 {
		w.c.deliver(op, w.answer.whole())
		return
	}
	w.c.depart(op)
	w.wait(op)
	w.send(op, w.batch, w.rows)
}

// prepare checks the batch and makes room for the answer, into which states go
// that are done from the start.
func (w *walking) prepare() (err error) {
	b := w.batch
	if w.states, err = newStates(b); err != nil {
		return err
	}
	if w.rows, err = w.states.rows(b.Values[columnID]); err != nil {
		return err
	}
	w.missing, w.fates = b.States, make([]fate, b.States)
	w.answer = newWalkAnswer(&w.states, b.Keep)
	w.answer.mergeFaults(b.Faults)
	for _, r := range w.rows {
		if b.Want(r.at) == -1 {
			w.take(r, w.answer.keep(b.Values))
		}
	}
	return nil
}

// take notes that a state is done, with the columns kept.
func (w *walking) take(r row, columns [][]byte) {
	if f := &w.fates[r.rank]; !f.done {
		f.done = true
		w.missing--
		w.answer.put(r, columns)
	}
}

// wait begins to wait for progress.
func (w *walking) wait(op *operation) {
	w.restart = w.c.now + w.c.patience(w.starts)
	w.schedule(op)
}

// schedule sets the timer by what comes first.
func (w *walking) schedule(op *operation) {
	at := w.restart
	for i := range w.held {
		at = min(at, w.held[i].due)
	}
	w.c.wakeAt(op, at)
}

// due sends on the states whose time has come; without progress for long, it
// starts all others again.
func (w *walking) due(op *operation) {
	if w.restart <= w.c.now && !w.again(op) {
		return
	}
	waiting, late := w.held, false
	w.held = nil
	for _, h := range waiting {
		if h.due > w.c.now {
			w.held = append(w.held, h)
			continue
		}
		late = late || h.late
		for _, r := range h.rows {
			w.fates[r.rank].held = false
		}
		if !w.send(op, h.batch, h.rows) {
			return
		}
	}
	if late {
		op.tries++
	}
	w.schedule(op)
}

// again sends all states that are neither done nor held from their start,
// under a new number. What is under way under the old ones is recalled, or states would
// multiply; results that were sent before that still count. Like send, it reports whether the operation goes on.
func (w *walking) again(op *operation) bool {
	w.starts++
	w.restart = w.c.now + w.c.patience(w.starts)
	var rows []row
	for _, r := range w.rows {
		if f := &w.fates[r.rank]; !f.done && !f.held {
			rows = append(rows, r)
			f.spent = 0
		}
	}
	if len(rows) == 0 {
		return true
	}
	op.tries++
	op.stats.Retries++
	w.c.recall(op)
	w.c.depart(op)
	return w.send(op, w.batch, rows)
}

// send groups states by the owner of what they want, and sends each group. It
// reports whether the operation goes on.
func (w *walking) send(op *operation, b *parcel.Batch, rows []row) bool {
	groups, without, err := w.group(op, b, rows)
	if err != nil {
		w.c.end(op, err)
		return false
	}
	w.await(op, b, without)
	for _, g := range groups {
		for _, part := range w.states.cut(g.rows) {
			if !w.c.post(op, g.to, pick(b, part)) {
				return false
			}
		}
		for _, r := range g.rows {
			w.fates[r.rank].at = g.to
		}
	}
	return true
}

// group is states for one peer.
type group struct {
	to   catalog.Peer
	rows []row
}

// await holds states that want a shard of which no replica can be asked at present.
func (w *walking) await(op *operation, b *parcel.Batch, rows []row) {
	if len(rows) == 0 {
		return
	}
	op.tries++
	for _, r := range rows {
		w.fates[r.rank].held = true
	}
	w.held = append(w.held, held{due: w.c.now + w.c.backoff(op), late: true, batch: b, rows: rows})
	w.schedule(op)
}

// group parts states that are not done by owner, and gives those without one that are to
// wait for it. Groups ascend by peer.
func (w *walking) group(op *operation, b *parcel.Batch, rows []row) (groups []group, without []row, failed *Error) {
	set, err := w.c.setOf(b.Set)
	if err != nil {
		return nil, nil, err
	}
	owners := make([]catalog.Peer, len(set.Shards)) // of the shards met so far
	for _, r := range rows {
		if w.fates[r.rank].done {
			continue
		}
		want := b.Want(r.at)
		if want < 0 || want >= set.Rows {
			return nil, nil, w.c.refuse(fmt.Sprintf("state %d wants row %d of `%s`, which has %d rows", w.states.ids[r.rank], want, set.Name, set.Rows))
		}
		shard := set.ShardOf(want)
		if owners[shard] == 0 {
			if owners[shard] = w.c.choose(set, shard, w.starts, op.tries); owners[shard] == 0 {
				if err := w.c.nobody(op, set, shard); err != nil {
					return nil, nil, err
				}
				without = append(without, r)
				continue
			}
			w.c.moved(op, w.owners[shard], owners[shard])
			w.owners[shard] = owners[shard]
		}
		groups = joinGroup(groups, owners[shard], r)
	}
	return groups, without, nil
}

func joinGroup(groups []group, to catalog.Peer, r row) []group {
	i, ok := slices.BinarySearchFunc(groups, to, func(g group, p catalog.Peer) int { return int(g.to) - int(p) })
	if !ok {
		groups = slices.Insert(groups, i, group{to: to})
	}
	groups[i].rows = append(groups[i].rows, r)
	return groups
}

func (w *walking) answered(op *operation, from catalog.Peer, _ uint64, a *parcel.Answer) {
	ids, err := w.answer.check(a)
	if err != nil {
		w.c.broken(op, from, "its answer does not fit the request: "+err.Error())
		return
	}
	rows, err := w.states.rows(ids)
	if err != nil {
		w.c.broken(op, from, err.Error())
		return
	}
	before := w.missing
	for _, r := range rows {
		w.take(r, a.Columns)
	}
	w.answer.merge(a)
	switch {
	case w.missing == 0:
		w.finish(op)
	case w.missing < before:
		op.tries, op.stuck, w.starts = 0, false, 0
		w.wait(op)
	}
}

// finish delivers the answer. If every state was sent once, no node works for
// the operation any more.
func (w *walking) finish(op *operation) {
	if len(op.trips) == 1 {
		op.trips[0].peers = nil
	}
	w.c.deliver(op, w.answer.whole())
}
