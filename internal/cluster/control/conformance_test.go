package control

import (
	"context"
	"crypto/sha256"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// world is a control to test: open connects once more, expire ends a
// node's lease without the node doing anything.
type world struct {
	open   func() Control
	expire func(catalog.Peer)
}

// rules are what every control does. Both kinds are held to them.
var rules = []struct {
	name string
	test func(*testing.T, world)
}{
	{"names keep their numbers", testNumbers},
	{"a live name is taken", testTaken},
	{"the owner takes its name over", testTakeover},
	{"an old life cannot write", testFence},
	{"a node comes with its shards", testHeld},
	{"a node comes with many shards of one set", testManyShards},
	{"a life ends with its record", testRenewed},
	{"sets become visible at once", testCommit},
	{"a set needs its replicas", testNotHeld},
	{"rows are what holders found", testRows},
	{"numbers belong to who asked", testReserved},
	{"a set must make sense", testInvalid},
	{"names of sets", testTitles},
	{"replacing", testReplace},
	{"numbers are given once", testAllocate},
	{"one of many gets a name", testRace},
	{"watching", testWatch},
	{"who is trusted", testTrust},
	{"marks of nodes to be drained", testDrain},
	{"nodes that are away", testAway},
	{"a slow watcher skips views", testSlow},
	{"calls end", testEnded},
}

func conform(t *testing.T, w world) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { r.test(t, w) })
	}
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// named makes names of one test differ from those of others.
func named(t *testing.T, name string) string {
	return strings.ReplaceAll(t.Name(), " ", "-")[len("Test"):] + "/" + name
}

