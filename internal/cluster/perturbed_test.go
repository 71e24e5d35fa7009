package cluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/plan"
)

var perturbed = flag.Int("perturbed", 60, "random programs to run in clusters of 1 to 5 nodes whose expected times are wrong by factors from 1/8 to 8, and by the dearest plan")

// TestPerturbedPlans: whatever is expected of the ways that a launch can go, programs give the same bits in clusters of 1 to 5 nodes: with all
// times multiplied by factors of their own, and where each launch goes the legal way that is expected to take the most.
func TestPerturbedPlans(t *testing.T) {
	if err := flag.Set("rapid.checks", fmt.Sprint(*perturbed)); err != nil {
		t.Fatal(err)
	}
	p := &perturbing{t: t, beds: map[int]*bed{}, gone: map[string]map[string]int{}}
	rapid.Check(t, p.one)
	t.Logf("%d programs agree (%d in a fault), %d too large for the interpreter; launches by what decided and the way they went: %v", p.agree, p.faults, p.large, p.gone)
	if p.agree+p.faults < 60 { // with -short there are fewer than were asked for
		return
	}
	for how, ways := range p.gone {
		for _, way := range []string{"fetch", "ship"} { // few programs follow indices
			if ways[way] == 0 {
				t.Errorf("%s: no launch was to %s: %v", how, way, ways)
			}
		}
	}
}

// perturbing has a cluster for each number of nodes.
type perturbing struct {
	t                    *testing.T
	beds                 map[int]*bed
	agree, faults, large int
	mu                   sync.Mutex
	gone                 map[string]map[string]int // launches, by what decided of them, then by way
}

func (p *perturbing) bed(nodes int) *bed {
	if p.beds[nodes] == nil {
		p.beds[nodes] = newBed(p.t, nodes)
	}
	return p.beds[nodes]
}

// counted notes which way a launch goes after its times were changed.
func (p *perturbing) counted(how string, change func(w *plan.Ways)) func(w *plan.Ways) {
	return func(w *plan.Ways) {
		change(w)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.gone[how] == nil {
			p.gone[how] = map[string]int{}
		}
		p.gone[how][w.Best().String()]++
	}
}

func (p *perturbing) one(t *rapid.T) {
	prog := rapid.OneOf(progen.Gen(9), progen.Long(), progen.Walks()).Draw(t, "program")
	b := p.bed(rapid.IntRange(1, 5).Draw(t, "nodes"))
	n := &tally{bed: b}
	cut := cluster.LoadOptions{
		Shards:   rapid.IntRange(1, 5).Draw(t, "shards"),
		Replicas: rapid.IntRange(1, min(2, len(b.Nodes))).Draw(t, "replicas"),
		By:       rapid.SampledFrom([]string{"blocks", "rows"}).Draw(t, "by"),
		Replace:  true,
	}
	b.small = rapid.SampledFrom([]int64{0, 0, 64, 4096}).Draw(t, "piece")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "factors"), 1))
	f, here, tables, err := bound(prog)
	if err != nil {
		t.Fatalf("%v\n%s", err, prog.Source)
	}
	want, err := n.oracle(f, here)
	if errors.Is(err, interp.ErrSteps) {
		p.large++
		return
	} else if err != nil {
		t.Fatalf("interpreter: %v\n%s", err, prog.Source)
	}
	if rapid.Bool().Draw(t, "joined") {
		tables = join(tables)
	}
	there, err := n.stored(here, tables, cut)
	if err != nil {
		t.Fatalf("%+v: %v", cut, err)
	}
	for how, change := range map[string]func(w *plan.Ways){
		"wrong times": cluster.Wrong(func() float64 { return math.Exp2(6*random.Float64() - 3) }),
		"the dearest": cluster.Dearest,
	} {
		b.doubt = p.counted(how, change)
		got, err := b.beside(context.Background(), f, there, cluster.Auto)
		if err == nil {
			err = same(want, got)
		}
		if err != nil {
			t.Fatalf("%s over %+v on %d nodes, pieces of %d bytes: %v\nsizes %v\n%s", how, cut, len(b.Nodes), b.small, err, prog.Sizes, prog.Source)
		}
	}
	if p.agree++; want.fault != "" {
		p.faults++
	}
}
