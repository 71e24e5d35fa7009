package kerneltest

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: nothing. Out: kernels whose iterations follow references, and cases of them. Invariant: verify accepts them all.

// walkHeader has a table of s1 rows, links and keys, and s0 slots with where each begins and how far it goes.
const walkHeader = `kernel
size s0 0..1000000
size s1 1..1000000
size s2 0..1000000
scalar i64 0..100
region read i64 s0 < s1
region read i64 s0 < s1
region read i64 s1 < s1
region read i64 s1
region write i64 s0
region readwrite i64 s1
sites 2
outer s2
grain 7
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = scalar 0
  v5 = const i64 1
  v6 = const i64 9
`

// Walk is the body of such a kernel. Even says that its walks have one length.
type Walk struct {
	Name, Body string
	Even       bool
}

// Walks are such bodies.
var Walks = []Walk{
	{"of one length", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = for v10 in v3..v4, v11 i64 < s1 = v8 {
    v12 = load r2 v11
    yield v12
  }
  store r4 v7 v9
  yield
}
end`, true},
	{"of one length with what is kept", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = load r1 v7
  v13 = lt i64 v8 v9
  v14 v15 = for v10 in v3..v4, v11 i64 < s1 = v8, v16 i64 = v3 {
    v12 = load r2 v11
    v17 = load r3 v11
    v18 = add i64 v17 v9
    v19 = select i64 v13 v18 v10
    v20 = add i64 v16 v19 site 0 at v7
    yield v12 v20
  }
  v21 = add i64 v15 v9 site 1 at v7
  v22 = select i64 v13 v21 v14
  store r4 v7 v22
  yield
}
end`, true},
	{"that end at a key", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = load r1 v7
  v14 = for v10 in v3..v6 stop, v11 i64 < s1 = v8 {
    v12 = load r2 v11
    v17 = load r3 v11
    v18 = lt i64 v17 v9
    yield v12 v18
  }
  store r4 v7 v14
  yield
}
end`, false},
	{"that end at a key, and tell at which turn", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = load r1 v7
  v14 v15 = for v10 in v3..v6 stop, v11 i64 < s1 = v8, v16 i64 = v3 {
    v12 = load r2 v11
    v17 = load r3 v11
    v18 = lt i64 v17 v9
    v19 = mul i64 v17 v10 site 0 at v10
    v20 = add i64 v16 v10
    yield v12 v20 v18
  }
  v21 = add i64 v14 v15
  store r4 v7 v21
  yield
}
end`, false},
	{"as long as each says", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = load r1 v7
  v13 = rem i64 v9 v6
  v14 = sub i64 v13 v5
  v15 v16 = for v10 in v3..v14, v11 i64 < s1 = v8, v12 i64 = v5 {
    v17 = load r2 v11
    v18 = load r3 v11
    v19 = mul i64 v12 v18 site 0 at v10
    yield v17 v19
  }
  v20 = add i64 v16 v15
  store r4 v7 v20
  yield
}
end`, false},
	{"whose sums go into a table", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = for v10 in v3..v4, v11 i64 < s1 = v8 {
    v12 = load r2 v11
    yield v12
  }
  v13 = bound v9 < s1
  v14 = load r4 v13
  v15 = add i64 v14 v7 site 0 at v7
  store r4 v13 v15
  yield
}
end`, true},
	{"whose results are folded", `v7 = fold v8 in v1..v2, add i64 {
  v9 = load r0 v8
  v10 = for v11 in v3..v4 stop, v12 i64 < s1 = v9 {
    v13 = load r2 v12
    v14 = eq i64 v13 v9
    yield v13 v14
  }
  v15 = mul i64 v10 v8
  yield v15
}
store r4 v0 v7
end`, false},
	{"whose results are folded in order", `v7 = fold v8 in v1..v2, add f64 {
  v9 = load r0 v8
  v10 = for v11 in v3..v4, v12 i64 < s1 = v9 {
    v13 = load r2 v12
    yield v13
  }
  v14 = convert i64 f64 v10
  v15 = sqrt f64 v14
  yield v15
}
v16 = bitcast f64 i64 v7
store r4 v0 v16
end`, true},
	{"that the next is told of", `v7 = for v8 in v1..v2, v9 i64 = v5 {
  v10 = load r0 v8
  v11 = for v12 in v3..v4, v13 i64 < s1 = v10 {
    v14 = load r2 v13
    yield v14
  }
  v15 = mul i64 v9 v6
  v16 = xor i64 v15 v11
  yield v16
}
store r4 v0 v7
end`, true},
	{"that begin where a table says", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = load r1 v7
  v13 = mul i64 v9 v6 site 1 at v7
  v14 = rem i64 v13 v6
  v15 = add i64 v14 v8
  v16 = bound v15 < s1
  v17 = load r2 v16
  v10 = for v11 in v3..v6 stop, v12 i64 < s1 = v17 {
    v18 = load r2 v12
    v19 = lt i64 v18 v9
    yield v18 v19
  }
  store r4 v7 v10
  yield
}
end`, false},
	{"that search, and then do nothing more", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = size s1
  v10 v11 = for v12 in v3..v4, v13 i64 = v3, v14 i64 = v9 {
    v15 = lt i64 v13 v14
    v16 v17 = if v15 {
      v18 = add i64 v13 v14 site 0 at v7
      v19 = shr i64 v18 v5
      v20 = bound v19 < s1
      v21 = load r3 v20
      v22 = lt i64 v21 v8
      v23 = add i64 v19 v5
      v24 = select i64 v22 v23 v13
      v25 = select i64 v22 v14 v19
      v26 = mul i64 v21 v21 site 1 at v7
      yield v24 v25
    } else {
      yield v13 v14
    }
    yield v16 v17
  }
  store r4 v7 v10
  yield
}
end`, true},
	{"with a loop in each turn", `for v7 in v1..v2 {
  v8 = load r0 v7
  v9 = for v10 in v3..v6, v11 i64 < s1 = v8 {
    v12 = load r3 v11
    v13 = rem i64 v12 v6
    v14 = fold v15 in v3..v13, max i64 {
      v16 = mul i64 v15 v12
      yield v16
    }
    v17 = load r2 v11
    v18 = lt i64 v14 v6
    v19 = select i64 v18 v17 v11
    yield v19
  }
  store r4 v7 v9
  yield
}
end`, true},
}

