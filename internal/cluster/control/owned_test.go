package control

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

const part = maxCatalogue / ownedParts

// owns makes a set visible for an owner, as if its record were so long.
func (m *Memory) owns(t *testing.T, owner string, n int64) *catalog.Set {
	t.Helper()
	a := join(t, m, "holder")
	s := flights(t, m, a, a, "")
	s.Name += numbered("", s.ID)
	s.Shards[0].Assigned = s.Shards[0].Assigned[:1]
	must[Membership](t)(a, m.Commit(within(t), s))
	_, _, err := m.rec.commit(within(t), nil, []change{{key: ownedKey(s.ID), value: encode(ownedRecord{format, owner, n})}})
	check(t, err)
	return s
}

// What one client's sets take of the catalogue leaves room for others; administrators are not bounded.
func TestShareOfCatalogue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		others []int64 // of one other client each
		own    int64
		as     string
		want   bool
	}{
		{"nothing", nil, 0, "client/x", true},
		{"nearly a part", nil, part - 1000, "client/x", true},
		{"a part", nil, part, "client/x", false},
		{"an administrator", nil, part, "admin/x", true},
		{"a node", nil, part, "node/x", true},
		{"more than is left", []int64{part, part, part}, part/2 + 1, "client/x", false},
		{"no more than is left", []int64{part, part, part}, part/2 - 1000, "client/x", true},
		{"nothing is left, and none yet", []int64{part, part, part, part}, 0, "client/x", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := NewMemory()
			for i, n := range tt.others {
				m.owns(t, "client/other"+string(rune('0'+i)), n)
			}
			if tt.own > 0 {
				m.owns(t, tt.as, tt.own)
			}
			a := join(t, m, "a")
			ctx := For(within(t), tt.as)
			s := flights(t, m, a, a, "s")
			s.Shards[0].Assigned = s.Shards[0].Assigned[:1]
			err := m.Commit(ctx, s)
			if tt.want {
				check(t, err)
				return
			}
			if e := refused[*ShareError](t, err); e.Owned != tt.own || e.Owner != tt.as {
				t.Errorf("the error is %v", e)
			}
		})
	}
}

// What is dropped or replaced is free for its owner, also when a node of an earlier version
// has dropped it.
func TestShareIsGivenBack(t *testing.T) {
	t.Parallel()
	for name, free := range map[string]func(t *testing.T, m *Memory, full, next *catalog.Set){
		"dropped": func(t *testing.T, m *Memory, full, _ *catalog.Set) {
			must[*catalog.Set](t)(m.Remove(within(t), full.Name))
			if recs, _, err := m.rec.read(within(t), ownedPrefix); len(recs) > 0 || err != nil {
				t.Errorf("what was dropped is still owned: %v, %v", recs, err)
			}
		},
		"replaced": func(_ *testing.T, _ *Memory, full, next *catalog.Set) { next.Name = full.Name },
		"dropped by an earlier version": func(t *testing.T, m *Memory, full, _ *catalog.Set) {
			_, _, err := m.rec.commit(within(t), nil, []change{{key: numbered(setPrefix, full.ID)}, {key: titleKey(full.Name)}})
			check(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMemory()
			full := m.owns(t, "client/x", part)
			a := join(t, m, "a")
			s := flights(t, m, a, a, "s")
			s.Shards[0].Assigned = s.Shards[0].Assigned[:1]
			ctx := For(within(t), "client/x")
			_, err := m.Replace(ctx, s)
			refused[*ShareError](t, err)
			free(t, m, full, s)
			must[*catalog.Set](t)(m.Replace(ctx, s))
		})
	}
}

// meeting lets the first reads of what is owned wait for each other.
type meeting struct {
	records
	mu   sync.Mutex
	left int
	all  chan struct{}
}

func (r *meeting) read(ctx context.Context, keys ...string) ([]record, int64, error) {
	recs, revision, err := r.records.read(ctx, keys...)
	if slices.Contains(keys, ownedPrefix) {
		r.mu.Lock()
		if r.left--; r.left == 0 {
			close(r.all)
		}
		r.mu.Unlock()
		select {
		case <-r.all:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
	return recs, revision, err
}

// Sets that an owner adds at the same time count to each other.
func TestShareAtOnce(t *testing.T) {
	t.Parallel()
	const loads = 8
	m := NewMemory()
	a := join(t, m, "a")
	var sets []*catalog.Set
	for i := range loads {
		s := flights(t, m, a, a, string(rune('a'+i)))
		s.Shards[0].Assigned = s.Shards[0].Assigned[:1]
		sets = append(sets, s)
	}
	n := int64(len(encodeSet(sets[0])))
	m.owns(t, "client/x", part-n-n/2) // there is room for one of them
	g := newRegistry(&meeting{records: m.rec, left: loads, all: make(chan struct{})}, Options{})
	defer g.cancel()
	errs := make(chan error, loads)
	for _, s := range sets {
		go func() { errs <- g.Commit(For(within(t), "client/x"), s) }()
	}
	done := 0
	for range loads {
		if err := <-errs; err == nil {
			done++
		} else if !errors.As(err, new(*ShareError)) {
			t.Error(err)
		}
	}
	if done != 1 {
		t.Errorf("%d sets were added, and there was room for one", done)
	}
}
