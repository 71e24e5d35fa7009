package run_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/run"
)

// A kernel that becomes native code while threads hand its state on, and before its kernel of totals does, leaves the caller's memory alone
// that the other does not reach. The runs are disturbed at different times, until one was in the middle.
func TestClimbInARelay(t *testing.T) {
	const n, tries = 1 << 24, 40
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(i % 1000)
	}
	s, _ := plan(t, "fn f(x: &[f32; N]) -> [f32] { x.filter(|v| v > 499.0) }", map[string]int64{"N": n})
	in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(xs), 0)}}}}
	want, err := run.Run(context.Background(), s, in, run.Options{Tier: engine.Wasm, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	service := codegentest.Service(t, "")
	for try := range tries {
		e, err := engine.New(engine.Options{Tier: engine.Wasm, Codegen: service})
		if err != nil {
			t.Fatal(err)
		}
		done, climbed := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(climbed)
			climb(e, time.Duration(try%8)*5*time.Millisecond, done)
		}()
		res, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Threads: 2, Stretch: 4})
		close(done)
		if <-climbed; err != nil {
			t.Fatal(err)
		}
		if string(res.Columns[0].Data) != string(want.Columns[0].Data) {
			t.Error("other bits than on one thread")
		}
		middle := slices.ContainsFunc(res.Stats.Launches, func(l run.LaunchStats) bool { return l.Totals != "" && l.Native > 0 && l.Native < l.Slices })
		res.Close()
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if middle {
			return
		}
	}
	t.Errorf("none of %d kernels became native code in the middle of a relay", tries)
}

// climb makes native code of the kernel that filters, so long after it is there.
func climb(e *engine.Engine, after time.Duration, done chan struct{}) {
	for {
		for _, c := range e.Kernels() {
			if c.Sequential() && slices.ContainsFunc(c.Kernel.Regions, func(r kernel.Region) bool { return r.Access == kernel.Write }) {
				time.Sleep(after)
				_ = e.Promote(context.Background(), c) // the run may be over, and the engine with it
				return
			}
		}
		select {
		case <-done:
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}
