package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
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