func join(t *testing.T, c Control, name string) Membership {
	t.Helper()
	m, err := c.Join(within(t), Member{Name: named(t, name), Address: "127.0.0.1:1", Arch: "amd64", Secret: "secret of " + name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Leave(context.Background()) })
	return m
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused[E error](t *testing.T, err error) E {
	t.Helper()
	var want E
	if !errors.As(err, &want) {
		t.Fatalf("expected a %T, found %v", want, err)
	}
	return want
}

func testNumbers(t *testing.T, w world) {
	c := w.open()
	a, b := join(t, c, "a"), join(t, c, "b")
	if a.Peer() == b.Peer() || a.Peer() == 0 || a.Peer() >= catalog.FirstClient {
		t.Fatalf("numbers %d and %d", a.Peer(), b.Peer())
	}
	check(t, a.Leave(within(t)))
	again := join(t, w.open(), "a")
	if again.Peer() != a.Peer() || again.Incarnation() <= a.Incarnation() {
		t.Fatalf("number %d and life %d became %d and %d", a.Peer(), a.Incarnation(), again.Peer(), again.Incarnation())
	}
	v := must[*catalog.View](t)(c.View(within(t)))
	n, ok := v.Node(again.Peer())
	want := catalog.Node{Peer: a.Peer(), Name: named(t, "a"), Address: "127.0.0.1:1", Arch: "amd64", Incarnation: again.Incarnation()}
	if !ok || *n != want {
		t.Fatalf("the view has %+v, expected %+v", n, want)
	}
}

func testTaken(t *testing.T, w world) {
	c := w.open()
	a := join(t, c, "a")
	for _, secret := range []string{"", "another"} {
		_, err := c.Join(within(t), Member{Name: named(t, "a"), Address: "127.0.0.1:2", Secret: secret})
		if e := refused[*TakenError](t, err); e.Address != "127.0.0.1:1" {
			t.Errorf("the address is %q", e.Address)
		}
	}
	w.expire(a.Peer())
	if m, err := c.Join(within(t), Member{Name: named(t, "a"), Address: "127.0.0.1:2"}); err != nil || m.Peer() != a.Peer() {
		t.Errorf("after the lease had ended: %v", err)
	} else {
		check(t, m.Leave(within(t)))
	}
	for _, name := range []string{"", "a\nb", "\xff", strings.Repeat("n", 1000)} {
		_, err := c.Join(within(t), Member{Name: name, Address: "127.0.0.1:1"})
		refused[*InvalidError](t, err)
	}
}

func testTakeover(t *testing.T, w world) {
	a := join(t, w.open(), "a")
	b := join(t, w.open(), "a")
	if a.Peer() != b.Peer() || b.Incarnation() <= a.Incarnation() {
		t.Fatalf("number %d, life %d became %d, %d", a.Peer(), a.Incarnation(), b.Peer(), b.Incarnation())
	}
	refused[*StaleError](t, a.Hold(within(t), Held{Set: 1, Shard: 0, Sum: [32]byte{}}))
	select {
	case <-a.Lost():
	case <-within(t).Done():
		t.Error("the old life did not learn of its end")
	}
	check(t, b.Hold(within(t), Held{Set: 1, Shard: 0, Sum: [32]byte{}}))
}

func testFence(t *testing.T, w world) {
	c := w.open()
	a := join(t, c, "a")
	id := must[uint32](t)(c.Allocate(within(t)))
	sum := sha256.Sum256([]byte("shard"))
	check(t, a.Hold(within(t), Held{Set: id, Shard: 0, Sum: sum}))
	w.expire(a.Peer())
	refused[*StaleError](t, a.Hold(within(t), Held{Set: id, Shard: 1, Sum: sum}))
	refused[*StaleError](t, a.Unhold(within(t), id, 0))
	b := join(t, c, "a")
	set := &catalog.Set{ID: id, Name: named(t, "s"), By: "blocks", Columns: []catalog.Column{{Name: "x"}}, Shards: []catalog.Shard{{Assigned: []catalog.Peer{b.Peer()}, Sum: sum}}}
	// What the old life held says nothing about the new one.
	refused[*NotHeldError](t, c.Commit(within(t), set))
	check(t, b.Hold(within(t), Held{Set: id, Shard: 0, Sum: sum}))
	check(t, c.Commit(within(t), set))
}

// flights is a set of two shards on two nodes, which hold them.
func flights(t *testing.T, c Control, a, b Membership, name string) *catalog.Set {
	t.Helper()
	s := &catalog.Set{
		ID: must[uint32](t)(c.Allocate(within(t))), Name: named(t, name), Rows: 10, By: "blocks",
		Columns: []catalog.Column{
			{Name: "delay", Kind: num.I16, Stored: "int16", Nullable: true},
			{Name: "at", Kind: num.F32, Stored: "list", Dims: []int64{2, 3}},
			{Name: "note", Stored: "utf8"},
		},
		Shards: []catalog.Shard{
			{Lo: 0, Hi: 8, Assigned: []catalog.Peer{a.Peer(), b.Peer()}, Bytes: 800, Sum: sha256.Sum256([]byte("x"))},
			{Lo: 8, Hi: 10, Assigned: []catalog.Peer{b.Peer()}, Bytes: 200, Sum: sha256.Sum256([]byte("y"))},
		},
	}
	check(t, a.Hold(within(t), Held{Set: s.ID, Shard: 0, Sum: s.Shards[0].Sum}))
	check(t, b.Hold(within(t), Held{Set: s.ID, Shard: 0, Sum: s.Shards[0].Sum}))
	check(t, b.Hold(within(t), Held{Set: s.ID, Shard: 1, Sum: s.Shards[1].Sum}))
	return s
}

// A set whose rows or bytes are not those of the files that its holders have is refused;
// holders of an earlier version do not say.
func testRows(t *testing.T, w world) {
	c := w.open()
	a, b := join(t, c, "a"), join(t, c, "b")
	s := flights(t, c, a, b, "s")
	check(t, a.Hold(within(t), Held{Set: s.ID, Shard: 0, Sum: s.Shards[0].Sum, Rows: 8, Bytes: 800}))
	for _, lie := range []Held{{Rows: 3, Bytes: 200}, {Rows: 2, Bytes: 100}} {
		lie.Set, lie.Shard, lie.Sum = s.ID, 1, s.Shards[1].Sum
		check(t, b.Hold(within(t), lie))
		if e := refused[*NotHeldError](t, c.Commit(within(t), s)); e.Shard != 1 || e.Peer != b.Peer() {
			t.Errorf("refused for %v", e)
		}
	}
	check(t, b.Hold(within(t), Held{Set: s.ID, Shard: 1, Sum: s.Shards[1].Sum, Rows: 2, Bytes: 200}))
	check(t, c.Commit(within(t), s))
}

// Only who asked for a number makes a set visible under it, once; the oldest ones of who asks
// for many are given up, and nobody else's.
func testReserved(t *testing.T, w world) {
	c := w.open()
	a, b := join(t, c, "a"), join(t, c, "b")
	x, y := For(within(t), "client/"+named(t, "x")), For(within(t), "client/"+named(t, "y"))
	s := flights(t, c, a, b, "s")
	reserve := func(ctx context.Context) {
		s.ID = must[uint32](t)(c.Allocate(ctx))
		check(t, a.HoldAll(within(t), []Held{{Set: s.ID, Shard: 0, Sum: s.Shards[0].Sum}}))
		check(t, b.HoldAll(within(t), []Held{{Set: s.ID, Shard: 0, Sum: s.Shards[0].Sum}, {Set: s.ID, Shard: 1, Sum: s.Shards[1].Sum}}))
	}
	reserve(x)
	refused[*InvalidError](t, c.Commit(y, s))
	first, ok, err := a.Reserved(within(t), s.ID)
	if first.Owner != ownerOf(x) || !ok || err != nil {
		t.Errorf("reserved for %v, %v, %v", first, ok, err)
	}
	check(t, b.Refresh(within(t), s.ID))
	if now, ok, err := a.Reserved(within(t), s.ID); now.Owner != ownerOf(x) || now.Revision <= first.Revision || !ok || err != nil {
		t.Errorf("reserved for %v after %v, %v, %v", now, first, ok, err)
	}
	if done, err := a.Release(within(t), s.ID, first.Revision); done || err != nil {
		t.Errorf("released although it was refreshed: %v, %v", done, err)
	}
	check(t, c.Commit(x, s))
	check(t, c.Commit(x, s))
	if _, ok, err := a.Reserved(within(t), s.ID); ok || err != nil {
		t.Errorf("still reserved, %v", err)
	}
	must[*catalog.Set](t)(c.Remove(within(t), s.Name))
	refused[*InvalidError](t, c.Commit(x, s))
	check(t, a.Refresh(within(t), s.ID))
	reserve(x)
	last, _, _ := a.Reserved(within(t), s.ID)
	if done, err := b.Release(within(t), s.ID, last.Revision); !done || err != nil {
		t.Errorf("not released: %v, %v", done, err)
	}
	if _, ok, _ := a.Reserved(within(t), s.ID); ok {
		t.Error("reserved after its release")
	}
	refused[*InvalidError](t, c.Commit(x, s))
	reserve(x)
	for range maxReserved {
		must[uint32](t)(c.Allocate(y))
	}
	check(t, c.Commit(x, s))
	must[*catalog.Set](t)(c.Remove(within(t), s.Name))
	reserve(x)
	for range maxReserved {
		must[uint32](t)(c.Allocate(x))
	}
	refused[*InvalidError](t, c.Commit(x, s))
}

// held is the set as views have it while all who were given a shard hold it.
func held(s *catalog.Set) *catalog.Set {
	h := *s
	h.Shards = slices.Clone(s.Shards)
	for i := range h.Shards {
		h.Shards[i].Replicas = h.Shards[i].Assigned
	}
	return &h
}

func testCommit(t *testing.T, w world) {
	c := w.open()
	a, b := join(t, c, "a"), join(t, c, "b")
	s := flights(t, c, a, b, "s")
	if _, seen := must[*catalog.View](t)(c.View(within(t))).Set(s.ID); seen {
		t.Fatal("the set is visible before it is committed")
	}
	check(t, c.Commit(within(t), s))
	check(t, c.Commit(within(t), s)) // as one does whose answer was lost
	v := must[*catalog.View](t)(w.open().View(within(t)))
	got, ok := v.Named(s.Name)
	if !ok || !reflect.DeepEqual(got, held(s)) {
		t.Fatalf("committed %+v, found %+v", s, got)
	}
	// A set outlives its nodes.
	w.expire(a.Peer())
	if _, ok := must[*catalog.View](t)(c.View(within(t))).Set(s.ID); !ok {
		t.Fatal("the set went with its node")
	}
}

func testNotHeld(t *testing.T, w world) {
	for _, tt := range []struct {
		name   string
		spoil  func(s *catalog.Set, a, b Membership)
		shard  int
		reason string
	}{
		{"sum", func(s *catalog.Set, a, b Membership) { s.Shards[1].Sum[0]++ }, 1, "SHA-256"},
		{"unheld", func(s *catalog.Set, a, b Membership) { b.Unhold(within(t), s.ID, 1) }, 1, "does not hold it"},
		{"none", func(s *catalog.Set, a, b Membership) { a.Unhold(within(t), s.ID, 0) }, 0, "any shard"},
		{"dead", func(s *catalog.Set, a, b Membership) { w.expire(a.Peer()) }, 0, "not alive"},
		{"left", func(s *catalog.Set, a, b Membership) { b.Leave(within(t)) }, 0, "not alive"},
		{"nobody", func(s *catalog.Set, a, b Membership) { s.Shards[0].Assigned[0] = 4711 }, 0, "not alive"},
		{"other", func(s *catalog.Set, a, b Membership) { s.Shards[1].Assigned[0] = a.Peer() }, 1, "does not hold it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := w.open()
			a, b := join(t, c, "a"), join(t, c, "b")
			s := flights(t, c, a, b, "s")
			tt.spoil(s, a, b)
			e := refused[*NotHeldError](t, c.Commit(within(t), s))
			if e.Shard != tt.shard || !strings.Contains(e.Reason, tt.reason) {
				t.Errorf("the error is %v, expected shard %d and %q", e, tt.shard, tt.reason)
			}
			if _, ok := must[*catalog.View](t)(c.View(within(t))).Named(s.Name); ok {
				t.Error("the set is visible")
			}
		})
	}
}

