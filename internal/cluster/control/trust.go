package control

import (
	"context"
	"time"

	"github.com/godwit-run/godwit/internal/packages/trust"
)

// trustRecord is who may have packages run.
type trustRecord struct {
	Format int        `json:"format"`
	List   trust.List `json:"list"`
}

func decodeTrust(r record) (trust.List, error) {
	var t trustRecord
	if r.value == nil {
		return t.List, nil
	}
	err := decode(r.key, r.value, &t, &t.Format)
	return t.List, err
}

func (g *registry) Trust(ctx context.Context, edit func(trust.List) (trust.List, error)) (trust.List, error) {
	const what = "change who is trusted"
	start := time.Now()
	ctx, cancel := g.bounded(ctx)
	defer cancel()
	for range attempts {
		recs, _, err := g.rec.read(ctx, trustKey)
		if err != nil {
			return trust.List{}, g.failed(what, start, err)
		}
		old, when := trust.List{}, condition{key: trustKey}
		if len(recs) > 0 {
			if old, err = decodeTrust(recs[0]); err != nil {
				return old, g.failed(what, start, err)
			}
			when.revision = recs[0].modified
		}
		list, err := edit(old)
		if lost := list.Lacks(old); err == nil && !lost.Empty() {
			list, err = list.Merge(lost) // revoking is for ever, whatever an edit makes of it
		}
		if err != nil {
			return old, err
		}
		done, _, err := g.rec.commit(ctx, []condition{when}, []change{{key: trustKey, value: encode(trustRecord{format, list})}})
		if done || err != nil {
			return list, g.failed(what, start, err)
		}
	}
	return trust.List{}, g.failed(what, start, errCrowded)
}
