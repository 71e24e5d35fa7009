package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// reading is a program over one data set, of each way that shards are read.
type reading struct {
	name   string
	file   string // of the examples, or
	text   string
	param  string
	src    data.Source
	others compile.Args
}

var readings = []reading{
	{name: "fold", text: "fn total(v: &[f64; N]) -> f64 { v.sum() }", param: "v", src: array(num.F64, 30_000, nil, 1, 0)},
	{name: "groups", text: "fn groups(v: &[f64; N]) -> [f64; 8] { v.group_by::<8>(|x| (x as i64).clamp(0, 7)).sum(|x| x) }", param: "v", src: array(num.F64, 4*65536+100, nil, 2, 0)},
	{name: "map", text: "fn twice(v: &[f64; N]) -> [f64; N] { v.map(|x| x * 2.0 + 1.0) }", param: "v", src: array(num.F64, 30_000, nil, 3, 0)},
	{name: "kept", text: "fn kept(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 3.0) }", param: "v", src: array(num.F64, 30_000, nil, 8, 0)},
	{name: "scan", text: "fn running(v: &[f64; N]) -> [f64; N] { v.scan(0.0, |a, x| a * 0.5 + x) }", param: "v", src: array(num.F64, 30_000, nil, 4, 0)},
	{name: "top", text: "fn best(v: &[f64; N]) -> [f64; ?M <= 5] { v.top_k::<5>() }", param: "v", src: array(num.F64, 4*65536, nil, 5, 0)},
	{name: "chase", file: "wordnet/ancestor.gw", param: "parent", src: array(num.I64, 3000, nil, 6, 3000), others: compile.Args{"start": compile.Text("77"), "steps": compile.Text("50")}},
	{name: "search", file: "search/search.gw", param: "keys", src: array(num.I64, 30_000, nil, 7, 1<<40), others: compile.Args{"queries": compile.Text("[1, 500000000, 12345678912, 7, 99999999999]")}},
}

// ready is a reading with its answer on one machine.
type ready struct {
	*reading
	f    *compile.Func
	want *outcome
}