func testInvalid(t *testing.T, w world) {
	c := w.open()
	a, b := join(t, c, "a"), join(t, c, "b")
	for _, tt := range []struct {
		name  string
		spoil func(s *catalog.Set)
	}{
		{"gap", func(s *catalog.Set) { s.Shards[1].Lo = 9 }},
		{"rows", func(s *catalog.Set) { s.Rows = 11 }},
		{"negative", func(s *catalog.Set) { s.Shards[0].Hi = -1; s.Shards[1].Lo = -1 }},
		{"no replica", func(s *catalog.Set) { s.Shards[0].Assigned = nil }},
		{"twice", func(s *catalog.Set) { s.Shards[1].Assigned = []catalog.Peer{b.Peer(), b.Peer()} }},
		{"client", func(s *catalog.Set) { s.Shards[1].Assigned[0] = catalog.FirstClient }},
		{"no shard", func(s *catalog.Set) { s.Shards = nil; s.Rows = 0 }},
		{"not allocated", func(s *catalog.Set) { s.ID = 1 << 30 }},
		{"no number", func(s *catalog.Set) { s.ID = 0 }},
		{"no name", func(s *catalog.Set) { s.Name = "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := flights(t, c, a, b, "s")
			tt.spoil(s)
			refused[*InvalidError](t, c.Commit(within(t), s))
		})
	}
}

