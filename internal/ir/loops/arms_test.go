package loops

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

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

// Cheap blocks of an If on data are both computed, and others are not.
func TestGuessedWrong(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           bool
	}{
		{"a sum or nothing", "", "", true},
		{"on the place", "gt i64 v9 v4", "gt i64 v7 v4", false},
		{"a product", "v11 = add i64 v8 v5 site 0 at v7", "v11 = mul i64 v8 v5 site 0 at v7", false},
		{"a quotient", "v11 = add i64 v8 v5 site 0 at v7", "v11 = div i64 v8 v4", false},
		{"a load", "v11 = add i64 v8 v5 site 0 at v7", "v11 = load r1 v7", false},
		{"five sums", "v11 = add i64 v8 v5 site 0 at v7", "v30 = add i64 v8 v5\n v31 = add i64 v30 v5\n v32 = add i64 v31 v5\n v33 = add i64 v32 v5\n v11 = add i64 v33 v8", true},
		{"six", "v11 = add i64 v8 v5 site 0 at v7", "v30 = add i64 v8 v5\n v31 = add i64 v30 v5\n v32 = add i64 v31 v5\n v33 = add i64 v32 v5\n v34 = add i64 v33 v5\n v11 = add i64 v34 v8", false},
	} {
		k, err := kernel.ParseText(strings.Replace(resetting, c.old, c.new, 1))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, nests := range []bool{true, false} {
			a := Of(k, Engine{Bytes: 32, Nests: nests, Registers: 16, MostLanes: 128})
			loop := &k.Body.Instrs[len(k.Body.Instrs)-1]
			branch := Only(&loop.Blocks[0], kernel.If)
			if got := a.GuessedWrong(branch); got != (c.want && nests) {
				t.Errorf("%s, %v: %v", c.name, nests, got)
			}
		}
	}
}

// A block with a division, a root or many operations is dear, and one with a few is not.
func TestDear(t *testing.T) {
	for _, c := range []struct {
		name, block string
		want        bool
	}{
		{"a sum", "v11 = add i64 v8 v5\n", false},
		{"a quotient", "v11 = div i64 v8 v9\n", true},
		{"two quotients by constants", "v30 = div i64 v8 v4\n v11 = rem i64 v30 v4\n", true},
		{"a quotient by a constant", "v11 = div i64 v8 v4\n", false},
		{"many sums", "v30 = add i64 v8 v9\n v31 = add i64 v30 v9\n v32 = add i64 v31 v9\n v33 = add i64 v32 v9\n v34 = add i64 v33 v9\n v35 = add i64 v34 v9\n v36 = add i64 v35 v9\n v37 = add i64 v36 v9\n v38 = add i64 v37 v9\n v39 = add i64 v38 v9\n v40 = add i64 v39 v9\n v11 = add i64 v40 v9\n", true},
	} {
		text := strings.Replace(resetting, "v11 = add i64 v8 v5 site 0 at v7\n", c.block, 1)
		k, err := kernel.ParseText(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		a := Of(k, Engine{Bytes: 32, Nests: true, Registers: 16, MostLanes: 128})
		loop := &k.Body.Instrs[len(k.Body.Instrs)-1]
		if got := a.Dear(&Only(&loop.Blocks[0], kernel.If).Blocks[1]); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
