package control

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data/digest"
)

func (g *registry) Commit(ctx context.Context, s *catalog.Set) error {
	_, err := g.publish(ctx, s, false)
	return err
}

func (g *registry) Replace(ctx context.Context, s *catalog.Set) (*catalog.Set, error) {
	return g.publish(ctx, s, true)
}

func (g *registry) publish(ctx context.Context, s *catalog.Set, replace bool) (*catalog.Set, error) {
	start := time.Now()
	if err := checkNew(s); err != nil {
		return nil, err
	}
	ctx, cancel := g.bounded(ctx)
	defer cancel()
	if err := g.room(ctx); err != nil {
		return nil, g.failed("make a data set visible", start, err)
	}
	var last *catalog.Set
	for range attempts {
		old, done, err := g.tryPublish(ctx, s, replace)
		if err != nil {
			return nil, g.failed("make a data set visible", start, err)
		}
		if old != nil {
			last = old
		}
		if done {
			return last, nil
		}
	}
	return nil, g.failed("make a data set visible", start, errCrowded)
}

// tryPublish looks at everything the set rests on, and then writes it on the
// condition that all of that is as it was.
func (g *registry) tryPublish(ctx context.Context, s *catalog.Set, replace bool) (old *catalog.Set, done bool, err error) {
	key := numbered(setPrefix, s.ID)
	old, title, err := g.named(ctx, s.Name)
	if err != nil {
		return nil, false, err
	}
	value := encodeSet(s)
	if old != nil && old.ID == s.ID && bytes.Equal(encodeSet(old), value) {
		return nil, true, nil // an earlier try whose answer was lost
	}
	if old != nil && (!replace || old.ID == s.ID) {
		return nil, false, &ExistsError{s.Name, old.ID}
	}
	if s.After != 0 && (old == nil || old.ID != s.After) {
		return nil, false, &OvertakenError{s.Name}
	}
	when := []condition{title, {key: key}}
	then := []change{{key: titleKey(s.Name), value: strconv.AppendUint(nil, uint64(s.ID), 10)}, {key: key, value: value}}
	if old != nil {
		then = append(then, change{key: numbered(setPrefix, old.ID)})
	}
	keys := []string{nodePrefix, heldIn(s.ID), nextSet, key, numbered(reservedPrefix, s.ID), ownedPrefix, turnKey(ownerOf(ctx))}
	if s.Texts != 0 {
		keys = append(keys, numbered(setPrefix, s.Texts))
	}
	recs, _, err := g.rec.read(ctx, keys...)
	if err != nil {
		return nil, false, err
	}
	if err := checkNumber(s, recs); err != nil {
		return nil, false, err
	}
	held, err := conditionsOf(s, recs)
	if err != nil {
		return nil, false, err
	}
	texts, err := textsThere(s, recs)
	if err != nil {
		return nil, false, err
	}
	reserved, err := reservedFor(s, ownerOf(ctx), recs)
	if err != nil {
		return nil, false, err
	}
	turn, owned, err := g.own(ctx, s, old, int64(len(value)), recs)
	if err != nil {
		return nil, false, err
	}
	then = append(append(then, change{key: reserved.key}), owned...)
	done, _, err = g.rec.commit(ctx, slices.Concat(when, texts, []condition{reserved}, turn, held), then)
	return old, done, err
}

// checkNumber sees to it that the set's number was allocated, for it alone.
func checkNumber(s *catalog.Set, recs []record) error {
	next, _, _, err := count(nextSet, recs)
	switch {
	case err != nil:
		return err
	case s.ID >= next:
		return &InvalidError{fmt.Sprintf("data set %q has number %d, which was not allocated", s.Name, s.ID)}
	case find(recs, numbered(setPrefix, s.ID)) != nil:
		return &InvalidError{fmt.Sprintf("data set %q has number %d, which another data set has", s.Name, s.ID)}
	}
	return nil
}

// textsThere is that the set with the texts of this one is there, and stays.
func textsThere(s *catalog.Set, recs []record) ([]condition, error) {
	if s.Texts == 0 {
		return nil, nil
	}
	key := numbered(setPrefix, s.Texts)
	r := find(recs, key)
	if r == nil {
		return nil, &InvalidError{fmt.Sprintf("the texts of data set %q, @%s, are gone: somebody dropped them while it was loaded; load it again", s.Name, catalog.TextsOf(s.ID))}
	}
	texts, err := decodeSet(key, r.value)
	if err != nil {
		return nil, err
	}
	if want := catalog.TextsOf(s.ID); texts.Name != want {
		return nil, &InvalidError{fmt.Sprintf("data set %q has its texts in data set %d, which is @%s; @%s was expected", s.Name, s.Texts, texts.Name, want)}
	}
	return []condition{{key: key, revision: r.modified}}, nil
}

// conditionsOf are that every replica is in the life in which it published its shards, and
// that these records have not changed since. What a client says about rows and bytes, which
// everyone plans with, is compared with what the holders found in their files.
func conditionsOf(s *catalog.Set, recs []record) ([]condition, error) {
	var when []condition
	held := map[catalog.Peer]pieces{}
	for i, h := range s.Shards {
		for _, p := range h.Assigned {
			missing := func(reason string) error { return &NotHeldError{s.Name, i, p, reason} }
			if _, known := held[p]; !known {
				node := find(recs, numbered(nodePrefix, uint32(p)))
				holds := find(recs, pieceKey(s.ID, p, 0))
				if node == nil {
					return nil, missing("the node is not alive")
				}
				if holds == nil {
					return nil, missing("the node does not hold any shard of the set")
				}
				all, err := piecesIn(recs, s.ID, p)
				if err != nil {
					return nil, err
				}
				held[p] = all
				when = append(when,
					condition{key: node.key, created: true, revision: node.created},
					condition{key: holds.key, revision: holds.modified})
			}
			sum, size, ok := held[p].of(uint32(i))
			if !ok {
				return nil, missing("the node does not hold it")
			}
			if sum != catalog.Sum(h.Sum) {
				return nil, missing(fmt.Sprintf("the node holds a file with SHA-256 %s, expected %s", digest.Short(sum), digest.Short(h.Sum)))
			}
			if told := size[1] > 0; told && size != [2]int64{h.Hi - h.Lo, h.Bytes} {
				return nil, missing(fmt.Sprintf("the node holds a file of %d rows and %d bytes, expected %d rows and %d bytes", size[0], size[1], h.Hi-h.Lo, h.Bytes))
			}
		}
	}
	return when, nil
}