// Text is such a kernel. Where it folds or carries, results are by outer index.
func (w Walk) Text() string {
	text := walkHeader
	if strings.Contains(w.Body, "store r4 v0") {
		text = strings.Replace(text, "region write i64 s0", "region write i64 s2", 1)
	}
	if strings.Contains(w.Body, "load r4") { // in order, so by one outer index
		text = strings.Replace(text, "region write i64 s0", "region readwrite i64 s1", 1)
		text = strings.Replace(text, "outer s2", "outer 1", 1)
		text = strings.Replace(text, "grain 7", "grain s0 + 1", 1)
	}
	return text + w.Body + "\n"
}

// WalkCase has n slots and a table of m rows, whose keys are small, or as large as they come where sums are to overflow.
func WalkCase(k *kernel.Kernel, n, m int64, turns uint64, large bool, seed uint64) *Case {
	grain, ok := k.Grain.Const()
	if !ok {
		grain = n + 1
	}
	sizes := []int64{n, m, (n + grain - 1) / grain}
	outer, _ := kernel.EvalPoly(k.Outer, sizes)
	c := &Case{Kernel: k, Sizes: sizes, Outer: outer, Regions: make([][]byte, len(k.Regions)), Scalars: []uint64{turns}}
	rng := rand.New(rand.NewPCG(seed, 1))
	for i, length := range c.Lens() {
		c.Regions[i] = make([]byte, 8*length)
		for j := range length {
			v := rng.Int64N(40)
			switch {
			case i < 3:
				v = rng.Int64N(m)
			case i == 3 && large && rng.IntN(8) == 0:
				v = 1<<62 + rng.Int64N(1<<60)
			}
			binary.LittleEndian.PutUint64(c.Regions[i][8*j:], uint64(v))
		}
	}
	return c
}
