package run_test

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// A run does as is planned for its machine: it takes the threads that pay there, asks for native code where that is
// worth it there, and gives the same bits whatever the description says.
func TestObeys(t *testing.T) {
	const n = 1 << 20
	s, _ := plan(t, "fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { x.map(|v| v.exp().sin()).sum() }", map[string]int64{"N": n})
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i%1000) / 1000
	}
	in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(values), 0)}}}}
	described := func(change func(*machine.Machine)) *machine.Machine {
		text, err := machine.Default().Text()
		if err != nil {
			t.Fatal(err)
		}
		m, err := machine.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		return m
	}
	of := func(name string, m *machine.Machine, threads int) uint64 {
		t.Helper()
		e, err := engine.New(engine.Options{Codegen: codegentest.Service(t, ""), Promotion: m.Promotion()})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		res, err := run.Run(t.Context(), s, in, run.Options{Engine: e, Threads: 2, Machine: m})
		if err != nil {
			t.Fatal(err)
		}
		first := res.Stats.Launches[0]
		if first.Threads != threads {
			t.Errorf("%s: `%s` ran on %d threads, expected %d", name, first.Label, first.Threads, threads)
		}
		if m.Promotion() > time.Hour && first.Native > 0 {
			t.Errorf("%s: %d slices of `%s` ran as native code", name, first.Native, first.Label)
		}
		return res.Columns[0].At(0)
	}
	want := of("as it is", machine.Default(), 2)
	sleepy := described(func(m *machine.Machine) { m.Wake = 1e12 })
	if got := of("threads that sleep long", sleepy, 1); got != want {
		t.Errorf("%x on one thread, %x on two", got, want)
	}
	dear := described(func(m *machine.Machine) { m.Engines["native"].Compile = 1e14 })
	if got := of("native code that is dear", dear, 2); got != want {
		t.Errorf("%x where native code is dear, %x where it is not", got, want)
	}
}

// A description in which everything takes a thousandth or a thousand times as long changes no bits, whichever way the
// inputs come.
func TestSameBitsWhateverIsPlanned(t *testing.T) {
	for _, source := range []string{
		"fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { x.softmax().map(|v| v * v).sum() }",
		"fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { let mut a = x.map(|v| v); for _ in 0..3 { a = a.map(|v| v * 0.5 + 1.0); } a.sum() }",
	} {
		const n = 300_000
		s, _ := plan(t, source, map[string]int64{"N": n})
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i%977) / 977
		}
		in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(values), 0)}}}}
		var want uint64
		for i, factor := range []float64{1, 1e-3, 1e3} {
			m := *machine.Default()
			m.Engines = map[string]*machine.Engine{}
			for name, e := range machine.Default().Engines {
				own := *e
				own.Compile, own.Launch = e.Compile*factor, e.Launch*factor
				m.Engines[name] = &own
			}
			e, err := engine.New(engine.Options{Codegen: codegentest.Service(t, ""), Promotion: m.Promotion()})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			res, err := run.Run(t.Context(), s, in, run.Options{Engine: e, Threads: 2, Machine: &m})
			if err != nil {
				t.Fatal(err)
			}
			if got := res.Columns[0].At(0); i == 0 {
				want = got
			} else if got != want {
				t.Errorf("%s: %x with times by %v, expected %x", source, got, factor, want)
			}
		}
	}
}
