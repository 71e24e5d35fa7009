package cluster

import (
	"context"
	"fmt"
	"math"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/suspend"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/run"
)

// In: states of a walk, and the nodes that hold the rows which they follow. Out: the states at their ends. They stay here; in
// each round every state is brought the row that it wants, all those of a shard in one parcel, and goes on until it
// wants another. Invariant: a state sees the same elements as where it moves from node to node.

// roundTurns is how many turns a state may take without another row; a walk that takes more goes on in the next round.
const roundTurns = 1 << 20

// broughtMost is how many bytes of rows are brought at a time, for all states together.
const broughtMost = 32 << 20

// broughtBytes is what a state is brought in a round.
func (w *walking) broughtBytes() (n int64) {
	for _, r := range w.batch.Far {
		n += w.rowSize(r)
	}
	return n
}

// together is how many states are brought their rows at a time.
func (w *walking) together() int64 {
	return max(1, min(maxStates, broughtMost/max(1, w.broughtBytes())))
}

// rounds are states under way.
type rounds struct {
	*walking
	b       *Beside
	c       *engine.Compiled // the form for rounds
	columns [][]byte         // of the states
	rows    [][]byte         // by far region: of each state the row that it wants
	faults  []int64
	any     bool // rows have been brought
}

// gather walks the states lo..hi to their ends.
func (b *Beside) gather(ctx context.Context, w *walking, lo, hi int64) error {
	states, err := w.start(lo, hi)
	if err != nil {
		return err
	}
	k, err := w.batch.inRounds(w.Compiled.Kernel, w.far)
	if err != nil {
		return err
	}
	c, err := w.Hold(k)
	if err != nil {
		return err
	}
	defer c.Release()
	r := &rounds{walking: w, b: b, c: c, columns: states, faults: make([]int64, w.Compiled.Kernel.Sites)}
	for i := range r.faults {
		r.faults[i] = math.MaxInt64
	}
	for _, region := range w.batch.Far {
		r.rows = append(r.rows, make([]byte, (hi-lo)*w.rowSize(region)))
	}
	for {
		if err := r.advance(hi - lo); err != nil {
			return err
		}
		wanted, err := r.wanted()
		if err != nil {
			return err
		}
		if wanted == nil {
			break
		}
		if err := r.bring(ctx, wanted); err != nil {
			return err
		}
	}
	if err := w.deliver(r.columns); err != nil {
		return err
	}
	return w.Faults(r.faults)
}

// rowSize is the number of bytes of a row of a far region.
func (w *walking) rowSize(region int) int64 {
	return max(1, w.column[region].Width) * int64(w.column[region].Kind.Size())
}

// advance has all n states go on with the rows that they have.
func (r *rounds) advance(n int64) error {
	k := r.c.Kernel
	p := &run.Piece{Kernel: r.c, Hi: n, Sizes: suspend.Sizes(r.Sizes, n, 0, roundTurns), Scalars: suspend.Scalars(r.Scalars, 0), Operands: make([]run.Operand, len(k.Regions))}
	if r.any {
		p.Sizes = suspend.Sizes(r.Sizes, n, 1, roundTurns)
	}
	for i, c := range r.columns {
		p.Operands[i] = run.InOut{Bytes: c}
	}
	at := len(r.columns)
	for _, inline := range [][][]byte{r.rows, r.form.Near} {
		for _, b := range inline {
			p.Operands[at] = run.Inline{Bytes: b}
			at++
		}
	}
	outs, faults, err := r.Piece(p)
	if err != nil {
		return err
	}
	r.columns = outs
	for i, place := range faults {
		r.faults[i] = min(r.faults[i], place)
	}
	return nil
}