func testTitles(t *testing.T, w world) {
	c := w.open()
	a, b := join(t, c, "a"), join(t, c, "b")
	long, short := flights(t, c, a, b, "s/t"), flights(t, c, a, b, "s/")
	check(t, c.Commit(within(t), long))
	check(t, c.Commit(within(t), short))
	other := flights(t, c, a, b, "s/t")
	if e := refused[*ExistsError](t, c.Commit(within(t), other)); e.ID != long.ID {
		t.Errorf("the name belongs to %d, expected %d", e.ID, long.ID)
	}
	if old := must[*catalog.Set](t)(c.Remove(within(t), long.Name)); !reflect.DeepEqual(old, long) {
		t.Errorf("removed %+v, expected %+v", old, long)
	}
	_, err := c.Remove(within(t), long.Name)
	refused[*MissingError](t, err)
	check(t, c.Commit(within(t), other))
	v := must[*catalog.View](t)(c.View(within(t)))
	if _, ok := v.Set(long.ID); ok {
		t.Error("the removed set is visible")
	}
	if s, ok := v.Named(short.Name); !ok || s.ID != short.ID {
		t.Error("the other set went too")
	}
}

func testReplace(t *testing.T, w world) {
	c := w.open()
	a, b := join(t, c, "a"), join(t, c, "b")
	first, second := flights(t, c, a, b, "s"), flights(t, c, a, b, "s")
	if old := must[*catalog.Set](t)(c.Replace(within(t), first)); old != nil {
		t.Errorf("a free name had the set %+v", old)
	}
	if old := must[*catalog.Set](t)(c.Replace(within(t), second)); !reflect.DeepEqual(old, first) {
		t.Errorf("replaced %+v, expected %+v", old, first)
	}
	v := must[*catalog.View](t)(c.View(within(t)))
	if s, ok := v.Named(first.Name); !ok || s.ID != second.ID {
		t.Errorf("the name has %+v", s)
	}
	if _, ok := v.Set(first.ID); ok {
		t.Error("the replaced set is visible")
	}
	third, late := flights(t, c, a, b, "s"), flights(t, c, a, b, "s")
	third.After, late.After = second.ID, second.ID
	must[*catalog.Set](t)(c.Replace(within(t), third))
	if _, err := c.Replace(within(t), late); err == nil || err.Error() != refused[*OvertakenError](t, err).Error() {
		t.Errorf("rows behind those of a set that is not there any more: %v", err)
	}
}

