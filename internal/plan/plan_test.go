package plan_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

const ranged = "where N: Range<1, 1_000_000_000>"

// bound is a program with a slice of n floats.
func bound(t testing.TB, source string, n int, also ...compile.Args) *compile.Plan {
	t.Helper()
	p, err := compile.Check(diag.NewSource("t.gw", source))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	args := compile.Args{"x": compile.Table{Source: data.FromSlice(make([]float64, n))}}
	for _, a := range also {
		maps.Copy(args, a)
	}
	b, err := f.Bind(args)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	out, err := b.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// coming is the longest launch of a program over n floats, on two threads.
func coming(t testing.TB, p *compile.Plan) *plan.Coming {
	t.Helper()
	var best *plan.Coming
	most := -1.0
	schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) {
		safe, err := verify.Check(l.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		c := &plan.Coming{Safe: safe, Threads: 2}
		for i := range l.Sizes {
			n, _ := l.Sizes[i].Eval(func(name string) (int64, bool) { n, ok := p.Inputs.Sizes[name]; return n, ok })
			c.Sizes = append(c.Sizes, n)
		}
		if time := plan.Choose(machine.Default(), c).Wasm.P50; time > most {
			best, most = c, time
		}
	})
	return best
}

// More elements are not expected to take less, however many threads there are and wherever they begin to pay.
func TestGrows(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { x.map(|v| v.exp()).sum() }", 1000)
	for _, engine := range []string{"wasm", "native"} {
		last := 0.0
		for n := int64(1000); n < 1_000_000; n += n / 10 {
			out, err := plan.Predict(p.Schedule, map[string]int64{"N": n}, plan.Options{Machine: machine.Default(), Engine: engine, Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			if out.Time.P50 < last {
				t.Errorf("%s: %d elements take %v, fewer took %v", engine, n, out.Time.P50, last)
			}
			last = out.Time.P50
		}
	}
}

// What a filter kept, and how often a loop turned, is expected again; what its kernels took, too.
func TestPast(t *testing.T) {
	m := machine.Default()
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; ?K <= N] "+ranged+" { x.filter(|e| e > 0.5).sort() }", 1_000_000)
	past := plan.Past{Seen: seen.New(""), Program: p.Program.ID, Name: p.Program.Name}
	predict := func(past plan.Past) *plan.Prediction {
		out, err := plan.Predict(p.Schedule, p.Inputs.Sizes, plan.Options{Machine: m, Engine: "wasm", Threads: 1, Past: past})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	cold := predict(plan.Past{})
	found := 0
	for _, s := range p.Schedule.Steps {
		if s, ok := s.(*schedule.SetSize); ok {
			past.Seen.Found(past.Program(p.Schedule), plan.OfSize(s.Name), 0.01)
			found++
		}
	}
	few := predict(past)
	if found == 0 || few.Time.P50 >= cold.Time.P50 || few.Warm || cold.Warm {
		t.Errorf("%d sizes; %v where a hundredth was kept, %v where half is expected", found, few.Time.P50, cold.Time.P50)
	}
	longest := slices.MaxFunc(few.Steps, func(a, b plan.Step) int { return cmp.Compare(a.Time.P50, b.Time.P50) })
	var launch *schedule.Launch
	schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) {
		if l.Label == longest.Label {
			launch = l
		}
	})
	sizes := make([]int64, len(launch.Sizes))
	for i := range sizes {
		sizes[i], _ = launch.Sizes[i].Eval(func(name string) (int64, bool) { n, ok := p.Inputs.Sizes[name]; return n, ok })
	}
	id, _ := p.Program.Name(launch)
	took := 3 * longest.Time.P50
	past.Seen.Note(seen.Key{ID: id, Engine: "wasm", Threads: 1}, seen.Point{Sizes: sizes, Scalars: make([]int64, len(launch.Scalars)), Known: make([]bool, len(launch.Scalars))}, took)
	warm := predict(past)
	now := slices.MaxFunc(warm.Steps, func(a, b plan.Step) int { return cmp.Compare(a.Time.P50, b.Time.P50) })
	if !warm.Warm || !now.Warm || now.Label != longest.Label || now.Time.P50 < 0.9*took || now.Time.P50 > 1.1*took {
		t.Errorf("%s is expected to take %v, it took %v before", now.Label, now.Time, took)
	}
	if now.Time.P90/now.Time.P10 >= longest.Time.P90/longest.Time.P10 {
		t.Errorf("the interval %v is no narrower than %v", now.Time, longest.Time)
	}
}

