package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/data"
)

// shard is a shard that this node holds.
type shard struct {
	set    *catalog.Set
	number int
	at     *catalog.Shard
	src    data.Source
	file   *store.Shard
}

// shard finds a shard by its number.
func (d *Daemon) shard(set uint32, i int) (shard, func(), error) {
	v := d.view.Load()
	if v == nil {
		return shard{}, nil, noShard("the node has not heard of the cluster yet")
	}
	s, ok := v.Set(set)
	if !ok || i < 0 || i >= len(s.Shards) {
		return shard{}, nil, noShard("there is no set %d with a shard %d", set, i)
	}
	file, err := d.cfg.Store.Shard(set, uint32(i))
	switch {
	case errors.Is(err, store.ErrNotHere):
		return shard{}, nil, d.lacks(set, uint32(i), d.cfg.Store.Absent())
	case errors.As(err, new(*store.DamageError)):
		return shard{}, nil, d.lacks(set, uint32(i), err)
	case err != nil: // the process has too many files open, for now
		return shard{}, nil, &node.WorkError{Reason: parcel.Busy, Detail: err.Error()}
	}
	release := func() {
		if err := file.Release(); err != nil {
			d.log.Warn("a shard was not closed", "shard", file.String(), "reason", err)
		}
	}
	sh := shard{s, i, &s.Shards[i], file.Source, file}
	if err := sh.differs(); err != nil {
		release()
		return shard{}, nil, err
	}
	return sh, release, nil
}

// differs says what in the file is not as the catalogue has it. The catalogue says what whoever
// committed the set says, and nobody else has compared it with the file. It takes less time than
// to remember what was compared.
func (sh *shard) differs() error {
	have, want := sh.src.Columns(), sh.set.Columns
	if n := sh.at.Hi - sh.at.Lo; sh.src.Rows() != n {
		return refused("the file of shard %d of @%s has %d rows, the catalogue says %d: load the set again", sh.number, sh.set.Name, sh.src.Rows(), n)
	}
	if len(have) != len(want) {
		return refused("the file of shard %d of @%s has %d columns, the catalogue says %d: load the set again", sh.number, sh.set.Name, len(have), len(want))
	}
	for c := range have {
		if have[c].Kind != want[c].Kind || !slices.Equal(have[c].Dims, want[c].Dims) {
			return refused("column %d in the file of shard %d of @%s has the kind %v and dimensions %d, the catalogue says %v and %d: load the set again",
				c, sh.number, sh.set.Name, have[c].Kind, have[c].Dims, want[c].Kind, want[c].Dims)
		}
	}
	return nil
}

// column describes a column of the file.
func (sh *shard) column(i int) (*data.Column, error) {
	all := sh.src.Columns()
	if i < 0 || i >= len(all) {
		return nil, refused("column %d of @%s was asked for, the file of shard %d has %d", i, sh.set.Name, sh.number, len(all))
	}
	return &all[i], nil
}

// lag is how long a request waits for the node to hear of its data set: who
// asks may have heard of it first.
const lag = time.Second

// setOf is a data set as the node knows it.
func (d *Daemon) setOf(ctx context.Context, id uint32) (*catalog.Set, error) {
	var s *catalog.Set
	err := d.heard(ctx, func(v *catalog.View) (ok bool) { s, ok = v.Set(id); return ok })
	if err != nil {
		return nil, fmt.Errorf("there is no set %d: %w", id, err)
	}
	return s, nil
}

// heard waits a little until a view of the cluster is as it should be.
func (d *Daemon) heard(ctx context.Context, enough func(*catalog.View) bool) error {
	for until := time.Now().Add(lag); ; {
		if v := d.view.Load(); v != nil && enough(v) {
			return nil
		}
		if time.Now().After(until) {
			return noShard("the node has not heard of it")
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func noShard(text string, args ...any) error {
	return &node.WorkError{Reason: parcel.NoShard, Detail: fmt.Sprintf(text, args...)}
}

func refused(text string, args ...any) error {
	return &node.WorkError{Reason: parcel.Refused, Detail: fmt.Sprintf(text, args...)}
}
