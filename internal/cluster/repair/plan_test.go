package repair

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

const second = 1_000_000

// bed is a cluster of plans that all see the same view.
type bed struct {
	t     fataler
	now   int64
	alive map[catalog.Peer]bool
	drain map[catalog.Peer]bool
	full  map[catalog.Peer]bool
	far   map[catalog.Peer]bool
	holds map[catalog.Peer]map[Name]bool // on their disks
	plans map[catalog.Peer]*Plan
	sets  []catalog.Set
	view  *catalog.View
}

type fataler interface {
	Fatalf(string, ...any)
}

func newBed(t fataler, nodes int, shards, replicas int) *bed {
	b := &bed{t: t, alive: map[catalog.Peer]bool{}, drain: map[catalog.Peer]bool{}, full: map[catalog.Peer]bool{},
		holds: map[catalog.Peer]map[Name]bool{}, plans: map[catalog.Peer]*Plan{}, view: &catalog.View{}}
	for p := catalog.Peer(1); p <= catalog.Peer(nodes); p++ {
		b.alive[p], b.holds[p] = true, map[Name]bool{}
		b.plans[p] = New(p, Options{}, Known{})
	}
	set := catalog.Set{ID: 1, Name: "s"}
	for i := range shards {
		var s catalog.Shard
		for k := range replicas {
			p := catalog.Peer((i+k)%nodes + 1)
			s.Assigned = append(s.Assigned, p)
			b.holds[p][Name{1, i}] = true
		}
		set.Shards = append(set.Shards, s)
	}
	b.sets = []catalog.Set{set}
	b.publish()
	return b
}

// publish makes the view that follows from what is so, and shows it to all.
func (b *bed) publish() {
	v := &catalog.View{Revision: b.view.Revision + 1}
	for p := range catalog.Peer(len(b.holds)) {
		if p++; b.alive[p] {
			v.Nodes = append(v.Nodes, catalog.Node{Peer: p, Draining: b.drain[p], Far: b.far[p]})
		}
	}
	for _, set := range b.sets {
		set.Shards = slices.Clone(set.Shards)
		for i := range set.Shards {
			s := &set.Shards[i]
			for _, n := range v.Nodes {
				if b.holds[n.Peer][Name{set.ID, i}] {
					s.Replicas = append(s.Replicas, n.Peer)
				}
			}
			slices.SortFunc(s.Replicas, func(p, q catalog.Peer) int {
				if s.Before(p, q) {
					return -1
				}
				return 1
			})
		}
		v.Sets = append(v.Sets, set)
	}
	b.view = v
	for p, plan := range b.plans {
		if b.alive[p] {
			plan.Learn(v)
		}
	}
}

// pass lets time go by, a second at a time, and does what plans want.
func (b *bed) pass(seconds int) (log []string) {
	for range seconds {
		b.now += second
		for p := range catalog.Peer(len(b.holds)) {
			if p++; !b.alive[p] {
				continue
			}
			var held []Name
			for n := range b.holds[p] {
				held = append(held, n)
			}
			slices.SortFunc(held, Name.compare)
			list, _ := b.plans[p].Due(b.now, held)
			for _, a := range list {
				log = append(log, b.do(p, a))
			}
		}
		b.publish()
	}
	return log
}

func (b *bed) do(p catalog.Peer, a Action) string {
	switch a := a.(type) {
	case *Copy:
		if b.full[p] {
			b.plans[p].Ended(b.now, a.Name, errors.New("full"))
			return fmt.Sprintf("%d: node %d has no room for %v", b.now/second, p, a.Name)
		}
		b.plans[p].Ended(b.now, a.Name, nil)
		b.holds[p][a.Name] = true
		return fmt.Sprintf("%d: node %d copies %v", b.now/second, p, a.Name)
	case *Drop:
		delete(b.holds[p], a.Name)
		return fmt.Sprintf("%d: node %d drops %v", b.now/second, p, a.Name)
	}
	b.t.Fatalf("%T", a)
	return ""
}

func (b *bed) copies(n Name) (list []catalog.Peer) {
	for p := range catalog.Peer(len(b.holds)) {
		if p++; b.alive[p] && b.holds[p][n] {
			list = append(list, p)
		}
	}
	return list
}