// wanted lists by shard the states that are not done; nil if there are none.
func (r *rounds) wanted() (wanted map[int][]int64, err error) {
	for i := range int64(len(r.columns[0]) / num.I64.Size()) {
		row := suspend.Want(r.columns, i)
		switch {
		case row < 0:
			continue
		case row >= r.set.Rows:
			return nil, fmt.Errorf("step `%s`: a walk came to row %d of @%s, which has %d", r.Launch.Label, row, r.set.Name, r.set.Rows)
		case wanted == nil:
			wanted = map[int][]int64{}
		}
		shard := r.set.ShardOf(row)
		wanted[shard] = append(wanted[shard], i)
	}
	return wanted, nil
}

// brought is an answer with the rows of some states.
type brought struct {
	far    int // which far region
	states []int64
	bytes  []byte
	err    error
}

// bring fetches the row that each state wants.
func (r *rounds) bring(ctx context.Context, wanted map[int][]int64) error {
	ctx, done := r.b.c.during(ctx)
	defer done()
	var asked []func(chan<- brought)
	for shard, states := range wanted {
		for far := range r.batch.Far {
			for _, some := range r.cut(far, states) {
				asked = append(asked, func(arrived chan<- brought) { r.ask(ctx, shard, far, some, arrived) })
			}
		}
	}
	arrived := make(chan brought, len(asked))
	for _, ask := range asked {
		ask(arrived)
	}
	for range asked {
		got, ok := receive(ctx, arrived)
		if !ok {
			return context.Cause(ctx)
		}
		if err := r.put(got); err != nil {
			return err
		}
	}
	r.any = true
	return nil
}

// cut cuts states so that the answer with their rows of a far region is no longer than what is fetched at a time.
func (r *rounds) cut(far int, states []int64) (list [][]int64) {
	most := int(max(1, chunkBytes/r.rowSize(r.batch.Far[far])))
	for len(states) > most {
		list, states = append(list, states[:most]), states[most:]
	}
	return append(list, states)
}

// ask asks the owner of a shard for the rows that some states want; arrived has room for the answer.
func (r *rounds) ask(ctx context.Context, shard, far int, states []int64, arrived chan<- brought) {
	rows := make([]int64, len(states))
	for i, s := range states {
		rows[i] = suspend.Want(r.columns, s)
	}
	col := r.column[r.batch.Far[far]].Binding.Column
	r.b.c.Elements(ctx, r.set, shard, col, rows, func(b []byte, err error) { arrived <- brought{far, states, b, err} })
}

// put gives states the rows that have arrived.
func (r *rounds) put(got brought) error {
	if got.err != nil {
		return got.err
	}
	region := r.batch.Far[got.far]
	size, in := r.rowSize(region), r.column[region]
	if int64(len(got.bytes)) != size*int64(len(got.states)) {
		return fmt.Errorf("step `%s`: %d rows of %d bytes were asked for, %d bytes came back", r.Launch.Label, len(got.states), size, len(got.bytes))
	}
	each := size / int64(in.Kind.Size())
	for i, s := range got.states {
		row := got.bytes[int64(i)*size:][:size]
		for j := range each {
			if x := column.Get(in.Kind, row, j); in.Bound > 0 && x >= uint64(in.Bound) {
				return &data.Error{Path: "@" + r.set.Name, Row: suspend.Want(r.columns, s), Column: r.set.Columns[in.Binding.Column].Name,
					Msg: fmt.Sprintf("expected an index below %d, found %s", in.Bound, column.Text(in.Kind, x))}
			}
		}
		copy(r.rows[got.far][s*size:], row)
	}
	r.b.mu.Lock()
	r.b.stats.Parcels += 2
	r.b.stats.Bytes += int64(len(got.bytes)) + 8*int64(len(got.states))
	r.b.mu.Unlock()
	return nil
}

// inRounds is the kernel of the form for rounds, or why there is none.
func (b *batch) inRounds(k *kernel.Kernel, far suspend.Widths) (*verify.Safe, error) {
	b.once.Do(func() {
		s, err := suspend.MakeRounds(k, far)
		if b.roundsErr = err; err == nil {
			b.rounds, b.roundsErr = verify.Check(s.Kernel)
		}
	})
	return b.rounds, b.roundsErr
}
