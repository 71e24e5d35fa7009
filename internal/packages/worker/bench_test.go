//go:build !static

package worker

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func p50(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds())
}

// An empty call, there and back.
func BenchmarkCall(b *testing.B) {
	p := newPool(b, Options{})
	mustLoad(b, p, compile(b, "x", inMain("")))
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		mustCall(b, p, "x", &Call{Payload: []byte{1}})
		took = append(took, time.Since(began))
	}
	b.ReportMetric(p50(took), "p50-ns")
}

func BenchmarkCallRegion(b *testing.B) {
	p := newPool(b, Options{})
	mustLoad(b, p, compile(b, "x", inMain("++*(uint64_t *)gw_region(\"r\", 0);")))
	r, err := NewRegion(8)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for b.Loop() {
		mustCall(b, p, "x", &Call{Grants: []Grant{{"r", r, true}}})
	}
}

// Calls of two programs at the same time.
func BenchmarkTwo(b *testing.B) {
	p := newPool(b, Options{})
	prog := compile(b, "", inMain(""))
	for i := range 2 {
		mustLoad(b, p, &Program{ID: fmt.Sprint(i), Name: "x", Object: prog.Object})
	}
	next := make(chan int, 2)
	next <- 0
	next <- 1
	b.SetParallelism(1)
	b.RunParallel(func(pb *testing.PB) {
		id := fmt.Sprint(<-next)
		for pb.Next() {
			mustCall(b, p, id, &Call{})
		}
	})
}

func benchmarkLoad(b *testing.B, warm bool) {
	p := newPool(b, Options{})
	prog := compile(b, "x", inMain(""))
	var start, link []time.Duration
	for b.Loop() {
		if warm {
			b.StopTimer()
			p.Warm()
			p.pending.Wait()
			time.Sleep(50 * time.Millisecond) // it starts on its own
			b.StartTimer()
		}
		times := mustLoad(b, p, prog)
		start, link = append(start, times.Start), append(link, times.Link)
		b.StopTimer()
		p.Drop("x")
		b.StartTimer()
	}
	b.ReportMetric(p50(start), "p50-start-ns")
	b.ReportMetric(p50(link), "p50-link-ns")
}

func BenchmarkLoad(b *testing.B)     { benchmarkLoad(b, false) }
func BenchmarkLoadWarm(b *testing.B) { benchmarkLoad(b, true) }
