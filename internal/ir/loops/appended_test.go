package loops

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// filter appends what is greater than a number, and which it was.
const filter = `kernel
size s0 1..1000000000
size s1 1..244141
region readwrite i64 1
region write f32 s0
region write i64 s0
region read f32 s0
region read i64 s0
sites 1
outer s1
grain 4096
count s0
state i64 r0
body v0 v1 v2 v3
  v4 = const f32 0
  v5 = const i64 1
  v6 = const i64 2
  v20 = for v7 in v1..v2, v8 i64 = v3 {
    v9 = load r3 v7
    v10 = gt f32 v9 v4
    v11 = add i64 v8 v5
    v12 = add i64 v7 v6
    v19 = if v10 {
      v13 = bound v8 < s0
      store r1 v13 v9
      store r2 v13 v12
      yield v11
    } else {
      yield v8
    }
    yield v19
  }
  end v20
`

// A filter's loop is taken for one, and one that differs in one place is not.
func TestAppended(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		lanes          int
	}{
		{"a filter", "", "", 8},
		{"of one array of 4 bytes", "      store r2 v13 v12\n", "", 16},
		{"by two at a time", "add i64 v8 v5", "add i64 v8 v6", 0},
		{"by one less", "add i64 v8 v5", "sub i64 v8 v5", 0},
		{"where a place is checked", "add i64 v8 v5", "add i64 v8 v5 site 0 at v7", 0},
		{"that stores the count", "store r2 v13 v12", "store r2 v13 v8", 0},
		{"that stores the next count", "store r2 v13 v12", "store r2 v13 v11", 0},
		{"that stores the place", "store r2 v13 v12", "store r2 v13 v13", 0},
		{"that asks for the count", "v10 = gt f32 v9 v4", "v10 = gt i64 v8 v6", 0},
		{"that computes with the count", "v12 = add i64 v7 v6", "v12 = add i64 v8 v6", 0},
		{"that loads by the count", "v9 = load r3 v7", "v9 = load r3 v8", 0},
		{"that loads what it stores", "v9 = load r3 v7", "v9 = load r1 v7", 0},
		{"that loads from anywhere", "v9 = load r3 v7", "v14 = load r4 v7\n v9 = load r3 v14", 0},
		{"that stores elsewhere", "store r1 v13 v9", "store r1 v7 v9", 0},
		{"that stores nothing", "      store r1 v13 v9\n      store r2 v13 v12\n", "", 0},
		{"that stores where the condition does not hold", "} else {\n", "} else {\n v15 = bound v8 < s0\n store r1 v15 v9\n", 0},
		{"that begins anew", "yield v8\n    }", "yield v5\n    }", 0},
		{"that hands on something else", "yield v19", "yield v12", 0},
		{"that faults where the condition holds", "v13 = bound v8 < s0", "v13 = bound v8 < s0\n v16 = add i64 v7 v6 site 0 at v7", 0},
		{"that stores before", "v12 = add i64 v7 v6", "v12 = add i64 v7 v6\n store r2 v7 v12", 0},
		{"whose fault is at the count", "v12 = add i64 v7 v6", "v12 = add i64 v7 v6\n fault v10 site 0 at v8", 0},
		{"that hands the count out of a block", "v12 = add i64 v7 v6", "v12 = if v10 {\n yield v8\n } else {\n yield v6\n }", 0},
		{"that loads one element again and again", "v9 = load r3 v7", "v9 = load r3 v5", 0},
		{"with a check", "v12 = add i64 v7 v6", "v12 = add i64 v7 v6 site 0 at v7", 8},
	} {
		text := strings.Replace(filter, c.old, c.new, 1)
		k, err := kernel.ParseText(text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		a := Of(k, Engine{Bytes: 64, Nests: true, Registers: 32, MostLanes: 128})
		loop := &k.Body.Instrs[len(k.Body.Instrs)-1]
		p, _ := a.Plan(loop)
		lanes := 0
		if p != nil && p.Appended != nil {
			lanes = p.Lanes
		}
		if lanes != c.lanes {
			t.Errorf("%s: %d lanes, expected %d", c.name, lanes, c.lanes)
		}
	}
}