func testAllocate(t *testing.T, w world) {
	const each = 10
	var mu sync.Mutex
	seen := map[uint32]bool{}
	var all sync.WaitGroup
	for range 3 {
		c := w.open()
		all.Go(func() {
			for range each {
				n, err := c.Allocate(within(t))
				mu.Lock()
				if err != nil || n == 0 || seen[n] {
					t.Errorf("number %d, %v", n, err)
				}
				seen[n] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
}

func testRace(t *testing.T, w world) {
	c := w.open()
	a, b := join(t, c, "a"), join(t, c, "b")
	var mu sync.Mutex
	won := 0
	var all sync.WaitGroup
	for range 4 {
		s := flights(t, c, a, b, "s")
		all.Go(func() {
			err := w.open().Commit(within(t), s)
			mu.Lock()
			defer mu.Unlock()
			var exists *ExistsError
			if err == nil {
				won++
			} else if !errors.As(err, &exists) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won != 1 {
		t.Errorf("%d sets got the same name", won)
	}
}

// until reads views up to the first that is as wanted.
func until(t *testing.T, views <-chan *catalog.View, wanted func(*catalog.View) bool) *catalog.View {
	t.Helper()
	limit := time.After(time.Minute)
	last := int64(-1)
	for {
		select {
		case v, ok := <-views:
			if !ok {
				t.Fatal("the watch ended")
			}
			if v.Revision <= last {
				t.Fatalf("revision %d came after %d", v.Revision, last)
			}
			if last = v.Revision; wanted(v) {
				return v
			}
		case <-limit:
			t.Fatalf("no view is as wanted; the last had revision %d", last)
		}
	}
}

func testWatch(t *testing.T, w world) {
	c := w.open()
	ctx, cancel := context.WithCancel(within(t))
	views := must[<-chan *catalog.View](t)(w.open().Watch(ctx))
	until(t, views, func(*catalog.View) bool { return true })
	a, b := join(t, c, "a"), join(t, c, "b")
	s := flights(t, c, a, b, "s")
	check(t, c.Commit(within(t), s))
	v := until(t, views, func(v *catalog.View) bool { _, ok := v.Set(s.ID); return ok })
	if n, ok := v.Node(a.Peer()); !ok || n.Incarnation != a.Incarnation() {
		t.Errorf("the view has %+v", n)
	}
	if got, _ := v.Set(s.ID); !reflect.DeepEqual(got, held(s)) {
		t.Errorf("the view has %+v, expected %+v", got, held(s))
	}
	before := len(v.Nodes)
	// Who holds a shard is who says so: neither a node that dropped it nor one whose
	// life is over, and one that was not assigned comes last.
	check(t, b.Unhold(within(t), s.ID, 0))
	holders := func(v *catalog.View, shard int) []catalog.Peer {
		set, ok := v.Set(s.ID)
		if !ok {
			return nil
		}
		return set.Shards[shard].Replicas
	}
	until(t, views, func(v *catalog.View) bool { return slices.Equal(holders(v, 0), []catalog.Peer{a.Peer()}) })
	check(t, a.Hold(within(t), Held{Set: s.ID, Shard: 1, Sum: s.Shards[1].Sum}))
	check(t, a.Hold(within(t), Held{Set: s.ID, Shard: 0, Sum: sha256.Sum256([]byte("another file"))}))
	until(t, views, func(v *catalog.View) bool {
		return len(holders(v, 0)) == 0 && slices.Equal(holders(v, 1), []catalog.Peer{b.Peer(), a.Peer()})
	})
	w.expire(a.Peer())
	late := until(t, views, func(v *catalog.View) bool { _, ok := v.Node(a.Peer()); return !ok })
	if got := holders(late, 1); !slices.Equal(got, []catalog.Peer{b.Peer()}) {
		t.Errorf("after the end of a, shard 1 is held by %v", got)
	}
	if len(v.Nodes) != before || len(holders(v, 0)) != 2 {
		t.Error("a view has changed")
	}
	must[*catalog.Set](t)(c.Remove(within(t), s.Name))
	until(t, views, func(v *catalog.View) bool { _, ok := v.Set(s.ID); return !ok })
	cancel()
	for range views {
	}
}

func testSlow(t *testing.T, w world) {
	c := w.open()
	views := must[<-chan *catalog.View](t)(c.Watch(within(t)))
	const rounds = 2 * keptChanges // so that memory drops changes, too
	var m Membership
	for range rounds {
		m = join(t, c, "a")
		check(t, m.Leave(within(t)))
	}
	m = join(t, c, "a")
	seen := 0
	until(t, views, func(v *catalog.View) bool {
		seen++
		n, ok := v.Node(m.Peer())
		return ok && n.Incarnation == m.Incarnation()
	})
	if seen > rounds/2 {
		t.Errorf("%d views came for %d changes: none was skipped", seen, 2*rounds+1)
	}
}

func testEnded(t *testing.T, w world) {
	c := w.open()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := c.View(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	views := must[<-chan *catalog.View](t)(c.Watch(within(t)))
	check(t, c.Close())
	for range views {
	}
}

func TestMemory(t *testing.T) {
	m := NewMemory()
	conform(t, world{
		open: func() Control { return newRegistry(m.m, Options{}) },
		expire: func(p catalog.Peer) {
			if !m.Expire(p) {
				t.Errorf("node %d was not alive", p)
			}
		},
	})
}
