package cost_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestChasesBegin: a table with open addresses is filled from places that the keys tell, so that these are asked for ahead; only what a search
// comes to behind them is chased.
func TestChasesBegin(t *testing.T) {
	const n = 1 << 22
	m := mix(t, "fn f(k: &[i64; N]) -> [i64; 2 * N] "+ranged+` {
		let mut t = [0; 2 * N];
		for i in 0..N {
			let e = k[i];
			let mut at = (e *% 7919 >> 20) & 0x7F_FFFF;
			for _ in 0..2 * N {
				let found = t[at.clamp_idx()];
				if found == 0 { t[at.clamp_idx()] = e; break; }
				if found == e { break; }
				at = if at +% 1 < 2 * N { at +% 1 } else { 0 };
			}
		}
		t
	}`, 32, data.FromSlice(make([]int64, n)))
	told, chased := 0.0, 0.0
	for _, touch := range m.Touches {
		switch {
		case touch.Told && touch.Pattern == cost.Random && !touch.Store:
			told += touch.Count
		case touch.Pattern == cost.Chased && !touch.Store:
			chased += touch.Count
		}
	}
	if told != n || chased > 0 {
		t.Errorf("%g places are told, %g are chased: %+v", told, chased, m.Touches)
	}
	alone := m.On(machine.Default(), "native", 1, nil)
	asking, flight := m.Weave(machine.Default(), "native", 1, nil)
	if flight == 0 || asking.Total() > 0.8*alone.Total() {
		t.Errorf("%g ns with %d places asked for, %g ns with none", asking.Total(), flight, alone.Total())
	}
}
