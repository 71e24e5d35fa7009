package cluster

import (
	"context"
	"fmt"
	"maps"
	"net"
	"runtime"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a launch over a data set, and what would travel. Out: whether its rows come here or it goes to them, by the times that
// both are expected to take. Where these overlap by what is known of the way to the nodes, that is measured first.

// weighed is a decision with its reasons.
type weighed struct {
	plan.Ways
	fetch bool
}

func (w *weighed) String() string {
	text := func(s machine.Spread) string { return time.Duration(s.P50).Round(10 * time.Microsecond).String() }
	return fmt.Sprintf("expected %s with the rows here, %s beside them", text(w.Fetch), text(w.Ship))
}

// weigh decides on a launch.
func (b *Beside) weigh(ctx context.Context, a *arranged, fetched, shipped plan.Load) *weighed {
	m := machine.Here()
	known, lately := b.c.link.known(m)
	mv := &plan.Moving{Coming: a.coming(), Link: known, Fetched: fetched, Shipped: shipped, Machines: b.c.machines(a.set), New: !b.c.codes.went(a.code), Runs: a.Repeats()}
	w := &weighed{Ways: plan.Weigh(m, mv)}
	if !lately && w.Fetch.P10 < w.Ship.P90 && w.Ship.P10 < w.Fetch.P90 {
		in := a.column[slices.Min(slices.Collect(maps.Keys(a.column)))]
		mv.Link = b.c.link.measure(ctx, b.c, m, a.set, in.Binding.Column, max(1, in.Width)*int64(in.Kind.Size()))
		w.Ways = plan.Weigh(m, mv)
	}
	if b.doubt != nil {
		b.doubt(&w.Ways)
	}
	w.fetch = w.Fetch.P50 < w.Ship.P50 || w.Fetch.P50 == w.Ship.P50 && w.Fetch.P90 < w.Ship.P90
	return w
}

// coming is the launch as package plan sees it.
func (a *arranged) coming() *plan.Coming {
	scalar := func(i int) (int64, bool) { return int64(a.Scalars[i]), true }
	return &plan.Coming{Safe: a.Compiled.Safe, Sizes: a.Sizes, Scalar: scalar, Threads: runtime.GOMAXPROCS(0)}
}

// fetched is what travels if the rows come here.
func fetched(bytes int64, columns int) plan.Load {
	parcels := bytes/chunkBytes + int64(columns)
	return plan.Load{Bytes: bytes, Parcels: parcels, Hops: max(1, float64(parcels)/float64(runtime.GOMAXPROCS(0)))}
}

// shipped is what travels if a launch that walks over rows goes to its shards.
func (a *arranged) shipped(t *task, away []span, back int64) plan.Load {
	n := int64(len(away))
	pieces := n + back/a.portion.piece
	hops := float64(1 + pieces/mostOpen)
	if a.Compiled.Sequential() {
		hops = float64(pieces)
	}
	return plan.Load{Bytes: n*t.fixed + t.sliced + back, Parcels: 2 * pieces, Hops: hops}
}

// back is how many bytes come back from the shards, at most.
func (a *arranged) back(spans []span) int64 {
	n, rows := int64(0), int64(1)
	if a.Launch.Partial != nil { // nodes combine the rows of a block
		rows = block(spans, a.Outer)
	}
	for _, s := range spans {
		if s.shard >= 0 {
			n += a.answers(nil, s) / rows
		}
	}
	return n
}

// walked is what travels if states go to where their elements are.
func (w *walking) walked() plan.Load {
	state := int64(0)
	for _, k := range w.form.Kinds {
		state += int64(num.Kind(k).Size())
	}
	shards := int64(len(w.set.Shards))
	leave := float64(shards-1) / float64(max(1, shards)) // how many of the elements that follow lie elsewhere
	turns := plan.Turns(machine.Here(), w.coming()) * leave
	groups := min(w.count, shards*shards) // parcels of states that go the same way
	return plan.Load{
		Bytes:   w.travelling() + int64(turns*float64(w.count*state)),
		Parcels: shards + int64(turns*float64(groups)),
		Hops:    1 + turns/2, // one way
	}
}

// holds reports that there is room here for so many bytes.
func holds(bytes int64) bool { return bytes <= min(run.MostResident, mem.Available())/2 }

// machines is how many machines the nodes with shards of a set run on.
func (c *Cluster) machines(set *catalog.Set) int {
	v, hosts := c.View(), map[string]bool{}
	for i := range set.Shards {
		for _, p := range set.Shards[i].Everyone() {
			if n, ok := v.Node(p); ok {
				host, _, err := net.SplitHostPort(n.Address)
				if err != nil {
					host = n.Address
				}
				hosts[host] = true
			}
		}
	}
	return max(1, len(hosts))
}
