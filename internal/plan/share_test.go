package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// TestShares: threads share a long sort, and only one that takes longer than it takes to wake them.
func TestShares(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { x.sort() }", 10)
	slow := edited(t, func(m *machine.Machine) { m.Wake *= 1e6 })
	for _, c := range []struct {
		name    string
		n       int64
		threads int
		machine *machine.Machine
		want    bool
	}{
		{"long", 10_000_000, 2, machine.Default(), true},
		{"short", 1000, 2, machine.Default(), false},
		{"one thread", 10_000_000, 1, machine.Default(), false},
		{"threads that take seconds to wake", 1_000_000, 2, slow, false},
	} {
		sizes, opt := map[string]int64{"N": c.n}, plan.Options{Machine: c.machine, Engine: "wasm", Threads: c.threads}
		share, _, err := plan.Shares(p.Schedule, sizes, opt)
		if err != nil || share != c.want {
			t.Errorf("%s: threads share %v (%v)", c.name, share, err)
		}
		out, err := plan.Predict(p.Schedule, sizes, opt)
		if err != nil {
			t.Fatal(err)
		}
		if shared := out.Schedule != p.Schedule; shared != c.want {
			t.Errorf("%s: the prediction is of threads that share: %v", c.name, shared)
		}
	}
}

// TestSharesIsOpen: the less sure a machine's times are, the more is left to what runs take.
func TestSharesIsOpen(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { x.sort() }", 10)
	for off, want := range map[float64]bool{1: false, 3: true} {
		m := edited(t, func(m *machine.Machine) { m.Engines["wasm"].Error = off })
		_, close, err := plan.Shares(p.Schedule, map[string]int64{"N": 1_000_000}, plan.Options{Machine: m, Engine: "wasm", Threads: 2})
		if err != nil || close != want {
			t.Errorf("an error of %v: both ways might take less: %v (%v)", off, close, err)
		}
	}
}

// TestSharedIsKnown: the program in which threads share is known by its own kernels, so that what it took is told from what the other did.
func TestSharedIsKnown(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { x.sort() }", 10)
	other, err := p.Schedule.Shared()
	if err != nil {
		t.Fatal(err)
	}
	if p.Program.ID(p.Schedule) == p.Program.ID(other) {
		t.Error("both ways are known by the same")
	}
	schedule.Launches(other.Steps, func(l *schedule.Launch) {
		b, err := kernel.Encode(l.Kernel)
		want := kernel.Hash(b)
		if got, ok := p.Program.Name(l); err != nil || !ok || got != want {
			t.Errorf("`%s` is known by %v, expected %v (%v)", l.Label, got, want, err)
		}
	})
}

// TestSharedMemory: what is held to a bound of memory takes no more than was held against it.
func TestSharedMemory(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" ensures mem <= 100 MB { x.sort() }", 10)
	if p.Schedule.Shared != nil {
		t.Error("threads share a sort, which takes memory for more keys")
	}
}

// TestSharesAsListed: what runs took on one thread, twice as long as the code says or half, does not make a sort by several look better or worse; the
// plan that is chosen is the least of the list, and a run goes by it, whatever was seen.
func TestSharesAsListed(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { x.sort() }", 10)
	other, err := p.Schedule.Shared()
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{"N": 8_000_000}
	for name, s := range map[string]*schedule.Schedule{"alone": p.Schedule, "shared": other} {
		for _, off := range []float64{0.3, 1, 3} {
			for _, engine := range []string{"wasm", "native"} {
				opt := plan.Options{Machine: machine.Default(), Engine: engine, Threads: 2, Past: plan.Past{Seen: seen.New(""), Program: p.Program.ID, Name: p.Program.Name}}
				cold := opt
				cold.Past, cold.Going = plan.Past{}, s
				took, err := plan.Predict(s, sizes, cold)
				if err != nil {
					t.Fatal(err)
				}
				i := 0
				schedule.Launches(s.Steps, func(l *schedule.Launch) {
					id, _ := p.Program.Name(l)
					st, point := took.Steps[i], seen.Point{}
					for _, n := range l.Sizes {
						n, _ := n.Eval(func(name string) (int64, bool) { return sizes[name], name == "N" })
						point.Sizes = append(point.Sizes, n)
					}
					point.Scalars, point.Known = make([]int64, len(l.Scalars)), make([]bool, len(l.Scalars))
					opt.Past.Seen.Note(seen.Key{ID: id, Engine: engine, Threads: st.Threads}, point, off*st.Time.P50)
					i++
				})
				opt.Engine = "auto"
				all, err := plan.Consider(p.Schedule, sizes, plan.Candidates(opt.Machine, "auto", 2, true), opt)
				if err != nil {
					t.Fatal(err)
				}
				best, err := plan.Chosen(all)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range all {
					if c.Time.P50 < (1-1e-9)*best.Time.P50 {
						t.Errorf("%s, %s, %v times as long: plan %d takes %v, and plan %d is chosen, which takes %v", name, engine, off, c.Number, c.Time.P50, best.Number, best.Time.P50)
					}
				}
				share, _, err := plan.Shares(p.Schedule, sizes, opt)
				if err != nil || share != (best.Schedule != p.Schedule) {
					t.Errorf("%s, %s, %v times as long: a run shares: %v, the plan that is chosen does not do so (%v)", name, engine, off, share, err)
				}
				unseen := opt
				unseen.Past = plan.Past{}
				if before, _, _ := plan.Shares(p.Schedule, sizes, unseen); before != share {
					t.Errorf("%s, %s, %v times as long: by that, a run shares: %v", name, engine, off, share)
				}
			}
		}
	}
}
