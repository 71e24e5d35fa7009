package cost_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestRowsBegin: rows that indices tell lie anywhere in a table, so that the beginning of each is asked for ahead.
func TestRowsBegin(t *testing.T) {
	const rows, bags = 1 << 22, 1 << 12
	m := mix(t, `fn f(table: &[[f32; 16]; N], bags: &[[u32; 32]; M]) -> [[f32; 16]; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> {
		bags.map(|b| {
			let mut s = [0.0; 16];
			for i in b {
				let row = table[(i as i64).clamp_idx()];
				for d in 0..16 { s[d] = s[d] + row[d]; }
			}
			s
		})
	}`, 64, data.FromBytes("table", []data.Column{{Kind: num.F32, Stored: "f32", Dims: []int64{16}}}, rows, [][]byte{make([]byte, rows*64)}, nil), data.FromBytes("bags", []data.Column{{Kind: num.U32, Stored: "u32", Dims: []int64{32}}}, bags, [][]byte{make([]byte, bags*128)}, nil))
	told := 0.0
	for _, touch := range m.Touches {
		if touch.Told && touch.Pattern == cost.Random {
			told += touch.Count
		}
		t.Logf("%+v", touch)
	}
	if told != 32*bags {
		t.Errorf("%g places are told: %+v", told, m.Touches)
	}
	alone := m.On(machine.Default(), "native", 1, nil)
	asking, flight := m.Weave(machine.Default(), "native", 1, nil)
	if flight < 16 || asking.Total() > 0.8*alone.Total() {
		t.Errorf("%g ns with %d places asked for, %g ns with none", asking.Total(), flight, alone.Total())
	}
	t.Logf("%+v", alone)
	t.Logf("%+v", asking)
}