func prepare(t *testing.T, b *bed) (list []*ready) {
	for i := range readings {
		r := &ready{reading: &readings[i]}
		sources := []*diag.Source{diag.NewSource(r.name+".gw", r.text)}
		if r.file != "" {
			var err error
			if sources, err = compile.Read(filepath.Join("../../examples", r.file)); err != nil {
				t.Fatal(err)
			}
		}
		r.f = compiled(t, sources...)
		var err error
		if r.want, err = b.run(context.Background(), r.f, r.args(r.src), run.Options{}); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

func (r *ready) args(src data.Source) compile.Args {
	args := compile.Args{r.param: compile.Table{Source: src}}
	for name, a := range r.others {
		args[name] = a
	}
	return args
}

// check runs the program over a data set and compares.
func (r *ready) check(b *bed, set string, s cluster.Strategy) error {
	remote, err := b.Client.Open(set)
	if err != nil {
		return err
	}
	got, err := b.beside(context.Background(), r.f, r.args(remote), s)
	if err != nil {
		return err
	}
	if s == cluster.Ship && got.away == 0 {
		return fmt.Errorf("nothing ran beside shards:\n%s", got.places())
	}
	return same(r.want, got)
}

// lose drops a replica behind its node's back.
func (b *bed) lose(p catalog.Peer, set uint32, shard int) error {
	return b.Stores[p-1].Drop(set, uint32(shard))
}

// subsets lists for each shard which of its replicas are lost, in all ways that leave one at
// least of each.
func subsets(shards, replicas int) (list [][]int) {
	all := 1<<replicas - 1
	list = [][]int{{}}
	for range shards {
		var longer [][]int
		for _, l := range list {
			for lost := range all {
				longer = append(longer, append(slices.Clone(l), lost))
			}
		}
		list = longer
	}
	return list
}

// TestLostReplicas: whatever replicas are lost, as long as each shard has a good one, the
// answer of every program under every strategy has the bits of the one on this machine.
func TestLostReplicas(t *testing.T) {
	for _, c := range []struct{ nodes, shards, replicas int }{{3, 3, 2}, {4, 2, 3}} {
		t.Run(fmt.Sprintf("%d shards, %d replicas", c.shards, c.replicas), func(t *testing.T) {
			b := newBed(t, c.nodes)
			list := prepare(t, b)
			for _, r := range list { // nodes know the code, for the strategy preinstalled
				if err := errors.Join(b.load(r.src, "warm", cluster.LoadOptions{Shards: c.nodes, Replace: true}), r.check(b, "warm", cluster.Ship)); err != nil {
					t.Fatal(err)
				}
			}
			for i, lost := range subsets(c.shards, c.replicas) {
				for k, r := range list {
					strategies := []cluster.Strategy{cluster.Strategies[(i+k)%len(cluster.Strategies)]}
					if c.replicas == 2 {
						strategies = append(strategies, cluster.Ship)
					}
					for _, s := range strategies {
						if err := b.without(r, lost, c.shards, c.replicas, s); err != nil {
							t.Fatalf("%s, %s, lost replicas by shard %b: %v", r.name, s, lost, err)
						}
					}
				}
			}
		})
	}
}

// without loads a reading's data, loses replicas, and checks the answer twice.
func (b *bed) without(r *ready, lost []int, shards, replicas int, s cluster.Strategy) error {
	if err := b.load(r.src, "s", cluster.LoadOptions{Shards: shards, Replicas: replicas, Replace: true}); err != nil {
		return err
	}
	set, _ := b.Client.View().Named("s")
	for i, bits := range lost {
		for k, p := range set.Shards[i].Assigned {
			if bits>>k&1 != 0 {
				if err := b.lose(p, set.ID, i); err != nil {
					return err
				}
			}
		}
	}
	return errors.Join(r.check(b, "s", s), r.check(b, "s", s))
}

// TestNoReplicaLeft: what nobody has any more is an error within seconds that names the node
// and the shard.
func TestNoReplicaLeft(t *testing.T) {
	b := newBed(t, 3)
	for _, r := range prepare(t, b) {
		for _, s := range []cluster.Strategy{cluster.Ship, cluster.Fetch} {
			if err := b.load(r.src, "s", cluster.LoadOptions{Shards: 3, Replicas: 2, Replace: true}); err != nil {
				t.Fatal(err)
			}
			set, _ := b.Client.View().Named("s")
			for _, p := range set.Shards[1].Assigned {
				if err := b.lose(p, set.ID, 1); err != nil {
					t.Fatal(err)
				}
			}
			start := time.Now()
			err := r.check(b, "s", s)
			e := (*caller.Error)(nil)
			switch {
			case r.name == "chase" && err == nil: // it need not come by there
			case !errors.As(err, &e) || e.Reason != parcel.NoShard || e.Shard != 1 || e.Set != "s" || e.Name == "":
				t.Errorf("%s, %s: %v (%v); expected that a node lacks shard 1 of `s`", r.name, s, err, start)
			case slices.ContainsFunc(set.Shards[1].Assigned, func(p catalog.Peer) bool { return !strings.Contains(err.Error(), fmt.Sprintf("n%d", p)) }):
				t.Errorf("%s, %s: %v; expected what became of the shard on each of nodes %v", r.name, s, err, set.Shards[1].Assigned)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s, %s: the error took %v", r.name, s, took)
			}
		}
	}
}

// newRepairing is a bed whose nodes make lost replicas again soon.
func newRepairing(t *testing.T, nodes int, after time.Duration) *bed {
	t.Helper()
	l, err := site.LocalWith(context.Background(), nodes, func(c *daemon.Config) { c.RepairAfter = after })
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(l.Client.Close(), l.Close(), e.Close()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return &bed{Locals: l, eng: e}
}

// eventually waits for something that takes time.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("in %v it did not come about that %s", patience, what)
		}
	}
}

// TestRepair: lost replicas are made again from those that are left, the answer is right at every time, and of
// what is dropped nothing stays.
func TestRepair(t *testing.T) {
	b := newRepairing(t, 4, 200*time.Millisecond)
	list := prepare(t, b)
	fold := list[0]
	if err := b.load(fold.src, "s", cluster.LoadOptions{Shards: 4, Replicas: 2}); err != nil {
		t.Fatal(err)
	}
	set, _ := b.Client.View().Named("s")
	holders := func(shard int) []catalog.Peer {
		v := b.Client.View()
		now, ok := v.Set(set.ID)
		if !ok {
			return nil
		}
		return now.Shards[shard].Replicas
	}
	// A whole node is lost.
	if err := b.Nodes[1].Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "each shard has two live holders again", func() bool {
		for i := range set.Shards {
			if h := holders(i); len(h) != 2 || slices.Contains(h, 2) {
				return false
			}
		}
		return true
	})
	for _, p := range []catalog.Peer{1, 3, 4} {
		for i, s := range set.Shards {
			if slices.Contains(holders(i), p) && len(b.Stores[p-1].Shards()) == 0 {
				t.Errorf("node %d says that it holds shard %d (%d rows) and stores nothing", p, i, s.Hi-s.Lo)
			}
		}
	}
	// What was there before goes: the answer comes from what was made again.
	for i, s := range set.Shards {
		for _, p := range s.Assigned {
			if p != 2 && len(holders(i)) == 2 && holders(i)[0] == p && holders(i)[1] != p {
				if err := b.lose(p, set.ID, i); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	for _, s := range []cluster.Strategy{cluster.Ship, cluster.Fetch} {
		if err := fold.check(b, "s", s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	// A set that is removed by somebody who does not tell the nodes.
	if _, err := b.Control.Remove(context.Background(), "s"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nothing of the set is left", func() bool {
		return len(b.Stores[0].Shards())+len(b.Stores[2].Shards())+len(b.Stores[3].Shards()) == 0
	})
}
