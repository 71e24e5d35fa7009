package run

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// TestSweeps: launches over one long array go over it forwards and backwards in turn, over short ones and with state always forwards;
// and one that goes backwards gives out every outer index once, from the last on, in slices.
func TestSweeps(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		run  bool // with state
		want []bool
	}{
		{"long", 1 << 20, false, []bool{false, true, false, true}},
		{"short", 1 << 18, false, []bool{false, false, false, false}},
		{"with state", 1 << 20, true, []bool{false, false, false, false}},
	} {
		p, kind := &handmade{}, num.F32
		if c.run {
			kind = num.I64
		}
		x := p.input(kind, varN, 0, 0)
		var launches []*schedule.Launch
		for range c.want {
			if c.run {
				launches = append(launches, p.launch(runningKernel(leaf), slots(varN, leaf), x, p.buffer(num.I64, one), p.buffer(num.I64, varN)))
			} else {
				launches = append(launches, p.launch(sumKernel(kind, leaf), slots(varN, leaf), x, p.buffer(kind, grains(varN, leaf))))
			}
		}
		src := writeNPY(t, "<f4", make([]float32, c.n), c.n)
		if c.run {
			src = writeNPY(t, "<i8", make([]int64, c.n), c.n)
		}
		r, err := newRunner(context.Background(), Prepare(&p.Schedule), columns(c.n, Column(src, 0)), Options{Threads: 2}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range launches {
			x, err := r.prepare(l)
			if err != nil {
				t.Fatal(err)
			}
			if x.turn(); x.backwards != c.want[i] {
				t.Errorf("%s: launch %d goes backwards: %v", c.name, i, x.backwards)
			}
			if x.backwards {
				claimedBack(t, r.eng, x)
			}
		}
		if err := r.close(); err != nil {
			t.Fatal(err)
		}
	}
}

func claimedBack(t *testing.T, e *engine.Engine, x *launching) {
	t.Helper()
	p := &pass{execution: &x.execution, lo: 3, hi: x.outer, workers: 2, job: e.NewJob(x.c, x.Sizes, x.Scalars)}
	var next atomic.Int64
	next.Store(p.lo)
	end, slices := p.hi, 0
	for {
		lo, hi, ok := p.claim(&next)
		if !ok {
			break
		}
		if hi != end || lo >= hi || lo < p.lo {
			t.Fatalf("outer indices %d to %d follow on %d", lo, hi, end)
		}
		end = lo
		slices++
	}
	if end != p.lo || slices < sweepSlices {
		t.Errorf("outer indices from %d on were claimed in %d slices", end, slices)
	}
}
