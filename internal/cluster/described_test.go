package cluster_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// TestDescribed: where a launch goes depends on what the nodes say of their machines: rows come here from nodes that say that they are slow, and
// the launch goes to them when they say something else.
func TestDescribed(t *testing.T) {
	b := newBed(t, 2)
	if err := b.load(data.FromSlice(make([]float64, 1<<20)), "v", cluster.LoadOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("t.gw", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { v.map(|x| x.exp().sin()).sum() }"))
	weighed := func() cluster.Foreseen {
		remote, err := b.Client.Open("v")
		if err != nil {
			t.Fatal(err)
		}
		bound, err := f.Bind(compile.Args{"v": compile.Table{Source: remote}})
		if err != nil {
			t.Fatal(err)
		}
		defer bound.Close()
		p, err := bound.Plan()
		if err != nil {
			t.Fatal(err)
		}
		side := b.Client.Beside(cluster.Auto)
		dry, err := p.Program.Forecast(t.Context(), p.Inputs, run.Options{Engine: b.eng, Beside: side})
		if err != nil {
			t.Fatal(err)
		}
		defer dry.Close()
		all := func(*schedule.ScalarArg) (int64, bool) { return 0, false }
		var first *schedule.Launch
		schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) {
			if first == nil {
				first = l
			}
		})
		out, err := side.Forecast(0.5, func() error { return dry.Launch(first, p.Inputs.Sizes, 1, all) })
		if err != nil || out == nil {
			t.Fatal(out, err)
		}
		return *out.Foreseen
	}
	// say has the second node describe itself as so many times as slow as a middling one, and waits until the client knows.
	say := func(factor float64) {
		text, err := machine.Default().Text()
		if err != nil {
			t.Fatal(err)
		}
		m, err := machine.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range m.Engines["wasm"].Classes {
			m.Engines["wasm"].Classes[name] = machine.Class{One: factor * c.One, Vector: factor * c.Vector}
		}
		if err := b.Nodes[1].Describe(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		short, _ := m.Short()
		eventually(t, "the description is in the catalogue", func() bool {
			n, ok := b.Client.View().Node(b.Nodes[1].Peer())
			return ok && n.Machine == string(short)
		})
	}
	before := weighed()
	say(100)
	slow := weighed()
	say(1)
	again := weighed()
	if slow.Ways[plan.Ship].P50 < 20*before.Ways[plan.Ship].P50 || slow.Best() == plan.Ship || again.Ways[plan.Ship].P50 > slow.Ways[plan.Ship].P50/20 {
		t.Errorf("beside the rows: %v; with a slow node %v; with a quick one %v", before.Ways[plan.Ship], slow.Ways[plan.Ship], again.Ways[plan.Ship])
	}
}
