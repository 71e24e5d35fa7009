package plan_test

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// TestAllowed: whatever was seen of the launches, on however many threads, and whatever memory takes, a call that may have two threads is expected to
// take no longer than one that has one; the plan that is chosen is the one of the list that takes least, and what is predicted is what is listed of it.
func TestAllowed(t *testing.T) {
	for _, source := range []string{
		"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.sort() }",
		"fn f(x: &[f64; N]) -> [f64; ?K <= N] " + ranged + " { x.filter(|e| e > 0.5).map(|e| e * 2.0).sort() }",
		"fn f(x: &[f64; N]) -> f64 " + ranged + " { x.map(|v| v.exp()).sum() }",
	} {
		p := bound(t, source, 10)
		shared := p.Schedule
		if p.Schedule.Shared != nil {
			shared, _ = p.Schedule.Shared()
		}
		rapid.Check(t, func(t *rapid.T) {
			sizes := map[string]int64{"N": rapid.SampledFrom([]int64{10, 3000, 100_000, 3_000_000}).Draw(t, "N")}
			m := *machine.Default()
			m.Together = rapid.Float64Range(1, 2).Draw(t, "together")
			m.Memory = maps.Clone(m.Memory)
			m.Memory[2] = slower(m.Memory[2], rapid.Float64Range(0.3, 3).Draw(t, "memory"))
			opt := plan.Options{Machine: &m, Engine: "auto", Past: plan.Past{Seen: seen.New(""), Program: p.Program.ID, Name: p.Program.Name}}
			for _, s := range []*schedule.Schedule{p.Schedule, shared} {
				schedule.Launches(s.Steps, func(l *schedule.Launch) {
					id, _ := p.Program.Name(l)
					for threads := 1; threads <= 2; threads++ {
						for _, engine := range []string{"wasm", "native"} {
							if took := rapid.Float64Range(1e5, 1e8).Draw(t, "took"); rapid.Bool().Draw(t, "seen") {
								list := make([]int64, len(l.Sizes))
								for i := range list {
									list[i] = sizes["N"]
								}
								opt.Past.Seen.Note(seen.Key{ID: id, Engine: engine, Threads: threads}, seen.Point{Sizes: list, Scalars: make([]int64, len(l.Scalars)), Known: make([]bool, len(l.Scalars))}, took)
							}
						}
					}
				})
			}
			if rapid.Bool().Draw(t, "native") {
				opt.Native = func(*schedule.Launch) bool { return true }
			}
			opt.Ready = func(*schedule.Launch) bool { return false }
			of := func(threads int) *plan.Prediction {
				opt.Threads = threads
				list := plan.Candidates(&m, "auto", threads, true)
				all, err := plan.Consider(p.Schedule, sizes, list, opt)
				if err != nil {
					t.Fatal(err)
				}
				best, err := plan.Predict(p.Schedule, sizes, opt)
				if err != nil {
					t.Fatal(err)
				}
				chosen := 0
				for i := range all {
					if all[i].Chosen {
						chosen++
						if all[i].Time != best.Time {
							t.Errorf("%d threads: %v is predicted, and %v listed of %v, which is chosen", threads, best.Time, all[i].Time, all[i].Candidate)
						}
					}
				}
				if chosen != 1 {
					t.Errorf("%d plans are chosen", chosen)
				}
				sum := best.Before.Plus(best.Besides)
				for _, st := range best.Steps {
					sum = sum.Plus(st.Time)
				}
				if fmt.Sprintf("%.5g", sum) != fmt.Sprintf("%.5g", best.Time) {
					t.Errorf("the steps take %v, all of it %v", sum, best.Time)
				}
				return best
			}
			opt.Most = 2
			one, two := of(1), of(2)
			if two.Time.P50 > 1.000001*one.Time.P50 {
				t.Errorf("%v with two threads, %v with one", two.Time, one.Time)
			}
		})
	}
}

// slower is memory that takes a factor of the time.
func slower(m machine.Memory, by float64) machine.Memory {
	for _, c := range []*machine.Curve{&m.Read, &m.Write, &m.Fresh, &m.Random, &m.Chase, &m.File, &m.Copy, &m.Whole} {
		list := append(machine.Curve(nil), *c...)
		for i := range list {
			list[i].Time = list[i].Time.Times(by)
		}
		*c = list
	}
	return m
}