func TestPlan(t *testing.T) {
	shard := Name{1, 0}
	t.Run("a lost node", func(t *testing.T) {
		b := newBed(t, 5, 1, 2)
		b.pass(100)
		b.alive[2] = false
		b.publish()
		if log := b.pass(30); len(log) > 0 {
			t.Fatalf("something happens before its time: %v", log)
		}
		if log := b.pass(5); len(log) != 1 || len(b.copies(shard)) != 2 {
			t.Fatalf("expected one copy, found %v", log)
		}
		// It comes back: three, of which those that were given it stay.
		b.alive[2] = true
		b.publish()
		if log := b.pass(299); len(log) > 0 {
			t.Fatalf("something happens before its time: %v", log)
		}
		if log := b.pass(10); len(log) != 1 || !slices.Equal(b.copies(shard), []catalog.Peer{1, 2}) {
			t.Fatalf("%v: copies are on %v, expected nodes 1 and 2", log, b.copies(shard))
		}
	})
	t.Run("two too many", func(t *testing.T) {
		b := newBed(t, 5, 1, 2)
		b.alive[2] = false // a third node takes over,
		b.publish()
		b.pass(40)
		b.alive[1] = false // a fourth one,
		b.publish()
		b.pass(40)
		b.alive[1] = true // and one comes back: one of three goes, not both that have taken over
		b.publish()
		if log := b.pass(310); len(b.copies(shard)) != 2 || !slices.Contains(b.copies(shard), 1) {
			t.Fatalf("%v: copies are on %v, expected node 1 and another", log, b.copies(shard))
		}
	})
	t.Run("damaged", func(t *testing.T) {
		b := newBed(t, 5, 1, 2)
		b.pass(10)
		delete(b.holds[2], shard)
		b.publish()
		if log := b.pass(2); !slices.Equal(b.copies(shard), []catalog.Peer{1, 2}) {
			t.Fatalf("%v: copies are on %v, expected that node 2 makes its own again at once", log, b.copies(shard))
		}
	})
	t.Run("damaged without room", func(t *testing.T) {
		b := newBed(t, 5, 1, 2)
		b.full[2] = true
		delete(b.holds[2], shard)
		b.publish()
		if log := b.pass(5); len(b.copies(shard)) != 2 || b.holds[2][shard] {
			t.Fatalf("%v: copies are on %v, expected node 1 and the next one", log, b.copies(shard))
		}
	})
	t.Run("damaged when its node comes back", func(t *testing.T) {
		b := newBed(t, 9, 1, 2)
		b.alive[2] = false
		b.publish()
		b.pass(25)
		b.alive[2] = true
		delete(b.holds[2], shard)
		b.publish()
		if log := b.pass(3); len(log) != 1 || !b.holds[2][shard] {
			t.Fatalf("%v: expected one copy, on node 2", log)
		}
	})
	t.Run("damaged again and again", func(t *testing.T) {
		b := newBed(t, 2, 1, 2)
		var at []int64
		for range 4000 {
			delete(b.holds[2], shard)
			b.publish()
			if log := b.pass(1); len(log) > 0 {
				at = append(at, b.now/second)
			}
		}
		if want := []int64{1, 31, 91, 211, 451, 931, 1891, 3811}; !slices.Equal(at, want) {
			t.Fatalf("copies are made after %v s, expected %v", at, want)
		}
		b.holds[2][shard] = true
		b.publish()
		b.pass(2 * 64 * 30)
		delete(b.holds[2], shard) // it had lasted
		b.publish()
		if log := b.pass(1); len(log) != 1 {
			t.Fatalf("%v: expected a copy at once", log)
		}
		delete(b.holds[2], shard)
		b.publish()
		if log := b.pass(31); len(log) != 1 {
			t.Fatalf("%v: expected a copy after 30 s", log)
		}
	})
	t.Run("no room", func(t *testing.T) {
		b := newBed(t, 4, 1, 2)
		b.alive[2] = false
		b.full[3], b.full[4] = true, true
		b.pass(300)
		b.full[4] = false
		log := b.pass(300)
		if got := b.copies(shard); !slices.Equal(got, []catalog.Peer{1, 4}) {
			t.Fatalf("copies are on %v, expected nodes 1 and 4: %v", got, log)
		}
	})
	t.Run("draining", func(t *testing.T) {
		b := newBed(t, 3, 1, 2)
		b.drain[1] = true
		b.pass(400)
		if got := b.copies(shard); !slices.Equal(got, []catalog.Peer{1, 2, 3}) {
			t.Fatalf("copies are on %v, expected all: that on node 1 does not count, but is there", got)
		}
		b.drain[3] = true
		b.drain[1] = false
		b.pass(400)
		if got := b.copies(shard); !slices.Contains(got, 1) || !slices.Contains(got, 2) {
			t.Fatalf("copies are on %v, expected nodes 1 and 2 among them", got)
		}
	})
	t.Run("removed while away", func(t *testing.T) {
		b := newBed(t, 3, 1, 2)
		b.pass(1)
		known := b.plans[1].Known()
		if known.Sets[1] == 0 {
			t.Fatal("the set is not known")
		}
		b.alive[1] = false
		b.sets = nil
		b.publish()
		b.pass(100)
		b.alive[1], b.plans[1] = true, New(1, Options{}, known)
		b.holds[1][Name{7, 3}] = true // a load under way
		b.publish()
		log := b.pass(500)
		if b.holds[1][shard] || !b.holds[1][Name{7, 3}] {
			t.Fatalf("%v: node 1 holds %v, expected shard 3 of set 7, which may be a load, and no other", log, b.holds[1])
		}
	})
	t.Run("views that are wrong", func(t *testing.T) {
		b := newBed(t, 2, 2, 1)
		plan := b.plans[1]
		for range 8 {
			b.now += second
			if list, _ := plan.Due(b.now, []Name{{1, 1}}); len(list) > 0 {
				t.Fatalf("something happens before its time: %+v", list[0])
			}
		}
		b.now += second
		list, _ := plan.Due(b.now, []Name{{1, 1}})
		retract, publish := &Retract{Name{1, 0}}, &Publish{Name{1, 1}}
		if len(list) != 2 || *list[0].(*Retract) != *retract || *list[1].(*Publish) != *publish {
			t.Fatalf("%+v, expected that shard 0 is taken back and shard 1 published", list)
		}
		if list, _ = plan.Due(b.now+second, []Name{{1, 1}}); len(list) > 0 {
			t.Fatalf("the same again at once: %+v", list)
		}
	})
	t.Run("few at the same time", func(t *testing.T) {
		b := newBed(t, 2, 5, 2)
		plan := b.plans[2]
		clear(b.holds[2])
		b.publish()
		first, _ := plan.Due(second, nil)
		again, _ := plan.Due(2*second, nil)
		plan.Ended(3*second, first[0].(*Copy).Name, nil)
		next, _ := plan.Due(3*second, []Name{first[0].(*Copy).Name})
		if len(first) != 2 || len(again) != 0 || len(next) != 1 {
			t.Fatalf("%d copies begin, then %d, and %d when one has ended; expected 2, 0 and 1", len(first), len(again), len(next))
		}
	})
	t.Run("pauses between failures", func(t *testing.T) {
		b := newBed(t, 2, 1, 2)
		plan := b.plans[2]
		delete(b.holds[2], shard)
		b.publish()
		var at []int64
		for b.now < 1000*second {
			b.now += second
			list, _ := plan.Due(b.now, nil)
			if len(list) == 0 {
				continue
			}
			at = append(at, b.now/second)
			var err error
			if len(at) != 9 { // the ninth succeeds, and is lost before anybody sees it
				err = errors.New("it broke off")
			}
			plan.Ended(b.now, shard, err)
		}
		if want := []int64{1, 5, 13, 28, 58, 118, 238, 478, 718, 748, 752, 760, 775, 805, 865, 985}; !slices.Equal(at, want) {
			t.Fatalf("copies are tried after %v s, expected %v", at, want)
		}
	})
	t.Run("a large one without room", func(t *testing.T) {
		b := newBed(t, 5, 1, 2)
		b.sets[0].Shards[0].Bytes = 320 << 20 // 10 s at the rate
		b.full[2] = true
		delete(b.holds[2], shard)
		b.publish()
		if b.pass(22); len(b.copies(shard)) != 1 {
			t.Fatalf("copies are on %v before node 2 could have been done", b.copies(shard))
		}
		if log := b.pass(2); len(b.copies(shard)) != 2 {
			t.Fatalf("%v: copies are on %v, expected node 1 and the next one", log, b.copies(shard))
		}
	})
	t.Run("nodes that are emptied take nothing", func(t *testing.T) {
		b := newBed(t, 3, 1, 2)
		b.alive[2], b.drain[3] = false, true
		b.publish()
		if log := b.pass(300); len(log) > 0 {
			t.Fatalf("%v: node 3 is being emptied", log)
		}
		b = newBed(t, 4, 1, 2)
		b.sets[0].Shards[0].Bytes = 320 << 20
		b.drain[2] = true
		delete(b.holds[2], shard)
		b.publish()
		if log := b.pass(2); len(b.copies(shard)) != 2 || b.holds[2][shard] {
			t.Fatalf("%v: copies are on %v, expected that nobody waits for node 2", log, b.copies(shard))
		}
	})
	t.Run("views that come late", func(t *testing.T) {
		b := newBed(t, 2, 1, 2)
		late := *b.view
		late.Sets = slices.Clone(late.Sets)
		late.Sets[0].Shards = slices.Clone(late.Sets[0].Shards)
		late.Sets[0].Shards[0].Replicas = []catalog.Peer{1}
		b.publish()
		plan := b.plans[2]
		plan.Learn(&late)
		if list, _ := plan.Due(second, nil); len(list) > 0 {
			t.Fatalf("an older view makes it do %+v", list[0])
		}
		late.Records = "others" // whose revisions begin anew
		plan.Learn(&late)
		if list, _ := plan.Due(2*second, nil); len(list) != 1 {
			t.Fatalf("a view of other records makes it do %v, expected a copy", list)
		}
	})
	t.Run("never committed", func(t *testing.T) {
		b := newBed(t, 1, 1, 1)
		before, load := Name{5, 0}, Name{7, 3}
		plan := New(1, Options{}, Known{})
		plan.Learn(&catalog.View{Revision: 9, Records: "r", Nodes: b.view.Nodes})
		if list, news := plan.Due(second, []Name{before}); len(list) > 0 || !news {
			t.Fatalf("%v, to be kept: %v", list, news)
		}
		// A restart forgets nothing of that.
		plan = New(1, Options{}, plan.Known())
		plan.Learn(&catalog.View{Revision: 10, Records: "r", Nodes: b.view.Nodes})
		var at []int64
		for now := int64(2); now <= 1300; now++ {
			list, _ := plan.Due(now*second, []Name{before, load})
			for _, a := range list {
				if u, ok := a.(*Unclaimed); !ok || u.Name != load {
					t.Fatalf("%T of %+v, expected that only shard 3 of set 7 may go", a, a)
				}
				at = append(at, now)
			}
		}
		if want := []int64{602, 1203}; !slices.Equal(at, want) {
			t.Fatalf("it is asked after %v s whether anybody loads the set, expected %v", at, want)
		}
	})
	t.Run("other records", func(t *testing.T) {
		b := newBed(t, 1, 1, 1)
		b.view.Revision = 1000
		b.publish()
		b.pass(1)
		b.plans[1] = New(1, Options{}, b.plans[1].Known())
		b.plans[1].Learn(&catalog.View{Revision: 5, Nodes: b.view.Nodes})
		for range 1000 {
			b.now += second
			if list, _ := b.plans[1].Due(b.now, []Name{shard}); len(list) > 0 {
				t.Fatalf("a view of revision 5 makes it do %+v", list[0])
			}
		}
		// Their revisions rise, too: what they do not have was not removed from them.
		b.plans[1].Learn(&catalog.View{Revision: 5000, Records: "others", Nodes: b.view.Nodes})
		for range 1000 {
			b.now += second
			if list, _ := b.plans[1].Due(b.now, []Name{shard}); len(list) > 0 {
				t.Fatalf("a view of other records makes it do %+v", list[0])
			}
		}
	})
}

