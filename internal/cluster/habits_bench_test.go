package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
)

const farChase = "fn f(next: &[i64; N], starts: &[idx<N>; M]) -> [i64; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000> { starts.map(|s| { let mut i = s; for _ in 0..64 { i = next[i].clamp_idx(); } i as i64 }) }"

// farWalk is a bed with far memory, and a call of so many walks into it.
func farWalk(tb testing.TB, walks int) (b *bed, call func(s cluster.Strategy) *outcome) {
	b = newBed(tb, 1)
	if err := b.Far(context.Background(), "f1", 1<<30, 0); err != nil {
		tb.Fatal(err)
	}
	for end := time.Now().Add(patience); len(b.Client.View().Nodes) < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatal("far memory does not appear")
		}
	}
	next := make([]int64, 1<<16)
	for i := range next {
		next[i] = int64(i*7919+1) % int64(len(next))
	}
	if err := b.load(data.FromSlice(next), "next", cluster.LoadOptions{Far: true, Shards: 1}); err != nil {
		tb.Fatal(err)
	}
	f := compiled(tb, diag.NewSource("f.gw", farChase))
	remote, err := b.Client.Open("next")
	if err != nil {
		tb.Fatal(err)
	}
	args := compile.Args{"next": compile.Table{Source: remote}, "starts": compile.Table{Source: data.FromSlice(make([]uint32, walks))}}
	return b, func(s cluster.Strategy) *outcome {
		out, err := b.beside(context.Background(), f, args, s)
		if err != nil {
			tb.Fatal(err)
		}
		return out
	}
}

// TestDecisionsAreKept: the second call that finds its kernel there goes by what the first decided, and one for which all is forgotten decides anew;
// the words are the same.
func TestDecisionsAreKept(t *testing.T) {
	b, call := farWalk(t, 4)
	call(cluster.Auto) // the kernel is not there yet
	first := call(cluster.Auto).places()
	if !strings.Contains(first, "expected") {
		t.Fatalf("nothing was weighed: %s", first)
	}
	if again := call(cluster.Auto).places(); again != first {
		t.Errorf("it went\n%s\nand then\n%s", first, again)
	}
	if n := b.Client.Habits(); n < 1 || n > 2 { // with the kernel, and, where that was weighed, without it
		t.Errorf("%d decisions are kept, expected 1 or 2", n)
	}
	if b.Client.Forget(); b.Client.Habits() != 0 {
		t.Error("decisions are there after all were forgotten")
	}
}

// BenchmarkWeighing: what a far call of a few walks takes, and how much more if its way is weighed, and if a decision is kept. All take turns.
func BenchmarkWeighing(b *testing.B) {
	for _, walks := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d walks", walks), func(b *testing.B) {
			bed, call := farWalk(b, walks)
			var told, weighed, kept []float64
			timed := func(list *[]float64, s cluster.Strategy) {
				start := time.Now()
				call(s)
				*list = append(*list, time.Since(start).Seconds()*1e6)
			}
			call(cluster.Auto)
			for b.Loop() {
				timed(&told, cluster.Ship)
				bed.Client.Forget()
				timed(&weighed, cluster.Auto)
				timed(&kept, cluster.Auto)
			}
			middle := func(list []float64) float64 { slices.Sort(list); return list[len(list)/2] }
			b.ReportMetric(middle(told), "told-µs")
			b.ReportMetric(middle(weighed), "weighed-µs")
			b.ReportMetric(middle(kept), "kept-µs")
		})
	}
}