// A loop turns as often as an argument says that a launch has converted.
func TestConvertedTurns(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N], steps: u32) -> [f64; N] where N: Range<1, 1_000_000_000>, steps: Range<0, 1000> { let mut y = x; for _ in 0..steps { y = y.map(|e| e * 0.5 + y[0]); } y }", 10_000, compile.Args{"steps": compile.Text("7")})
	out, err := plan.Predict(p.Schedule, p.Inputs.Sizes, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1, Scalar: func(a *schedule.ScalarArg) (int64, bool) {
		return 7, a.From == schedule.FromParam
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(out.Steps, func(s plan.Step) bool { return s.Runs == 7 && !s.Parts.Guessed }) {
		t.Errorf("no step runs seven times: %+v", out.Steps)
	}
}

// edited is the machine of middling speed, changed.
func edited(t *testing.T, change func(m *machine.Machine)) *machine.Machine {
	t.Helper()
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

const heavy = "fn f(x: &[f64; N]) -> f64 " + ranged + " { x.map(|v| v.exp().sin()).sum() }"

// All threads are taken where there is enough for them to do, and where steps do not need those before.
func TestThreads(t *testing.T) {
	sleepy := edited(t, func(m *machine.Machine) { m.Wake = 1e12 })
	fold := "fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.scan(0.0, |a, e| a * 0.5 + e) }"
	for _, c := range []struct {
		name, source string
		n            int
		m            *machine.Machine
		want         int
	}{
		{"much to compute", heavy, 1 << 20, machine.Default(), 2},
		{"much to compute, threads that sleep long", heavy, 1 << 20, sleepy, 1},
		{"little to compute", heavy, 10, machine.Default(), 1},
		{"one after the other", fold, 1 << 20, machine.Default(), 1},
	} {
		if got := plan.Choose(c.m, coming(t, bound(t, c.source, c.n))).Threads; got != c.want {
			t.Errorf("%s: %d threads, expected %d", c.name, got, c.want)
		}
	}
}

// More work takes longer, and a machine that is slower takes longer for it.
// TestAwake: a launch that is over before a thread wakes is worth one that is awake, unless that takes as long.
func TestAwake(t *testing.T) {
	short := coming(t, bound(t, heavy, 1<<13))
	for _, c := range []struct {
		hand, wake    float64
		threads, more int
	}{{1, 1e12, 1, 2}, {1e12, 1e12, 1, 1}, {1, 1, 2, 2}} {
		got := plan.Choose(edited(t, func(m *machine.Machine) { m.Hand, m.Wake = c.hand, c.wake }), short)
		if got.Threads != c.threads || got.Awake != c.more || got.Alone <= 0 {
			t.Errorf("woken after %v ns, handed over in %v: %d threads, and %d that are awake; expected %d and %d", c.wake, c.hand, got.Threads, got.Awake, c.threads, c.more)
		}
	}
}

func TestChoose(t *testing.T) {
	few, many := coming(t, bound(t, heavy, 1<<16)), coming(t, bound(t, heavy, 1<<20))
	slow := edited(t, func(m *machine.Machine) {
		for name, class := range m.Engines["wasm"].Classes {
			m.Engines["wasm"].Classes[name] = machine.Class{One: 100 * class.One, Vector: 100 * class.Vector}
		}
	})
	a, b, c := plan.Choose(machine.Default(), few).Wasm, plan.Choose(machine.Default(), many).Wasm, plan.Choose(slow, many).Wasm
	if !(a.P50 > 0 && b.P50 > 8*a.P50 && c.P50 > 20*b.P50 && a.P10 < a.P50 && a.P50 < a.P90) {
		t.Errorf("%v, sixteen times as much %v, on a slow machine %v", a, b, c)
	}
}

// What is predicted of a whole program goes over to native code where that is worth its compilation.
func TestPredict(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{{100, "wasm"}, {1 << 24, "native"}} {
		p := bound(t, heavy, c.n)
		out, err := plan.Predict(p.Schedule, p.Inputs.Sizes, plan.Options{Machine: machine.Default(), Engine: "auto", Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if out.Engine != c.want || !(out.Time.P10 > 0 && out.Time.P10 <= out.Time.P50 && out.Time.P50 <= out.Time.P90) {
			t.Errorf("%d elements: %+v, expected %s", c.n, out, c.want)
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	p := bound(b, heavy, 1<<20)
	c := coming(b, p)
	for b.Loop() {
		plan.Choose(machine.Default(), c)
	}
}

// On both sides of each crossing the table says what a prediction says there.
func TestTable(t *testing.T) {
	p := bound(t, heavy, 1<<20)
	opt := plan.Options{Machine: machine.Default(), Engine: "auto", Threads: 2}
	rows, err := plan.Table(p.Schedule, p.Inputs.Sizes, "N", 1, 1_000_000_000, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 3 || rows[0].From != 1 || rows[0].Engine != "wasm" || rows[0].Threads != 1 || rows[len(rows)-1].Engine != "native" || rows[len(rows)-1].Threads != 2 {
		t.Fatalf("%+v", rows)
	}
	at := func(n int64) (string, int) {
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": n}, opt)
		if err != nil {
			t.Fatal(err)
		}
		return out.Engine, out.Threads
	}
	for i, r := range rows {
		if engine, threads := at(r.From); engine != r.Engine || threads != r.Threads {
			t.Errorf("%d: %s on %d threads, the table says %+v", r.From, engine, threads, r)
		}
		if i == 0 {
			continue
		}
		before := rows[i-1]
		if n := r.From - r.From/50 - 1; n > before.From {
			if engine, threads := at(n); engine != before.Engine || threads != before.Threads {
				t.Errorf("%d, below %d: %s on %d threads, the table says %+v", n, r.From, engine, threads, before)
			}
		}
	}
	if _, err := plan.Table(p.Schedule, p.Inputs.Sizes, "N", 5, 4, opt); err == nil {
		t.Error("a range without sizes has a table")
	}
}
