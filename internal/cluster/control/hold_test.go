package control

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
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
	for began, end := time.Now(), time.Now().Add(20*time.Second); !m.Renewed().After(began); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("a node that is alive was renewed last %v ago", time.Since(m.Renewed()))
		}
	}
	w.expire(m.Peer())
	select {
	case <-m.Lost():
	case <-within(t).Done():
		t.Fatal("a node whose lease has ended does not learn of it")
	}
	refused[*StaleError](t, m.HoldAll(within(t), []Held{{Set: 1}}))
}

// testManyShards: a node joins with any number of shards of one set, whatever their numbers;
// the last of many costs no more to publish than the first; and none is left when all have gone.
func testManyShards(t *testing.T, w world) {
	c := w.open()
	var all []Held
	for i := range uint32(16_500) {
		all = append(all, Held{Set: 1, Shard: i, Sum: [32]byte{1}, Rows: 1 << 40, Bytes: 1 << 40})
	}
	for i := range uint32(200) {
		all = append(all, Held{Set: 1, Shard: 1<<30 + i<<20, Sum: [32]byte{1}})
	}
	m := must[Membership](t)(c.Join(within(t), Member{Name: named(t, "many"), Address: "127.0.0.1:1", Held: all}))
	t.Cleanup(func() { m.Leave(context.Background()) })
	check(t, m.HoldAll(within(t), all[:5000]))
	check(t, m.Unhold(within(t), 1, 0))
	check(t, m.HoldAll(within(t), nil))
	g, ok := c.(*registry)
	if !ok {
		g = c.(*Memory).registry
	}
	recs, _, err := g.rec.read(within(t), heldIn(1))
	check(t, err)
	for _, r := range recs {
		if _, p, _, err := holderOf(r.key); err != nil || p == m.Peer() {
			t.Errorf("the record %s is left: %v", r.key, err)
		}
	}
}

// One more shard of a set writes its own record and the first one anew, and no others.
func TestPiecesWritten(t *testing.T) {
	t.Parallel()
	s := &membership{peer: 3, held: shardsOf{}, doubt: map[pieceOf]bool{}}
	shards := map[uint32]Held{}
	for i := range uint32(catalog.MaxShards) {
		shards[i] = Held{Set: 1, Shard: i, Rows: 1 << 40, Bytes: 1 << 40}
	}
	fewer := maps.Clone(shards)
	delete(fewer, 4000)
	bytes := 0
	puts := s.puts(1, fewer, shards)
	for _, c := range puts {
		bytes += len(c.value)
	}
	if len(puts) != 2 || puts[0].key != pieceKey(1, 3, 0) || puts[1].key != pieceKey(1, 3, 62) || bytes > 20_000 {
		t.Errorf("one shard more writes %d records of %d bytes", len(puts), bytes)
	}
	if puts := s.puts(1, shards, shards); puts != nil {
		t.Errorf("nothing new writes %d records", len(puts))
	}
	if parts := portions([][]change{s.puts(1, nil, shards)}); len(parts) != 1 {
		t.Errorf("a set of %d shards takes %d transactions", catalog.MaxShards, len(parts))
	}
	s.doubt[pieceOf{1, 70}] = true // a shard that was to go, and nobody knows whether it has gone
	if puts := s.puts(1, shards, shards); len(puts) != 2 || puts[1].key != pieceKey(1, 3, 70) || puts[1].value != nil {
		t.Errorf("a record in doubt writes %v", puts)
	}
}

// A record with all shards of a set, as earlier versions write it, is read.
func TestPiecesOfEarlier(t *testing.T) {
	t.Parallel()
	old := record{key: pieceKey(5, 3, 0), value: encode(recordOf(map[uint32]Held{7: {Rows: 2, Bytes: 9}, 700: {Sum: [32]byte{1}}}))}
	others := record{key: pieceKey(5, 4, 1), value: encode(recordOf(map[uint32]Held{64: {}}))}
	p := must[pieces](t)(piecesIn([]record{old, others}, 5, 3))
	sum, _, ok := p.of(700)
	_, size, seven := p.of(7)
	if _, _, other := p.of(64); !ok || sum != (catalog.Sum{1}) || !seven || size != [2]int64{2, 9} || other {
		t.Errorf("read were %v", p)
	}
}

// What does not fit into one transaction goes into several, in order, each with the first change of
// the set that it goes on with.
func TestPortions(t *testing.T) {
	t.Parallel()
	var all []change
	for range 250 {
		all = append(all, change{value: make([]byte, 10)})
	}
	all[120].value = make([]byte, portionBytes)
	var sizes []int
	for _, p := range portions([][]change{all[:50], all[50:51], all[51:]}) {
		sizes = append(sizes, len(p))
	}
	if want := []int{100, 21, 2, 100, 31}; !slices.Equal(sizes, want) {
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
	if got[written] != 2 || got[lost] != 2 {
		t.Errorf("%d shards of a set that was written, and %d of one that was not; expected 2 of each", got[written], got[lost])
	}
}
