package kernel_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

const chase = `
kernel
size s0 1..1000000
scalar i64 0..100
region read i64 s0 < s0
region readwrite i64 1 < s0
sites 1
outer 1
grain 1
count 1
body o lo hi
  zero = const i64 0           # people may name values
  steps = scalar 0
  start = load r1 o
  last = for n in zero..steps stop, at i64 < s0 = start {
    next = load r0 at
    done = eq i64 next at
    yield next done
  }
  twice = add i64 last last site 0 at n0
  end
`

func TestParseText(t *testing.T) {
	k, err := kernel.ParseText(strings.ReplaceAll(chase, "n0", "zero"))
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, k)
	if got := kernel.InstrText(&k.Body.Instrs[3]); got != "v10 = for v6 in v3..v4 stop, v7 i64 < s0 = v5 {" {
		t.Error(got)
	}
}

func TestParseTextRefuses(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"at n0", "at nowhere", "line 20: nowhere is not defined"},
		{"size s0", "size s1", `"s1" where "s0" belongs`},
		{"load r0 at", "load r9 at", "no region 9"},
		{"load r0 at", "load x at", "not a region"},
		{"eq i64", "eq i63", "not a kind"},
		{"eq i64", "equals i64", "not an instruction"},
		{"next = load", "start = load", "defined twice"},
		{"twice = add", "a b = add", "gives 1 values, not 2"},
		{"scalar 0\n", "scalar 3\n", "no scalar 3"},
		{"readwrite", "writeread", "not an access"},
		{"const i64 0", "const i64", "ends too early"},
		{"const i64 0", "const i64 0 0", "after the end"},
		{"const i64 0", "const i64 99999999999999999999", "out of range"},
		{"i64 s0 < s0", "i64 s0 < N", "neither a size"},
		{"  end\n", "  end\nend\n", "after the end of the kernel"},
		{"  end\n", "", "ends too early"},
		{"body o lo hi", "body o lo", "2 parameters, not 3"},
		{"outer 1", "outwards 1", `"outwards" where "body" belongs`},
	} {
		text := strings.Replace(chase, c.from, c.to, 1)
		if c.to != "at nowhere" {
			text = strings.Replace(text, "at n0", "at zero", 1)
		}
		_, err := kernel.ParseText(text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.to, c.from, err, c.want)
		}
	}
}

func FuzzParseText(f *testing.F) {
	f.Add(chase)
	f.Fuzz(func(t *testing.T, text string) {
		k, err := kernel.ParseText(text)
		if err != nil {
			return
		}
		if _, err := kernel.Encode(k); err == nil {
			roundTrip(t, k)
		}
	})
}
