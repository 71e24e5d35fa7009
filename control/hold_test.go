package control

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/godwit-run/godwit/catalog"
)

// testHeld: no view has a node that joins without the shards that it holds, however many
// transactions they take; and HoldAll leaves exactly what it was given.
func testHeld(t *testing.T, w world) {
	c := w.open()
	views := must[<-chan *catalog.View](t)(w.open().Watch(within(t)))
	a := join(t, c, "a")
	const sets = 2*portionChanges + portionChanges/2
	var all []Held
	var ids []uint32
	for range sets {
		s := &catalog.Set{
			ID: must[uint32](t)(c.Allocate(within(t))), Rows: 2, By: "blocks", Columns: []catalog.Column{{Name: "x"}},
			Shards: []catalog.Shard{{Hi: 1, Assigned: []catalog.Peer{a.Peer()}, Sum: [32]byte{1}}, {Lo: 1, Hi: 2, Assigned: []catalog.Peer{a.Peer()}, Sum: [32]byte{2}}},
		}
		s.Name = named(t, numbered("s", s.ID))
		ids = append(ids, s.ID)
		all = append(all, Held{Set: s.ID, Shard: 0, Sum: [32]byte{1}}, Held{Set: s.ID, Shard: 1, Sum: [32]byte{2}})
		check(t, a.HoldAll(within(t), all))
		check(t, c.Commit(within(t), s))
	}
	w.expire(a.Peer())
	until(t, views, func(v *catalog.View) bool { return holders(v, ids[0], a.Peer()) == 0 })
	b := must[Membership](t)(c.Join(within(t), Member{Name: named(t, "a"), Address: "127.0.0.1:1", Held: all}))
	t.Cleanup(func() { b.Leave(context.Background()) })
	until(t, views, func(v *catalog.View) bool {
		_, there := v.Node(b.Peer())
		for _, id := range ids {
			if n := holders(v, id, b.Peer()); there && n != 2 || !there && n != 0 {
				t.Fatalf("in a view the node is there: %v, and holds %d shards of set %d", there, n, id)
			}
		}
		return there
	})
	check(t, b.HoldAll(within(t), all[1:3]))
	v := must[*catalog.View](t)(c.View(within(t)))
	want := []int{1, 1, 0}
	if got := []int{holders(v, ids[0], b.Peer()), holders(v, ids[1], b.Peer()), holders(v, ids[2], b.Peer())}; !slices.Equal(got, want) {
		t.Errorf("after HoldAll the first sets have %v shards, expected %v", got, want)
	}
}

// holders counts the shards of a set that a node holds.
func holders(v *catalog.View, id uint32, p catalog.Peer) (n int) {
	if s, ok := v.Set(id); ok {
		for _, h := range s.Shards {
			if slices.Contains(h.Replicas, p) {
				n++
			}
		}
	}
	return n
}

// testRenewed: who is alive knows since when, and that stops with the life.
func testRenewed(t *testing.T, w world) {
	m := join(t, w.open(), "a")
	time.Sleep(1500 * time.Millisecond)
	if since := time.Since(m.Renewed()); since > 1400*time.Millisecond {
		t.Errorf("a node that is alive was renewed last %v ago", since)
	}
	w.expire(m.Peer())
	select {
	case <-m.Lost():
	case <-within(t).Done():
		t.Fatal("a node whose lease has ended does not learn of it")
	}
	refused[*StaleError](t, m.HoldAll(within(t), []Held{{Set: 1}}))
}

// What does not fit into one transaction goes into several, in order.
func TestPortions(t *testing.T) {
	t.Parallel()
	var all []change
	for range 250 {
		all = append(all, change{value: make([]byte, 10)})
	}
	all[120].value = make([]byte, portionBytes)
	var sizes []int
	for _, p := range portions(all) {
		sizes = append(sizes, len(p))
	}
	if want := []int{100, 20, 1, 100, 29}; !slices.Equal(sizes, want) {
		t.Errorf("250 changes were cut into %v, expected %v", sizes, want)
	}
	if got := portions(nil); got != nil {
		t.Errorf("nothing was cut into %v", got)
	}
	if got := bySet([]Held{{Set: 1, Shard: 2}, {Set: 1, Shard: 4}}); !maps.Equal(got[1], map[uint32]Held{2: {Set: 1, Shard: 2}, 4: {Set: 1, Shard: 4}}) {
		t.Errorf("by set: %v", got)
	}
}

// failing is records of which no more commits than some are made.
type failing struct {
	records
	left int
}

func (f *failing) commit(ctx context.Context, when []condition, then []change) (bool, int64, error) {
	if f.left--; f.left < 0 {
		return false, 0, errors.New("etcd is gone")
	}
	return f.records.commit(ctx, when, then)
}

// A shard that comes after HoldAll failed halfway does not take those away that were written.
func TestHoldAllInPart(t *testing.T) {
	t.Parallel()
	f := &failing{NewMemory().m, 100}
	c := newRegistry(f, Options{})
	a := join(t, c, "a")
	var all []Held
	for n := range uint32(portionChanges + 1) {
		all = append(all, Held{Set: n})
	}
	f.left = 1
	if err := a.HoldAll(within(t), all); err == nil {
		t.Fatal("the second portion was written")
	}
	f.left = 100
	check(t, a.Hold(within(t), Held{Set: 0, Shard: 1}))
	check(t, a.Hold(within(t), Held{Set: portionChanges, Shard: 1}))
	recs, _, err := f.read(within(t), heldPrefix)
	check(t, err)
	got := map[string]int{}
	for _, r := range recs {
		var h heldRecord
		check(t, decode(r.key, r.value, &h, &h.Format))
		got[r.key] = len(h.Shards)
	}
	written, lost := numbered(heldIn(0), uint32(a.Peer())), numbered(heldIn(portionChanges), uint32(a.Peer()))
	if got[written] != 2 || got[lost] != 1 {
		t.Errorf("%d shards of a set that was written, and %d of one that was not; expected 2 and 1", got[written], got[lost])
	}
}
