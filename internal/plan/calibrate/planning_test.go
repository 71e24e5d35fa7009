package calibrate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/totals"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// planned has every launch of a program planned. Of eight earlier runs that are remembered for each engine and number of threads the newest had so many
// times fewer elements as a power of two says; none are if it is negative.
func (w *workbench) planned(j *job, newest int) {
	schedule.Launches(j.plan.Schedule.Steps, func(l *schedule.Launch) {
		sizes, _ := j.sizes(l)
		c := &plan.Coming{Safe: j.safe[l], Sizes: sizes, Threads: 2, Native: true}
		if law, err := totals.Of(c.Safe); err == nil && len(c.Safe.Kernel.State) > 0 {
			c.Law = law
		}
		if newest >= 0 {
			c.Seen = func(string, int) (list []seen.Point) {
				for i := range int64(8) {
					own := slices.Clone(sizes)
					for k := range own {
						own[k] = max(1, own[k]>>(int64(newest)+i))
					}
					list = append(list, seen.Point{Sizes: own, Scalars: make([]int64, len(l.Scalars)), Known: make([]bool, len(l.Scalars)), Took: []float64{1e6, 1e6, 1e6}})
				}
				return list
			}
		}
		plan.Choose(machine.Default(), c)
	})
}

// BenchmarkPlanning: what it takes to plan all launches of a call that nobody has planned before, the median and the worst of the programs
// that a calibration is made of; then where eight runs of the same kernels are known, and where one of these was this very call.
func BenchmarkPlanning(b *testing.B) {
	eng, err := engine.New(engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer eng.Close()
	w := &workbench{eng: eng, name: "wasm", vector: 16, threads: 1, weave: alone, random: rand.New(rand.NewPCG(7, 7))}
	for name, newest := range map[string]int{"new": -1, "with eight others": 1, "seen before": 0} {
		b.Run(name, func(b *testing.B) {
			var times []float64
			worst := ""
			for b.Loop() {
				times = times[:0]
				for _, p := range append(operations(), typical()...) {
					j, err := w.over(p.source, p.args, p.dimsBy(1))
					if err != nil {
						b.Fatal(err)
					}
					least := time.Hour
					for range 5 {
						start := time.Now()
						w.planned(j, newest)
						least = min(least, time.Since(start))
					}
					if times = append(times, least.Seconds()*1e3); slices.Max(times) == least.Seconds()*1e3 {
						worst = p.source
					}
					w.clear()
				}
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "median-ms")
			b.ReportMetric(times[len(times)-1], "worst-ms")
			b.Log(worst)
		})
	}
}
