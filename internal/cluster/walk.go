package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan"
)

// maxStates is how many states travel as one operation.
const maxStates = 1 << 16

// walk runs a launch that follows indices through a data set as states which
// go where their data are.
func (b *Beside) walk(ctx context.Context, a *arranged) (bool, error) {
	e, err := a.entire()
	if err != nil {
		return false, err
	}
	s := b.c.codes.suspended(a.Compiled, a.far)
	if s.err != nil && e == nil {
		return b.stay(ctx, a.Placed, "@%s is fetched, since %v", a.set.Name, s.err)
	}
	w, err := s.walking(a)
	if err != nil {
		return false, err
	}
	way, why := b.strategy, ""
	if way == Auto || a.Forecast() {
		how, err := b.decide(ctx, a, e, w)
		if err != nil {
			return false, err
		}
		if why = ": " + how.String(); way == Auto {
			way = how.best
		}
	}
	advance, together := b.advance, int64(maxStates)
	switch {
	case way == Fetch:
		return b.stay(ctx, a.Placed, "@%s is fetched%s", a.set.Name, why)
	case way == Gather || way == Single:
		if w == nil {
			return b.stay(ctx, a.Placed, "@%s is fetched, since %v", a.set.Name, s.err)
		}
		if _, err := s.inRounds(a.Compiled.Kernel, a.far); err != nil {
			return b.stay(ctx, a.Placed, "@%s is fetched, since %v", a.set.Name, err)
		}
		advance, together = b.gather, w.together()
		if way == Single {
			together = 1
		}
		b.placed(a.Placed, Gather, "%d walks are brought their rows from the %d shards of @%s, %d at a time%s", w.count, len(a.set.Shards), a.set.Name, min(together, w.count), why)
	case e != nil:
		if err := a.contents(e.task); err != nil {
			return false, err
		}
		b.placed(a.Placed, Ship, "beside the one shard of @%s, as a whole%s", a.set.Name, why)
		return true, b.ran(a, func() error { return b.beside(ctx, a, e.task, e.spans) })
	default:
		b.placed(a.Placed, Ship, "%d states move among the %d shards of @%s%s", w.count, len(a.set.Shards), a.set.Name, why)
	}
	if w.decided == nil {
		w.decided = a.decided
	}
	if err := w.prepare(); err != nil {
		return false, err
	}
	return true, b.ran(w.arranged, func() error {
		return b.around(func() error {
			for lo := int64(0); lo < w.count; lo += together {
				if err := advance(ctx, w, lo, min(lo+together, w.count)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// walking is a launch in its suspendable form.
type walking struct {
	*arranged
	batch *batch
	form  parcel.Batch // all but the states
	count int64        // of states
}

// walking is the launch with its suspendable form; nil if it has none. What streams belongs to the states, and comes here.
func (s *batch) walking(a *arranged) (w *walking, err error) {
	if s.err != nil {
		return nil, nil
	}
	own := *a
	own.local, own.stored = append(slices.Clone(a.local), a.stored...), nil
	w = &walking{arranged: &own, batch: s}
	w.count, err = s.Count(w.Sizes)
	return w, err
}

// decide weighs the ways of a launch that comes to rows at random.
func (b *Beside) decide(ctx context.Context, a *arranged, e *entire, w *walking) (*weighed, error) {
	if e != nil {
		return b.weigh(ctx, a, func() *plan.Moving { return e.load(b.machine(), a, w) })
	}
	if err := w.shape(); err != nil {
		return nil, err
	}
	return b.weigh(ctx, w.arranged, func() *plan.Moving { return w.load(b.machine()) })
}

// shape says what states are made of, once.
func (w *walking) shape() error {
	if w.form.Kinds != nil {
		return nil
	}
	w.form = parcel.Batch{Set: w.set.ID, Sizes: w.Sizes, Scalars: w.Scalars}
	for _, r := range w.batch.Far {
		in := w.column[r]
		w.form.Columns = append(w.form.Columns, parcel.Far{Column: in.Binding.Column, Bound: in.Bound})
	}
	for _, c := range w.batch.Columns {
		w.form.Kinds = append(w.form.Kinds, byte(c.Kind))
	}
	if len(w.form.Kinds) > parcel.MaxKinds {
		return fmt.Errorf("step `%s`: a state of %d values is more than a batch can carry", w.Launch.Label, len(w.form.Kinds))
	}
	w.form.Keep = w.batch.Keep()
	return nil
}

// prepare says what states travel with, once.
func (w *walking) prepare() error {
	if err := w.shape(); err != nil || w.Forecast() || w.form.Near != nil {
		return err
	}
	for _, r := range w.batch.Near {
		b, err := w.Bytes(r)
		if err != nil {
			return err
		}
		w.form.Near = append(w.form.Near, b)
	}
	return nil
}

// travelling is the number of bytes of all states and of what goes with them.
func (w *walking) travelling() int64 {
	n := int64(0)
	for _, k := range w.form.Kinds {
		n += w.count * int64(num.Kind(k).Size())
	}
	for _, r := range w.batch.Near {
		n += w.Len(r) * w.elem(r) * int64(len(w.set.Shards))
	}
	return n
}

func (w *walking) farBytes() int64 {
	n := int64(0)
	for _, r := range w.batch.Far {
		in := w.column[r]
		n += in.Rows * max(1, in.Width) * int64(in.Kind.Size())
	}
	return n
}

// start gives the states lo..hi as they are at first.
func (w *walking) start(lo, hi int64) ([][]byte, error) {
	ids := make([]int64, hi-lo)
	for i := range ids {
		ids[i] = lo + int64(i)
	}
	regions := map[int][]byte{}
	for _, c := range w.batch.Columns {
		if c.Region < 0 {
			continue
		}
		all, err := w.Bytes(c.Region)
		if err != nil {
			return nil, err
		}
		regions[c.Region] = all
	}
	return w.batch.Start(ids, func(region int) (num.Kind, []byte) { return w.Compiled.Kernel.Regions[region].Elem, regions[region] }), nil
}

// advance walks the states lo..hi to their ends.
func (b *Beside) advance(ctx context.Context, w *walking, lo, hi int64) error {
	states, err := w.start(lo, hi)
	if err != nil {
		return err
	}
	form := w.form
	form.States, form.Values = int(hi-lo), states
	answer, err := b.ask(ctx, func(id caller.ID) caller.Input {
		return &caller.Walk{ID: id, Code: b.code(w.batch.code), Batch: &form, Left: b.c.left(ctx)}
	})
	if err != nil {
		return err
	}
	if err := w.store(answer, int(hi-lo)); err != nil {
		return err
	}
	return w.faults(answer.Faults)
}

// store takes the states that an answer says are done.
func (w *walking) store(answer *parcel.Answer, states int) error {
	kept := map[int][]byte{}
	for i := range w.form.Kinds {
		if w.form.Keep>>i&1 == 0 {
			continue
		}
		if len(kept) >= len(answer.Columns) {
			return fmt.Errorf("step `%s`: %d columns came back, more were expected", w.Launch.Label, len(answer.Columns))
		}
		kept[i] = answer.Columns[len(kept)]
		if want := states * num.Kind(w.form.Kinds[i]).Size(); len(kept[i]) != want {
			return fmt.Errorf("step `%s`: column %d of the states that came back has %d bytes, expected %d", w.Launch.Label, i, len(kept[i]), want)
		}
	}
	columns := make([][]byte, len(w.form.Kinds))
	for i, c := range kept {
		columns[i] = c
	}
	return w.deliver(columns)
}

// deliver puts the results of states that are done in their places.
func (w *walking) deliver(columns [][]byte) error {
	runs := map[int]*written{} // by region
	var errs []error
	w.batch.Deliver(columns, func(region int, element int64, bits uint64) {
		kind := w.Compiled.Kernel.Regions[region].Elem
		r := runs[region]
		if size := int64(kind.Size()); r == nil || element != r.first+int64(len(r.bytes))/size {
			errs = append(errs, w.write(region, r))
			r = &written{first: element}
			runs[region] = r
		}
		r.bytes = append(r.bytes, make([]byte, kind.Size())...)
		column.Put(kind, r.bytes[len(r.bytes)-kind.Size():], 0, bits)
	})
	for region, r := range runs {
		errs = append(errs, w.write(region, r))
	}
	return errors.Join(errs...)
}

// written is elements of a region that follow each other.
type written struct {
	first int64
	bytes []byte
}

func (w *walking) write(region int, r *written) error {
	if r == nil {
		return nil
	}
	return w.Write(region, r.first, r.bytes)
}