// TestHeals: whatever nodes come, go, fill up, lose and drain, no step drops one of the last
// replicas, and in the end each shard has as many as it should have, on nodes that stay, if
// there are as many with room.
func TestHeals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 6).Draw(t, "nodes")
		replicas := min(nodes, rapid.IntRange(1, 3).Draw(t, "replicas"))
		b := newBed(t, nodes, rapid.IntRange(1, 5).Draw(t, "shards"), replicas)
		peer := func() catalog.Peer { return catalog.Peer(rapid.IntRange(1, nodes).Draw(t, "node")) }
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			switch p := peer(); rapid.IntRange(0, 3).Draw(t, "event") {
			case 0:
				b.alive[p] = !b.alive[p]
			case 1:
				b.drain[p] = !b.drain[p]
			case 2:
				b.full[p] = !b.full[p]
			case 3:
				n := Name{1, rapid.IntRange(0, len(b.sets[0].Shards)-1).Draw(t, "shard")}
				if all := b.copies(n); len(all) > 1 {
					delete(b.holds[all[len(all)-1]], n)
				}
			}
			b.publish()
			before := b.holders()
			b.pass(rapid.IntRange(0, 400).Draw(t, "seconds"))
			for n, had := range before {
				if now := len(b.copies(n)); now < min(had, replicas) {
					t.Fatalf("%v had %d live replicas and has %d", n, had, now)
				}
			}
		}
		room := 0
		for p := range b.plans {
			b.alive[p], b.drain[p], b.full[p] = true, false, false
			room++
		}
		b.publish()
		b.pass(4000)
		for i := range b.sets[0].Shards {
			if got := b.copies(Name{1, i}); len(got) != min(replicas, room) {
				t.Fatalf("shard %d is on %v in the end, expected %d nodes", i, got, replicas)
			}
		}
	})
}

