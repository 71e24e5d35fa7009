package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a launch that keeps some of the elements that it walks over. Out: these, moved together. Each
// shard is one piece at first, and answers with what its first outer indices keep, up to half a
// piece's bytes; then it is asked for the rest. So few elements travel in one answer, and
// many as any rows do. If only the first k are used, each shard sends at most k, and none is waited for when those
// before it have sent as many.

// keep runs such a launch beside its shards; false if it must go another way.
func (b *Beside) keep(ctx context.Context, whole *run.Placed) (bool, error) {
	p, err := whole.Packed()
	if p == nil || err != nil {
		return false, err
	}
	a, _ := b.arrange(p)
	if a == nil || len(a.far) > 0 {
		return false, nil
	}
	spans, err := cutOuter(ctx, a.set.Shards, a.Outer, a.rows)
	if err != nil || a.unfit(spans) != "" {
		return false, err
	}
	t, err := a.task()
	if err != nil {
		return false, err
	}
	away, here := alternating(spans)
	if t.fixed > mostBytes/2 {
		return false, nil
	}
	why := ""
	if b.strategy == Auto || a.Forecast() {
		shipped := func(part float64) *plan.Load {
			return a.shipped(t, away, here, float64(a.each(a.outs))*float64(a.Outer)*part)
		}
		// Half of what is walked over is taken to be kept: nobody knows before.
		b.of = whole.Launch.Label
		how, err := b.weigh(ctx, a, func() *plan.Moving {
			return &plan.Moving{Fetched: a.fetched(a.rowBytes(), len(a.stored)), Shipped: shipped(0.5)}
		})
		b.of = ""
		if err != nil {
			return false, err
		}
		if how.best == Fetch && b.strategy == Auto {
			b.outweighed = how.String()
			return false, nil
		}
		if a.Forecast() {
			b.last.mv.Shipped = shipped(b.keeps)
		}
		why = ": " + how.String()
	}
	if err := a.contents(t); err != nil {
		return false, err
	}
	if a.first, err = p.First(); err != nil {
		return false, err
	}
	text := "what is kept comes"
	if !a.infallible() {
		a.first = -1
	}
	if a.first >= 0 {
		text = fmt.Sprintf("the first %d that are kept come", a.first)
	}
	b.placed(whole, Ship, "%s from %d shards of @%s, %d parts here%s", text, len(away), a.set.Name, len(here), why)
	err = b.ran(a, func() error {
		return b.around(func() error {
			if err := b.flow(ctx, a, t, a.affordable(portions(a.several(spans), a.each(a.local), a.portion.piece))); err != nil {
				return err
			}
			return p.Unite(a.first)
		})
	})
	return true, err
}

// severalPieces is how many pieces of a shard are under way that may keep much: one runs while another is on its way.
const severalPieces = 3

// several cuts spans that may keep more than a few pieces take. If only the first elements are used, those of a shard come one piece after the other.
func (a *arranged) several(spans []span) []span {
	each := a.each(a.outs)
	if a.first >= 0 || each <= 0 {
		return spans
	}
	longest := int64(0)
	for _, s := range spans {
		longest = max(longest, s.hi-s.lo)
	}
	if longest < severalPieces*a.portion.piece/each {
		return spans
	}
	return portions(spans, 1, (longest+severalPieces-1)/severalPieces)
}

// infallible reports that reading the rows cannot fail: whether it does must not depend on how many
// are read.
func (a *arranged) infallible() bool {
	return !slices.ContainsFunc(a.stored, func(r int) bool {
		in := a.column[r]
		c := a.set.Columns[in.Binding.Column]
		return in.Bound > 0 || c.Kind != in.Kind || c.Nullable && !in.Binding.Option
	})
}

// needs is how many elements are still needed of what a piece keeps: -1 if all are.
func (a *arranged) needs(s span) int64 {
	if a.Packing == nil || a.first < 0 {
		return -1
	}
	return max(0, a.first-a.Packing.KeptBefore(s.lo))
}

// acceptKept stores what a piece has kept.
func (a *arranged) acceptKept(s span, answer *parcel.Answer) (done int64, err error) {
	at := slices.Index(a.outs, a.Packing.Counts())
	if len(answer.Columns) != len(a.outs) || len(answer.Extents) != len(a.outs) || len(answer.Columns[at]) != 8 {
		return 0, fmt.Errorf("step `%s`: expected what is kept of %d regions, %d came back", a.Launch.Label, len(a.outs)-1, len(answer.Columns))
	}
	kept, e := int64(binary.LittleEndian.Uint64(answer.Columns[at])), answer.Extents[at]
	if e.First != s.lo || e.Count < 1 || e.Count > s.hi-s.lo {
		return 0, fmt.Errorf("step `%s`: outer indices %d to %d were asked for, %d from %d on came back", a.Launch.Label, s.lo, s.hi, e.Count, e.First)
	}
	done = s.lo + e.Count
	err = a.Keep(s.lo, done, kept, func(region int) []byte { return answer.Columns[slices.Index(a.outs, region)] })
	if err != nil {
		return 0, err
	}
	return done, a.faults(answer.Faults)
}
