package control

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Members of three that are started at other addresses find the one that stayed, and
// then one another: with the one that stayed gone, the two make a majority.
func TestMoved(t *testing.T) {
	t.Parallel()
	at := map[string]string{"a": free(t), "b": free(t), "c": free(t)}
	dirs := map[string]string{"a": t.TempDir(), "b": t.TempDir(), "c": t.TempDir()}
	open := func(names ...string) map[string]*Server {
		all := map[string]*Server{}
		var mu sync.Mutex
		var work sync.WaitGroup
		cluster := maps.Clone(at)
		for _, name := range names {
			work.Go(func() {
				s, err := Embed(within(t), Config{Name: name, Dir: dirs[name], Peer: cluster[name], Cluster: cluster})
				if err != nil {
					t.Error(err)
					return
				}
				t.Cleanup(func() { s.Close() })
				mu.Lock()
				all[name] = s
				mu.Unlock()
			})
		}
		work.Wait()
		if t.Failed() {
			t.FailNow()
		}
		return all
	}
	shut := func(all map[string]*Server) {
		var work sync.WaitGroup
		for _, s := range all {
			work.Go(func() { s.e.Server.HardStop(); s.Close() })
		}
		work.Wait()
	}
	first := open("a", "b", "c")
	lead := func(of map[string]*Server) *Server {
		for _, s := range of {
			if s.e.Server.Leader() == s.e.Server.MemberID() {
				return s
			}
		}
		return nil
	}
	// A leader that has moved makes another one the leader.
	before := lead(first)
	check(t, before.yield())
	for end := time.Now().Add(time.Minute); lead(first) == nil || lead(first) == before; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("member %s leads still", before.cfg.Name)
		}
	}
	shut(first)

	at["a"], at["b"] = free(t), free(t)
	second := open("a", "b", "c")
	known := func() []string {
		var list []string
		for _, m := range second["c"].e.Server.Cluster().Members() {
			list = append(list, m.PeerURLs...)
		}
		slices.Sort(list)
		return list
	}
	var want []string
	for _, a := range at {
		want = append(want, "http://"+a)
	}
	slices.Sort(want)
	for end := time.Now().Add(time.Minute); !slices.Equal(known(), want); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the member that stayed knows %v, expected %v", known(), want)
		}
	}
	// One that has moved does not keep the lead: others that have moved might still be looking for it.
	a := second["a"]
	if l := lead(second); l != a {
		check(t, l.e.Server.MoveLeader(within(t), uint64(l.e.Server.MemberID()), uint64(a.e.Server.MemberID())))
	}
	for end := time.Now().Add(time.Minute); lead(second) == nil || lead(second) == a; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a member that has moved leads still")
		}
	}
	shut(second)

	third := open("a", "b")
	views := must[<-chan *catalog.View](t)(third["a"].Control().Watch(within(t)))
	m := must[Membership](t)(third["b"].Control().Join(within(t), Member{Name: "n", Address: "127.0.0.1:1"}))
	until(t, views, func(v *catalog.View) bool { _, ok := v.Node(m.Peer()); return ok })
}