func (b *bed) holders() map[Name]int {
	all := map[Name]int{}
	for i := range b.sets[0].Shards {
		all[Name{1, i}] = len(b.copies(Name{1, i}))
	}
	return all
}

// TestSpread: a lost node's shards go to all others.
func TestSpread(t *testing.T) {
	b := newBed(t, 6, 120, 2)
	b.alive[3] = false
	b.pass(600)
	for p := catalog.Peer(1); p <= 6; p++ {
		if n := len(b.holds[p]); p != 3 && (n < 42 || n > 55) {
			t.Errorf("node %d holds %d shards of 240 copies on five nodes", p, n)
		}
	}
}

func (n Name) compare(o Name) int {
	return cmp.Or(cmp.Compare(n.Set, o.Set), cmp.Compare(n.Shard, o.Shard))
}

// TestFar: shards of far sets are made again in far memory alone, and all others never there.
func TestFar(t *testing.T) {
	for _, far := range []bool{false, true} {
		b := newBed(t, 6, 1, 2)
		b.far = map[catalog.Peer]bool{4: true, 5: true, 6: true}
		given := []catalog.Peer{1, 2}
		spare := catalog.Peer(3)
		if far {
			given, spare = []catalog.Peer{4, 5}, 6
		}
		b.sets[0].Far = far
		b.sets[0].Shards[0].Assigned = given
		n := Name{b.sets[0].ID, 0}
		for p := range b.holds {
			delete(b.holds[p], n)
		}
		for _, p := range given {
			b.holds[p][n] = true
		}
		b.publish()
		b.pass(5)
		b.alive[given[1]] = false
		b.publish()
		log := b.pass(600)
		if got, want := b.copies(n), []catalog.Peer{given[0], spare}; !slices.Equal(got, want) {
			t.Errorf("far %v: nodes %v hold it, expected %v:\n%v", far, got, want, log)
		}
		b.alive[spare] = false // nobody of its sort is left
		b.publish()
		b.pass(600)
		if got := b.copies(n); !slices.Equal(got, given[:1]) {
			t.Errorf("far %v: nodes %v hold it, expected %v alone", far, got, given[0])
		}
	}
}
