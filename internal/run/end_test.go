package run

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// endless puts a plan's steps into a loop that nobody sees the end of.
func endless(p *handmade) *handmade {
	p.Steps = []schedule.Step{&schedule.Loop{Hi: schedule.ScalarSource{Poly: size.Const(1 << 40)}, Max: size.Const(1 << 40), Body: p.Steps, Stop: -1}}
	p.Loops = 1
	return p
}

// gatherInputs has a table that is large enough to be mapped.
func gatherInputs(t *testing.T) (in *Inputs, table data.Source) {
	const n, m = 50_000, 1 << 20
	table = writeNPY(t, "<f8", make([]float64, m), m)
	in = columns(n, Column(writeNPY(t, "<u2", keys(n, 60_000), n), 0), Column(table, 0))
	in.Sizes["M"] = m
	return in, table
}

func TestFileCutShortUnderAMapping(t *testing.T) {
	in, table := gatherInputs(t)
	cut := exec.Command("sh", "-c", "sleep 0.1; printf short > "+table.Path())
	if err := cut.Start(); err != nil {
		t.Fatal(err)
	}
	_, err := Run(context.Background(), &endless(gatherPlan()).Schedule, in, Options{})
	var changed *data.ChangedError
	if !errors.As(err, &changed) || changed.Path != table.Path() {
		t.Error(err)
	}
	if err := cut.Wait(); err != nil {
		t.Error(err)
	}
}

func TestFileOpenForWritingIsCopied(t *testing.T) {
	in, table := gatherInputs(t)
	w, err := os.OpenFile(table.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	mustRun(t, gatherPlan(), in, Options{})
	if err := w.Truncate(1000); err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), &gatherPlan().Schedule, in, Options{})
	var changed *data.ChangedError
	if !errors.As(err, &changed) {
		t.Error(err)
	}
}

func TestFileCutShortBetweenWindows(t *testing.T) {
	const n = 1 << 20
	src := writeNPY(t, "<f4", floats(n), n)
	if err := os.Truncate(src.Path(), 1<<20); err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		_, err := Run(context.Background(), &sumPlan(num.F32, leaf).Schedule, columns(n, Column(src, 0)), Options{Threads: threads})
		var changed *data.ChangedError
		if !errors.As(err, &changed) {
			t.Error(err)
		}
	}
}

// TestCancelledRunsLeaveNothing ends runs of every kind in the middle and
// looks for goroutines and memory that they left behind.
func TestCancelledRunsLeaveNothing(t *testing.T) {
	const n = 1 << 20
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	xs := floats(n)
	decoded := chop([]data.Column{{Kind: num.F32}}, n, [][]byte{bytesOf(t, xs)}, nil, 5000, 70_000)
	gathers, _ := gatherInputs(t)
	for name, c := range map[string]struct {
		p  *handmade
		in *Inputs
	}{
		"raw":     {sumPlan(num.F32, leaf), columns(n, Column(writeNPY(t, "<f4", xs, n), 0))},
		"decoded": {sumPlan(num.F32, leaf), columns(n, Column(decoded, 0))},
		"mapped":  {gatherPlan(), gathers},
	} {
		t.Run(name, func(t *testing.T) {
			endless(c.p)
			opt := Options{Engine: e, WindowRows: 10_000, Threads: 2}
			stop := func() time.Duration {
				ctx, cancel := context.WithCancelCause(context.Background())
				why := errors.New("enough")
				var at time.Time
				time.AfterFunc(50*time.Millisecond, func() { at = time.Now(); cancel(why) })
				if _, err := Run(ctx, &c.p.Schedule, c.in, opt); !errors.Is(err, why) {
					t.Fatal(err)
				}
				return time.Since(at)
			}
			stop()
			memory, routines, least := e.Arena().InUse(), runtime.NumGoroutine(), time.Duration(math.MaxInt64)
			const most = 10 * time.Millisecond
			for tries := 0; tries < 10 || least > most && tries < 50; tries++ { // processors may be busy
				least = min(least, stop())
			}
			if least > most {
				t.Errorf("a run ended %v after it was cancelled", least)
			}
			for range 100 {
				if runtime.NumGoroutine() <= routines {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if got := runtime.NumGoroutine(); got > routines {
				t.Errorf("%d goroutines, %d before", got, routines)
			}
			// The engine keeps instances: of two kernels, for two threads, a
			// page each. A leak would show in every run.
			if got := e.Arena().InUse(); got > memory+4*mem.Page {
				t.Errorf("%d bytes in use, %d before", got, memory)
			}
		})
	}
}

func TestProgressReachesItsTotal(t *testing.T) {
	const n = 1 << 20
	var done, total int64
	opt := Options{Progress: func(d, n int64) {
		if d < done {
			t.Errorf("%d rows after %d", d, done)
		}
		done, total = d, n
	}}
	mustRun(t, sumPlan(num.F32, leaf), columns(n, Column(data.FromSlice(floats(n)), 0)), opt)
	if done != n || total != n {
		t.Errorf("%d of %d rows", done, total)
	}
}

// TestLoopSwapsAnInput doubles a column again and again; the input's own
// bytes stay as they are.
func TestLoopSwapsAnInput(t *testing.T) {
	const n = 5000
	xs := ints(n)
	src := writeNPY(t, "<i8", xs, n)
	p := &handmade{}
	x, y := p.input(num.I64, varN, 0, 0), p.buffer(num.I64, varN)
	l := p.launch(scaleKernel(num.I64, 1000), slots(varN, 1000), x, y)
	l.Scalars = []schedule.ScalarArg{{From: schedule.FromLoop}}
	l.Kernel.Scalars[0].Lo = 0
	p.Steps = []schedule.Step{&schedule.Loop{Lo: schedule.ScalarSource{Poly: one}, Hi: schedule.ScalarSource{Poly: size.Const(4)},
		Max: size.Const(3), Body: p.Steps, Swap: [][2]int{{x, y}}, Stop: -1}}
	p.Loops = 1
	p.result(x, varN)
	want := make([]uint64, n)
	for i, v := range xs {
		want[i] = uint64(((v*1+1)*2+1)*3 + 1)
	}
	everyWay(t, p, columns(n, Column(src, 0)), want)
}

// TestMappedIndicesAreCheckedOncePerVersion uses a mapped column of indices
// again after the file has changed.
func TestMappedIndicesAreCheckedOncePerVersion(t *testing.T) {
	const n, m = mapFrom, 3000 // of 2 bytes each
	xs := keys(n, m)
	in := columns(n, Column(writeNPY(t, "<u2", xs, n), 0), Column(data.FromSlice(make([]float64, m)), 0))
	in.Sizes["M"] = m
	p := gatherPlan()
	p.result(0, varN) // so that it stays
	for range 2 {
		mustRun(t, p, in, Options{})
	}
	f, err := os.OpenFile(in.Params[0].Leaves[0].Source.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{0xff, 0xff}, 128+2*1_000_000); err != nil {
		t.Fatal(err)
	}
	f.Close()
	_, err = Run(context.Background(), &p.Schedule, in, Options{})
	var bad *data.Error
	if !errors.As(err, &bad) || bad.Row != 1_000_000 {
		t.Error(err)
	}
}
