package cost_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/plan/cost"
)

// TestAppended: a filter asks no lane by a branch, stores what it appends in order, and takes one value after the other where vectors are short.
func TestAppended(t *testing.T) {
	const source = `fn f(x: &[f64; N]) -> [f64; ?K <= N] where N: Range<1, 1_000_000_000> { x.filter(|e| e > 0.5) }`
	x := data.FromSlice(make([]float64, 1<<20))
	simple := map[int]cost.Count{}
	for _, bytes := range []int{32, 64} {
		m := mix(t, source, bytes, x)
		if n := m.Counts[cost.Branch]; n.One+n.Vector > 0 {
			t.Errorf("vectors of %d bytes: %v branches", bytes, n)
		}
		stored := 0.0
		for _, touch := range m.Touches {
			if touch.Pattern != cost.InOrder {
				t.Errorf("vectors of %d bytes: %+v", bytes, touch)
			}
			if touch.Store {
				stored += touch.Count
			}
		}
		near(t, "stored", stored, 1<<19)
		simple[bytes] = m.Counts[cost.Simple]
	}
	for _, touch := range mixOn(t, source, wasm.Lanes(), x).Touches {
		if touch.Pattern != cost.InOrder {
			t.Errorf("WebAssembly: %+v", touch)
		}
	}
	if n := mixOn(t, source, wasm.Lanes(), x).Counts[cost.Branch]; n.One+n.Vector > 0 {
		t.Errorf("WebAssembly: %v branches", n)
	}
	if simple[32].One < 2*simple[64].One || simple[64].Vector < 2*simple[32].Vector {
		t.Errorf("operations: %v", simple)
	}
}
