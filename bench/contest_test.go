package main

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
)

// TestMain lets this program be the process that compiles, too.
func TestMain(m *testing.M) {
	if isChild() {
		main()
		return
	}
	os.Exit(m.Run())
}

// odd is more than a block of the reference's and no multiple of anything.
const odd = 70_001

// TestKernels has one bench, as making the reference takes seconds.
func TestKernels(t *testing.T) {
	b, err := newBench(t.Context(), choices{quick: true, threads: 2, silent: true}, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	if len(b.peer.forms) == 0 {
		t.Skip("SKIPPED: no C compiler is installed (Debian: gcc, clang-19)")
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, *bench)
	}{{"forms agree", formsAgree}, {"runs repeat", runsRepeat}, {"row", makesRow}, {"product", product}, {"limits", limits}, {"peer refuses", peerRefuses}} {
		t.Run(test.name, func(t *testing.T) {
			defer b.release(b.mark())
			b.report.Rows, b.tiers = nil, nil
			test.run(t, b)
		})
	}
}

func unlimited(int) (measure.Number, error) { return measure.Number(math.NaN()), nil }

func tasks(t *testing.T, b *bench) []task {
	t.Helper()
	list, err := b.streamTasks(odd)
	if err != nil {
		t.Fatal(err)
	}
	more, err := b.computeTasks(odd, unlimited)
	if err != nil {
		t.Fatal(err)
	}
	return append(list, more...)
}

// formsAgree holds every form that each compiler made of every operation to
// ours, for several numbers of threads.
func formsAgree(t *testing.T, b *bench) {
	for _, task := range tasks(t, b) {
		t.Run(task.name, func(t *testing.T) {
			p, err := b.prepare(t.Context(), task.source, task.in...)
			if err != nil {
				t.Fatal(err)
			}
			pool := engine.NewPool(2)
			defer pool.Close()
			if _, err := p.run(t.Context(), pool); err != nil {
				t.Fatal(err)
			}
			out, theirs, err := b.room(p.result())
			if err != nil {
				t.Fatal(err)
			}
			w := work{x: task.in[0].data, out: out, n: task.n}
			if len(task.in) > 1 {
				w.y = task.in[1].data
			}
			forms := b.peer.of(task.op)
			if len(forms) < 2 {
				t.Errorf("%d forms", len(forms))
			}
			for _, f := range forms {
				for _, threads := range []int{1, 2, 3} {
					if _, err := b.compare(task, f, threads, w, p.result(), theirs); err != nil {
						t.Errorf("%v, %d threads: %v", f, threads, err)
					}
				}
			}
		})
	}
}

// runsRepeat gives the same bits every time, as memory is used again.
func runsRepeat(t *testing.T, b *bench) {
	for _, task := range tasks(t, b) {
		p, err := b.prepare(t.Context(), task.source, task.in...)
		if err != nil {
			t.Fatal(err)
		}
		var first []float64
		for threads := 1; threads <= 3; threads++ {
			pool := engine.NewPool(threads)
			if _, err := p.run(t.Context(), pool); err != nil {
				t.Fatal(err)
			}
			pool.Close()
			sums, err := checksums(p.result())
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = sums
			}
			for i := range sums {
				if math.Float64bits(sums[i]) != math.Float64bits(first[i]) {
					t.Errorf("%s with %d threads: %v, before %v", task.name, threads, sums, first)
				}
			}
		}
	}
}

func makesRow(t *testing.T, b *bench) {
	task := tasks(t, b)[0]
	if err := b.hold(t.Context(), task, 1, 2); err != nil {
		t.Fatal(err)
	}
	r := b.finish()
	if len(r.Rows) != 2 || len(b.tiers) != 2 || len(b.spans) == 0 {
		t.Fatalf("%+v, %+v", r, b.tiers)
	}
	for i, row := range r.Rows {
		if !row.Ratio.Known() || !row.Limit.Known() || row.N < 5 || !strings.HasPrefix(row.ReferenceName, "C ") {
			t.Errorf("%+v", row)
		}
		if ran := b.tiers[i]; ran.row != row.Name || (ran.tier == engine.Native) != (ran.why == nil) {
			t.Errorf("%+v", ran)
		}
	}
	if last := r.Notes[len(r.Notes)-1]; !strings.HasPrefix(last, "Ours ran on ") {
		t.Error(last)
	}
}

// TestDifferencesAreFound makes sure that a wrong result is no time.
func TestDifferencesAreFound(t *testing.T) {
	floats := func(xs ...float32) vector {
		v := vector{kind: num.F32}
		for _, x := range xs {
			v.data = binary.LittleEndian.AppendUint32(v.data, math.Float32bits(x))
		}
		return v
	}
	nan := float32(math.NaN())
	for _, c := range []struct {
		ours, theirs vector
		ok           bool
	}{
		{floats(1, 2, 3), floats(1, 2, 3), true},
		{floats(1, 2, 3), floats(1, 2.0001, 3), true},
		{floats(1, 2, 3), floats(1, 2.1, 3), false},
		{floats(1, 2, 3), floats(1, 2, nan), false},
		{floats(1, nan, 3), floats(1, 2, 3), false},
	} {
		sum, err := task{abs: 1e-5, rel: 1e-4}.differ(c.ours, c.theirs)
		if (err == nil) != c.ok || c.ok && sum <= 0 {
			t.Errorf("%v against %v: %v", c.ours, c.theirs, err)
		}
	}
	x, err := checksums([]vector{floats(1, 2, 3), floats(1, 3, 2)})
	if err != nil || x[0] == x[1] {
		t.Errorf("%v: elements in other places do not show; %v", x, err)
	}
}

func product(t *testing.T, b *bench) {
	if _, err := pythonWith(t.Context(), "numpy"); errors.Is(err, errNoNumPy) {
		t.Skip("SKIPPED:", err)
	}
	if err := b.products(t.Context(), []int64{65}); err != nil {
		t.Fatal(err)
	}
	if row := b.report.Rows[0]; !row.Ratio.Known() || !strings.HasPrefix(row.ReferenceName, "NumPy ") {
		t.Errorf("%+v", row)
	}
}

// limits finds a figure for each limit, and none for what the reference does
// not have.
func limits(t *testing.T, b *bench) {
	x, err := b.random(num.F32, 1, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := b.bandwidth(2, x); err != nil || !(n > 0) {
		t.Error(n, err)
	}
	if n, err := b.peak("peak fused", 1); err != nil || !(n > 0) {
		t.Error(n, err)
	}
	if n, err := b.peak("no such operation", 1); err != nil || n.Known() {
		t.Error(n, err)
	}
}
