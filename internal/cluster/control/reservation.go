package control

import (
	"context"
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// In: numbers of data sets that were asked for, with who asked. Out: who may store shards
// under a number and make a set of it visible. A number is reserved for one owner from Allocate
// on, until a set is committed under it, the owner has reserved maxReserved newer ones, or
// nodes have stored nothing for it for long. It is never given twice, so what was stored for an
// owner is nobody else's.

// maxReserved is how many numbers one owner has reserved at once: so many loads at the same time.
const maxReserved = 64

type reservationRecord struct {
	Format int    `json:"format"`
	Owner  string `json:"owner,omitempty"`
}

type ownerKey struct{}

// For says on whose behalf a call is made: the role and the name in a certificate. A call without it
// comes from whoever reaches the records themselves.
func For(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// reservations are the changes that reserve a number, and give up the owner's oldest ones
// beyond the limit. recs has all reservations, in order of numbers.
func reservations(n uint32, owner string, recs []record) ([]change, error) {
	then := []change{{key: numbered(reservedPrefix, n), value: encode(reservationRecord{format, owner})}}
	var own []string
	for _, r := range recs {
		if !strings.HasPrefix(r.key, reservedPrefix) {
			continue
		}
		var have reservationRecord
		if err := decode(r.key, r.value, &have, &have.Format); err != nil {
			return nil, err
		}
		if have.Owner == owner {
			own = append(own, r.key)
		}
	}
	for len(own) >= maxReserved && len(then) < portionChanges {
		then, own = append(then, change{key: own[0]}), own[1:]
	}
	return then, nil
}

// reservedFor is the condition that a set's number stays reserved for an owner. What nobody in
// particular has reserved is everybody's.
func reservedFor(s *catalog.Set, owner string, recs []record) (condition, error) {
	key := numbered(reservedPrefix, s.ID)
	r := find(recs, key)
	if r == nil {
		return condition{}, &InvalidError{fmt.Sprintf("data set %q has number %d, which is not reserved any more: load it again; nodes of an earlier version reserve none", s.Name, s.ID)}
	}
	var have reservationRecord
	if err := decode(r.key, r.value, &have, &have.Format); err != nil {
		return condition{}, err
	}
	if have.Owner != "" && have.Owner != owner {
		return condition{}, &InvalidError{fmt.Sprintf("data set %q has number %d, which is reserved for another owner: ask for a number first", s.Name, s.ID)}
	}
	return condition{key: key, revision: r.modified}, nil
}

func (s *membership) Reserved(ctx context.Context, set uint32) (r Reservation, ok bool, err error) {
	ctx, cancel := s.g.bounded(ctx)
	defer cancel()
	rec, have, err := s.g.reservation(ctx, set)
	if rec == nil || err != nil {
		return Reservation{}, false, err
	}
	return Reservation{have.Owner, rec.modified}, true, nil
}

func (s *membership) Refresh(ctx context.Context, set uint32) error {
	ctx, cancel := s.g.bounded(ctx)
	defer cancel()
	rec, have, err := s.g.reservation(ctx, set)
	if rec == nil || err != nil {
		return err
	}
	// If it has changed in between, another node has refreshed it, or it is gone.
	_, _, err = s.g.rec.commit(ctx, []condition{{key: rec.key, revision: rec.modified}}, []change{{key: rec.key, value: encode(have)}})
	return err
}

func (s *membership) Release(ctx context.Context, set uint32, revision int64) (done bool, err error) {
	ctx, cancel := s.g.bounded(ctx)
	defer cancel()
	key := numbered(reservedPrefix, set)
	done, _, err = s.g.rec.commit(ctx, []condition{{key: key, revision: revision}}, []change{{key: key}})
	return done, err
}

// reservation reads a set's; nil if there is none.
func (g *registry) reservation(ctx context.Context, set uint32) (rec *record, have reservationRecord, err error) {
	recs, _, err := g.rec.read(ctx, numbered(reservedPrefix, set))
	if err != nil || len(recs) == 0 {
		return nil, have, err
	}
	err = decode(recs[0].key, recs[0].value, &have, &have.Format)
	return &recs[0], have, err
}
