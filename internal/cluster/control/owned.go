package control

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// In: whose data sets are in the catalogue, and how long their records are. Out: whether one
// more may be added for an owner. Everyone reads all records, so what one client has
// written into them is bounded; what administrators add is not. Sets of earlier versions are nobody's.

const (
	// maxCatalogue is how many bytes the records of all sets have to share: half of the default
	// quota, less where the quota is less.
	maxCatalogue = defaultQuota / 2
	// ownedParts is into how many parts they are divided: one owner has at most one of them, and
	// no more than are then left: whoever has none finds room.
	ownedParts = 4
)

// ownedRecord is beside the record of a set.
type ownedRecord struct {
	Format int    `json:"format"`
	Owner  string `json:"owner,omitempty"`
	Bytes  int64  `json:"bytes"` // of the set's record
}

func ownedKey(set uint32) string  { return numbered(ownedPrefix, set) }
func turnKey(owner string) string { return turnPrefix + url.PathEscape(owner) }
func limited(owner string) bool   { return strings.HasPrefix(owner, identity.Client.String()+"/") }
func isOwned(r record) bool       { return strings.HasPrefix(r.key, ownedPrefix) }
func catalogueOf(quota int64) int64 {
	if quota > 0 {
		return min(maxCatalogue, quota/2)
	}
	return maxCatalogue
}

// ShareError says that an owner's data sets need more of the catalogue than one owner may have.
type ShareError struct {
	Name, Owner        string
	Bytes, Owned, Most int64
}

func (e *ShareError) Error() string {
	return fmt.Sprintf("data set %q needs a record of %d bytes, and those of %s take %d already; expected at most %d together for one certificate: drop data sets, load with fewer shards and columns, or have an administrator load it", e.Name, e.Bytes, e.Owner, e.Owned, e.Most)
}

// own is what is written beside a set whose record has n bytes and takes the place of old, and on
// which condition: an owner's sets are added one after the other. recs has who owns what.
func (g *registry) own(ctx context.Context, s, old *catalog.Set, n int64, recs []record) ([]condition, []change, error) {
	owner := ownerOf(ctx)
	then := []change{{key: ownedKey(s.ID), value: encode(ownedRecord{format, owner, n})}}
	gone := map[string]bool{}
	if old != nil {
		gone[ownedKey(old.ID)] = true
		then = append(then, change{key: ownedKey(old.ID)})
	}
	if !limited(owner) {
		return nil, then, nil
	}
	err := g.share(ctx, s.Name, n, recs, gone)
	if e, full := err.(*ShareError); full {
		if err = g.forget(ctx, recs, gone); err == nil {
			err = g.share(ctx, e.Name, n, recs, gone)
		}
	}
	turn := condition{key: turnKey(owner)}
	if r := find(recs, turn.key); r != nil {
		turn.revision = r.modified
	}
	return []condition{turn}, append(then, change{key: turn.key, value: []byte{'.'}}), err
}

// share is an error if n bytes are too many for the owner. What is gone does not count.
func (g *registry) share(ctx context.Context, name string, n int64, recs []record, gone map[string]bool) error {
	_, quota, err := g.rec.size(ctx)
	if err != nil {
		return err
	}
	e := &ShareError{Name: name, Owner: ownerOf(ctx), Bytes: n}
	all := int64(0)
	for _, r := range recs {
		if !isOwned(r) || gone[r.key] {
			continue
		}
		var o ownedRecord
		if err := decode(r.key, r.value, &o, &o.Format); err != nil {
			return err
		}
		all += o.Bytes
		if o.Owner == e.Owner {
			e.Owned += o.Bytes
		}
	}
	limit := catalogueOf(quota)
	e.Most = max(0, min(limit/ownedParts, limit-all))
	if e.Owned > 0 && e.Owned+n > e.Most {
		return e
	}
	return nil
}

// forget adds what belongs to sets that are gone: nodes of an earlier version remove a set's record alone.
func (g *registry) forget(ctx context.Context, recs []record, gone map[string]bool) error {
	v, err := g.present(ctx)
	if err != nil {
		return err
	}
	for _, r := range recs {
		if !isOwned(r) {
			continue
		}
		id, err := numberOf(ownedPrefix, r.key)
		if err != nil {
			return err
		}
		if _, there := v.Set(id); !there {
			gone[r.key] = true
		}
	}
	return nil
}
