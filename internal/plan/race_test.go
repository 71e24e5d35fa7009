package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

// gone runs a race n times with what the ways take, and gives the ways.
func gone(r *Race, n int, took func(run, way int) float64) (ways []int) {
	for i := range n {
		way := r.Next()
		r.Ran(way, took(i, way))
		ways = append(ways, way)
	}
	return ways
}

func times(ways []int, way int) (n int) {
	for _, w := range ways {
		if w == way {
			n++
		}
	}
	return n
}

// TestRace: the way that takes less is gone after a few runs, whatever was expected, and what the other one cost is little.
func TestRace(t *testing.T) {
	even := [2]machine.Spread{{P10: 70, P50: 100, P90: 140}, {P10: 35, P50: 50, P90: 70}}
	for _, c := range []struct {
		name  string
		first int
		took  [2]float64
		want  int
	}{
		{"as expected", 1, [2]float64{100, 50}, 1},
		{"the other way is better", 1, [2]float64{100, 150}, 0},
		{"both are worse than expected, and the other is better", 1, [2]float64{400, 700}, 0},
		{"the first way is worse", 0, [2]float64{100, 50}, 1},
		{"nearly even", 0, [2]float64{100, 98}, 0},
	} {
		ways := gone(NewRace(even, c.first), 400, func(_, way int) float64 { return c.took[way] })
		for i := range heats {
			if ways[i] != c.first {
				t.Errorf("%s: run %d goes way %d", c.name, i, ways[i])
			}
		}
		if n := times(ways[60:], 1-c.want); n > 8 {
			t.Errorf("%s: %d of %d later runs go the way that takes more", c.name, n, len(ways)-60)
		}
		all, best := 0.0, c.took[c.want]*float64(len(ways))
		for _, w := range ways {
			all += c.took[w]
		}
		if all > 1.15*best {
			t.Errorf("%s: all runs took %v, by the best way they take %v", c.name, all, best)
		}
	}
}

// TestRaceCostsLittle: a way that is far worse is tried for no more than a part of what was spent.
func TestRaceCostsLittle(t *testing.T) {
	r := NewRace([2]machine.Spread{machine.Exactly(100), machine.Exactly(10_000)}, 0)
	ways := gone(r, 1000, func(_, way int) float64 { return []float64{100, 10_000}[way] })
	if n := times(ways, 1); float64(n)*9_900 > stake*100*float64(len(ways))+9_900 {
		t.Errorf("%d of %d runs go a way that takes a hundred times as long", n, len(ways))
	}
}

// TestRaceStays: where times are noise, ways change seldom.
func TestRaceStays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	r := NewRace([2]machine.Spread{{P10: 50, P50: 100, P90: 200}, {P10: 50, P50: 100, P90: 200}}, 0)
	gone(r, 100_000, func(int, int) float64 { return 100 * (1 + random.ExpFloat64()) })
	if r.changes > 16 {
		t.Errorf("the way changed %d times in 100,000 runs that differ by chance", r.changes)
	}
}

// TestRaceLater: a way that has become better is found, and one that has become worse is left.
func TestRaceLater(t *testing.T) {
	for name, later := range map[string][2]float64{"the other became better": {100, 40}, "the present became worse": {300, 150}} {
		r := NewRace([2]machine.Spread{{P10: 70, P50: 100, P90: 140}, {P10: 70, P50: 100, P90: 140}}, 0)
		ways := gone(r, 800, func(run, way int) float64 {
			if run < 100 {
				return []float64{100, 150}[way]
			}
			return later[way]
		})
		if ways[99] != 0 || ways[799] != 1 {
			t.Errorf("%s: way %d before, way %d at the end", name, ways[99], ways[799])
		}
	}
}
