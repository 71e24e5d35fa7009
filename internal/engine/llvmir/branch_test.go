package llvmir

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// TestArms computes both blocks of an If in lanes: what would fault in the block that a lane does not take is no fault, and what faults
// in the one that it takes is one, at the least place.
func TestArms(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		k := parse(t, "arms")
		code, err := b.compile(k)
		if err != nil {
			t.Fatal(err)
		}
		defer code.close()
		if p, why := loops.Of(k, b.t.Engine()).Plan(&k.Body.Instrs[len(k.Body.Instrs)-1]); p == nil {
			t.Errorf("no lanes: %s", why)
		}
		const n = 5000
		odd := []int64{0, 1, 3, 4, -1, math.MaxInt64 - 1, math.MaxInt64 - 2, 1<<40 + 1, -2147483647, -2147483646} // nothing of these faults
		for _, c := range []struct {
			at    int
			value int64
		}{{-1, 0}, {0, math.MaxInt64}, {777, math.MaxInt64}, {4999, -2147483649}, {4096, math.MinInt64}, {4095, 1 - 1<<40}, {13, -1 << 32}} {
			test := caseOf(k, []int64{n, 2}, 2)
			for i := range n {
				v := odd[i%len(odd)]
				if i == c.at || i == c.at+5 && c.at > 0 {
					v = c.value
				}
				binary.LittleEndian.PutUint64(test.Regions[0][8*i:], uint64(v))
			}
			if err := code.agrees(t, test); err != nil {
				t.Errorf("%d at %d: %v", c.value, c.at, err)
			}
		}
	})
}

// What must not run for a lane that does not come to it keeps its If out of lanes.
func TestPinnedArms(t *testing.T) {
	text := kernel.Text(parse(t, "arms"))
	for _, c := range []struct {
		name, old, new string
		lanes          bool
	}{
		{"checked", "", "", true},
		{"a fault", "v15 = mul i64 v8 v8 site 3 at v7", "v15 = mul i64 v8 v8 site 3 at v7\n        fault v9 site 0 at v7", true},
		{"a load", "v15 = mul i64 v8 v8 site 3 at v7", "v15 = load r0 v7", false},
		{"a store", "v15 = mul i64 v8 v8 site 3 at v7", "v15 = mul i64 v8 v8 site 3 at v7\n        store r1 v7 v15", false},
		{"a loop", "v15 = mul i64 v8 v8 site 3 at v7", "v15 = fold v30 in v5..v8, add i64 {\n          yield v30\n        }", false},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		k, err := kernel.ParseText(changed)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", c.name, err))
		}
		e := Target{Arch: "amd64", VectorBytes: 32}.Engine()
		p, _ := loops.Of(k, e).Plan(&k.Body.Instrs[len(k.Body.Instrs)-1])
		if lanes := p != nil && len(p.Single) == 0; lanes != c.lanes {
			t.Errorf("%s: in lanes is %v", c.name, lanes)
		}
	}
}

// resetting counts elements since the last that is above 500.
const resetting = `kernel
size s0 1..1000000000
size s1 1..244141
region readwrite i64 1
region read i64 s0
region write i64 s0
sites 1
outer s1
grain 4096
count s0
state i64 r0
body v0 v1 v2 v3
  v4 = const i64 500
  v5 = const i64 1
  v6 = const i64 0
  v20 = for v7 in v1..v2, v8 i64 = v3 {
    v9 = load r1 v7
    v10 = gt i64 v9 v4
    v12 = if v10 {
      yield v6
    } else {
      v11 = add i64 v8 v5 site 0 at v7
      yield v11
    }
    store r2 v7 v12
    yield v12
  }
  end v20
`

// TestChosenArms computes both blocks of an If outside of lanes: only what faults in the one that is taken is a fault.
func TestChosenArms(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		code, err := b.compile(parseText(t, resetting))
		if err != nil {
			t.Fatal(err)
		}
		defer code.close()
		for _, resets := range [][]int{nil, {2}, {3}, {0, 1, 2}, {0, 5000}} {
			test := caseOf(code.k, []int64{6000, 2}, 2)
			binary.LittleEndian.PutUint64(test.Regions[0], math.MaxInt64-2)
			for _, i := range resets {
				binary.LittleEndian.PutUint64(test.Regions[1][8*i:], 501)
			}
			if err := code.agrees(t, test); err != nil {
				t.Errorf("resets at %v: %v", resets, err)
			}
		}
		text, err := Emit(parseText(t, resetting), b.t)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, "and i1") || !strings.Contains(text, "select i1") {
			t.Errorf("no choice:\n%s", text)
		}
	})
}

const sameFault = `kernel
size s0 1..1000000000
size s1 1..244141
region read i64 s0
region write i64 s0
sites 1
outer s1
grain 4096
count s0
body v0 v1 v2
  v3 = const i64 3
  v4 = const i64 4611686018427387904
  for v5 in v1..v2 {
    v6 = load r0 v5
    v7 = gt i64 v6 v3
    v9 = if v7 {
      yield v6
    } else {
      v8 = mul i64 v4 v4 site 0 at v5
      yield v8
    }
    store r1 v5 v9
    yield
  }
  end
`

// TestSameFaultInArm has an operation that faults for every lane, and counts for those which come to it.
func TestSameFaultInArm(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		code, err := b.compile(parseText(t, sameFault))
		if err != nil {
			t.Fatal(err)
		}
		defer code.close()
		for _, at := range []int{-1, 0, 777, 4999} {
			test := caseOf(code.k, []int64{5000, 2}, 2)
			for i := range 5000 {
				v := uint64(5)
				if i == at {
					v = 2
				}
				binary.LittleEndian.PutUint64(test.Regions[0][8*i:], v)
			}
			if err := code.agrees(t, test); err != nil {
				t.Errorf("at %d: %v", at, err)
			}
		}
	})
}
