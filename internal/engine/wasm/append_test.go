package wasm

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

// appending appends rows of which a number is above 50.
const appendingText = `
kernel
size s0 1..1000000000
size s1 1..244141
region readwrite i64 1
region write i16 s0
region write i64 s0
region write u8 s0
region write bool s0
region read i16 s0
region read i64 s0
region read u8 s0
region read bool s0
sites 1
outer s1
grain 64
count s0
state i64 r0
body o lo hi before
  fifty = const i16 50
  one = const i64 1
  after = for i in lo..hi, n i64 = before {
    a = load r5 i
    b = load r6 i
    c = load r7 i
    d = load r8 i
    some = gt i16 a fifty
    next = add i64 n one
    m = if some {
      at = bound n < s0
      store r1 at a
      store r2 at b
      store r3 at c
      store r4 at d
      yield next
    } else {
      yield n
    }
    yield m
  }
  end after`

// TestAppends appends from counts on with which there is room for all elements, for some, or for none.
func TestAppends(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name, old, new string
		free           bool // of branches
	}{
		{"rows", "", "", true},
		{"rows with a checked place", "at = bound n < s0", "at = bound n < s0 site 0 at i", false},
		{"rows that are not counted", "yield next", "yield n", false},
	} {
		k, err := kernel.ParseText(strings.Replace(appendingText, c.old, c.new, 1))
		if err != nil {
			t.Fatal(err)
		}
		if free := len(newTree(k).appends) == 1; free != c.free {
			t.Errorf("%s: free of branches is %v", c.name, free)
		}
		for _, begin := range []int64{0, 1, 100, 199, 200, 201, -1, math.MinInt64, math.MaxInt64} {
			const n = 200
			rng := rand.New(rand.NewPCG(1, uint64(begin)))
			test := &kerneltest.Case{Name: c.name, Kernel: k, Sizes: []int64{n, 4}, Outer: 4, Regions: make([][]byte, 9)}
			test.Regions[0] = binary.LittleEndian.AppendUint64(nil, uint64(begin))
			for r := 1; r < 9; r++ {
				test.Regions[r] = make([]byte, n*k.Regions[r].Elem.Size())
				for i := range test.Regions[r] {
					if r >= 5 {
						test.Regions[r][i] = byte(rng.IntN(2) * rng.IntN(100))
					}
					if r == 8 {
						test.Regions[r][i] = byte(rng.IntN(2))
					}
				}
			}
			if err := b.agree(test); err != nil {
				t.Errorf("%s from %d on: %v", c.name, begin, err)
			}
		}
	}
}
