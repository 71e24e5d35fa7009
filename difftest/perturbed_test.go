package difftest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
	"github.com/godwit-run/godwit/internal/run"
)

var perturbed = flag.Int("perturbed", 100, "random programs to run on machines whose times are wrong by factors from 1/8 to 8")

// TestPerturbedPlans: whatever is believed of a machine, and of what runs took, programs give the same bits. A third of the runs have a memory
// that lies about each kernel, and a third one by which each launch goes the way that is expected to take the most.
func TestPerturbedPlans(t *testing.T) {
	if err := flag.Set("rapid.checks", fmt.Sprint(*perturbed)); err != nil {
		t.Fatal(err)
	}
	f, threads := &fleet{}, map[int]int{}
	defer f.close()
	programs := rapid.OneOf(progen.Passes(), progen.Carries(), progen.Gen(9))
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, "program")
		c, err := Prepare(p)
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Source)
		}
		want, err := c.Oracle(30_000_000)
		if errors.Is(err, interp.ErrSteps) {
			return
		} else if err != nil {
			t.Fatalf("interpreter: %v\n%s", err, p.Source)
		}
		for _, tier := range []engine.Tier{engine.Wasm, engine.Native} {
			if tier == engine.Native && service == nil {
				continue
			}
			opt := run.Options{Engine: f.engine(t, tier), Threads: 2, Machine: doubtful(t)}
			prog := run.Prepare(c.Plan)
			switch rapid.IntRange(0, 2).Draw(t, "what is remembered") {
			case 1:
				opt.Seen = lies(prog, c.Plan, tier, func(int) int { return rapid.IntRange(1, 2).Draw(t, "threads that take less") })
			case 2:
				opt.Seen = lies(prog, c.Plan, tier, dearest(t, c, opt.Machine, tier))
			}
			for range 2 {
				res, err := prog.Run(context.Background(), c.inputs, opt)
				for i := range len(launchesOf(res)) {
					threads[res.Stats.Launches[i].Threads]++
				}
				got, err := outcome(c, res, false, err)
				if err == nil {
					err = Same(want, got)
				}
				if err != nil {
					t.Fatalf("%s: %v\nsizes %v\n%s", tier, err, p.Sizes, p.Source)
				}
			}
		}
	})
	t.Logf("launches by threads: %v", threads)
	if *perturbed >= 100 && (threads[1] == 0 || threads[2] == 0) {
		t.Errorf("launches by threads: %v; both ways should have been gone", threads)
	}
}

func launchesOf(res *run.Result) []run.LaunchStats {
	if res == nil {
		return nil
	}
	return res.Stats.Launches
}

// doubtful is the machine of middling speed with every time multiplied by a factor of its own. Waking takes next to nothing, or what launches
// of these programs take, so that threads are worth it now and then.
func doubtful(t *rapid.T) *machine.Machine {
	factor := func(what string) float64 { return math.Exp2(rapid.Float64Range(-3, 3).Draw(t, what)) }
	m := *machine.Default()
	m.Wake *= factor("wake") / float64(rapid.SampledFrom([]int{1, 1000}).Draw(t, "quick"))
	m.Hand = min(m.Hand*factor("hand"), m.Wake)
	m.Cycle *= factor("cycle")
	m.Engines = map[string]*machine.Engine{}
	for name, e := range machine.Default().Engines {
		own := *e
		own.Call, own.Launch, own.Compile = e.Call*factor("call"), e.Launch*factor("launch"), e.Compile*factor("compile")
		own.Classes = maps.Clone(e.Classes)
		for class, x := range e.Classes {
			own.Classes[class] = machine.Class{One: x.One * factor(class), Vector: x.Vector * factor(class)}
		}
		m.Engines[name] = &own
	}
	return &m
}

// lies remember of each kernel that the number of threads which quick gives for the launch took a thousandth of what the other took.
func lies(p *run.Program, s *schedule.Schedule, on engine.Tier, quick func(launch int) int) *seen.Memory {
	out, at := seen.New(""), 0
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		fast := quick(at)
		at++
		id, ok := p.Name(l)
		if !ok {
			return
		}
		sizes := make([]int64, len(l.Sizes))
		for i := range sizes {
			sizes[i] = 1 << 16
		}
		for threads := 1; threads <= 2; threads++ {
			took := 1e9
			if threads == fast {
				took = 1e6
			}
			out.Note(seen.Key{ID: id, Engine: string(on), Threads: threads}, seen.Point{Sizes: sizes, Scalars: make([]int64, len(l.Scalars)), Known: make([]bool, len(l.Scalars))}, took)
		}
	})
	return out
}

// dearest gives for each launch the number of threads that a planner does not choose.
func dearest(t *rapid.T, c *Case, m *machine.Machine, on engine.Tier) func(launch int) int {
	p, err := plan.Predict(c.Plan, c.inputs.Sizes, plan.Options{Machine: m, Engine: string(on), Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	return func(launch int) int { return 3 - p.Steps[launch].Threads }
}
