package control

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// registry is Control over records.
type registry struct {
	rec    records
	opt    Options
	kept   *kept
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
}

var (
	errNoLease = errors.New("the lease has ended")
	errCrowded = errors.New("others wrote in between each time; try again")
)

// attempts bounds how often a transaction is tried anew because of others.
const attempts = 64

func newRegistry(rec records, opt Options) *registry {
	g := &registry{rec: rec, opt: opt.withDefaults(), kept: newKept()}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

func (g *registry) Close() error {
	g.cancel()
	return g.rec.close()
}

// bounded gives a call its deadline.
func (g *registry) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, g.opt.Timeout)
}

// failed names the operation and where it was tried. Errors that are about what
// was asked for stay as they are.
func (g *registry) failed(what string, start time.Time, err error) error {
	if err == nil || isAnswer(err) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("cannot %s: the control (%s) did not answer in %.1f s: is it running, and has it a majority? %w", what, g.rec.where(), time.Since(start).Seconds(), err)
	}
	return fmt.Errorf("cannot %s: the control (%s): %w", what, g.rec.where(), err)
}

// isAnswer reports whether the control did its work, and this is what it says.
func isAnswer(err error) bool {
	switch err.(type) {
	case *TakenError, *StaleError, *ExistsError, *MissingError, *NotHeldError, *OvertakenError, *InvalidError, *UnknownError, *FullError, *ShareError:
		return true
	}
	return false
}

func (g *registry) View(ctx context.Context) (*catalog.View, error) {
	start := time.Now()
	ctx, cancel := g.bounded(ctx)
	defer cancel()
	v, err := g.present(ctx)
	return v, g.failed("read the catalogue", start, err)
}

func (g *registry) Allocate(ctx context.Context) (uint32, error) {
	start := time.Now()
	ctx, cancel := g.bounded(ctx)
	defer cancel()
	if err := g.room(ctx); err != nil {
		return 0, g.failed("allocate a data set", start, err)
	}
	for range attempts {
		recs, _, err := g.rec.read(ctx, nextSet, reservedPrefix)
		if err != nil {
			return 0, g.failed("allocate a data set", start, err)
		}
		n, when, then, err := count(nextSet, recs)
		if err != nil {
			return 0, g.failed("allocate a data set", start, err)
		}
		reserve, err := reservations(n, ownerOf(ctx), recs)
		if err != nil {
			return 0, g.failed("allocate a data set", start, err)
		}
		done, _, err := g.rec.commit(ctx, []condition{when}, append(reserve, then))
		if done || err != nil {
			return n, g.failed("allocate a data set", start, err)
		}
	}
	return 0, g.failed("allocate a data set", start, errCrowded)
}

// count takes the next number of a counter: it is n if the transaction succeeds.
func count(key string, recs []record) (n uint32, when condition, then change, err error) {
	n = 1
	when = condition{key: key}
	if r := find(recs, key); r != nil {
		v, err := strconv.ParseUint(string(r.value), 10, 32)
		if err != nil || v >= uint64(catalog.FirstClient) {
			return 0, when, then, fmt.Errorf("the record %s is damaged: a number was expected, found %.20q", key, r.value)
		}
		n, when.revision = uint32(v), r.modified
	}
	return n, when, change{key: key, value: strconv.AppendUint(nil, uint64(n)+1, 10)}, nil
}

func find(recs []record, key string) *record {
	for i := range recs {
		if recs[i].key == key {
			return &recs[i]
		}
	}
	return nil
}

func titleKey(name string) string { return titles + url.PathEscape(name) }
func nameKey(name string) string  { return namePrefix + url.PathEscape(name) }
func heldIn(set uint32) string    { return numbered(heldPrefix, set) + "/" }

func (g *registry) Remove(ctx context.Context, name string) (*catalog.Set, error) {
	start := time.Now()
	ctx, cancel := g.bounded(ctx)
	defer cancel()
	var last *catalog.Set
	for range attempts {
		old, when, err := g.named(ctx, name)
		if err != nil {
			return nil, g.failed("remove a data set", start, err)
		}
		if old == nil && last == nil {
			return nil, &MissingError{name}
		}
		if old == nil {
			return last, nil // an earlier try whose answer was lost
		}
		last = old
		unused, err := g.unused(ctx, old)
		if err != nil {
			return nil, g.failed("remove a data set", start, err)
		}
		then := []change{{key: titleKey(name)}, {key: numbered(setPrefix, old.ID)}, {key: ownedKey(old.ID)}}
		done, _, err := g.rec.commit(ctx, append(unused, when), then)
		if done || err != nil {
			return old, g.failed("remove a data set", start, err)
		}
	}
	return nil, g.failed("remove a data set", start, errCrowded)
}

// unused sees to it that no set has its texts in this one, and gives the condition that it stays so.
func (g *registry) unused(ctx context.Context, s *catalog.Set) ([]condition, error) {
	id, ok := catalog.TextsFor(s.Name)
	if !ok {
		return nil, nil
	}
	key := numbered(setPrefix, id)
	recs, _, err := g.rec.read(ctx, key)
	if err != nil {
		return nil, err
	}
	r := find(recs, key)
	if r == nil {
		return []condition{{key: key}}, nil
	}
	owner, err := decodeSet(key, r.value)
	if err != nil {
		return nil, err
	}
	if owner.Texts == s.ID {
		return nil, &InvalidError{fmt.Sprintf("@%s has the texts of @%s, which cannot be read without them: drop %[2]s, and they go with it", s.Name, owner.Name)}
	}
	return []condition{{key: key, revision: r.modified}}, nil
}

// named gives the set of a name, nil if there is none, and the condition that
// this stays so.
func (g *registry) named(ctx context.Context, name string) (*catalog.Set, condition, error) {
	key := titleKey(name)
	for range attempts {
		recs, _, err := g.rec.read(ctx, key)
		if err != nil || len(recs) == 0 {
			return nil, condition{key: key}, err
		}
		id, err := strconv.ParseUint(string(recs[0].value), 10, 32)
		if err != nil {
			return nil, condition{}, fmt.Errorf("the record %s is damaged: a number was expected, found %.20q", key, recs[0].value)
		}
		sets, _, err := g.rec.read(ctx, numbered(setPrefix, uint32(id)))
		if err != nil {
			return nil, condition{}, err
		}
		if len(sets) == 0 {
			continue // it was removed in between
		}
		set, err := decodeSet(sets[0].key, sets[0].value)
		return &set, condition{key: key, revision: recs[0].modified}, err
	}
	return nil, condition{}, errCrowded
}
