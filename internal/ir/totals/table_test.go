package totals

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// header is that of all kernels of the table: r0 and r1 hold states, r2 is stored, r3 and r4 are read.
const header = `kernel
size s0 0..1000000
size s1 0..1000000
region readwrite KIND 1
region readwrite i64 1
region write KIND s0
region read KIND s0
region read i64 s0
region readwrite KIND s0
region scratch KIND 4
sites 2
outer s1
grain 3
count s0
state KIND r0
state i64 r1
body o lo hi s c
`

// loop is a kernel that carries the first state through a loop over the slots.
func loop(body string) string {
	return "one = const i64 1\n z = for i in lo..hi, a KIND = s {\n x = load r3 i\n" + body + "\n}\n end z c"
}

var table = []struct {
	name, kind, body string
	ops              []num.FoldOp // nil if there is no law
	why              string
}{
	{"scan of a sum", "i64", loop("n = add i64 a x site 0 at i\n store r2 i n\n yield n"), []num.FoldOp{num.FoldAdd, 0}, ""},
	{"narrow sum", "i8", loop("n = add i8 a x site 0 at i\n store r2 i n\n yield n"), []num.FoldOp{num.FoldAdd, 0}, ""},
	{"product", "i32", loop("n = mul i32 x a site 0 at i\n store r2 i n\n yield n"), []num.FoldOp{num.FoldMul, 0}, ""},
	{"difference", "u16", loop("n = sub u16 a x site 0 at i\n store r2 i n\n yield n"), []num.FoldOp{num.FoldAdd, 0}, ""},
	{"greatest float", "f64", loop("n = max f64 a x\n store r2 i n\n yield n"), []num.FoldOp{num.FoldMax, 0}, ""},
	{"least float", "f32", loop("n = min f32 x a\n store r2 i n\n yield n"), []num.FoldOp{num.FoldMin, 0}, ""},
	{"or of bools", "bool", loop("n = or bool a x\n store r2 i n\n yield n"), []num.FoldOp{num.FoldOr, 0}, ""},
	{"under a condition", "i64", loop("w = load r4 i\n p = gt i64 w one\n n = if p {\n m = add i64 a x site 0 at i\n store r2 i m\n yield m\n } else {\n yield a\n }\n yield n"), []num.FoldOp{num.FoldAdd, 0}, ""},
	{"by a choice", "i64", loop("w = load r4 i\n p = gt i64 w one\n m = add i64 a x\n n = select i64 p a m\n store r2 i n\n yield n"), []num.FoldOp{num.FoldAdd, 0}, ""},
	{"the state decides what is stored", "i64", loop("n = add i64 a x site 0 at i\n p = gt i64 a x\n if p {\n store r2 i a\n yield\n } else {\n yield\n }\n yield n"), []num.FoldOp{num.FoldAdd, 0}, ""},
	{"a loop in a turn", "i64", loop("n = for j in lo..i, b i64 = a {\n y = load r3 j\n m = xor i64 b y\n yield m\n }\n store r2 i n\n yield n"), []num.FoldOp{num.FoldXor, 0}, ""},
	{"a fold in a turn", "i64", loop("f = fold j in lo..i, add i64 {\n y = load r4 j\n yield y\n }\n n = add i64 a f\n store r2 i n\n yield n"), []num.FoldOp{num.FoldAdd, 0}, ""},
	{"a loop that data ends", "i64", "z = for i in lo..hi stop, a i64 = s {\n x = load r3 i\n n = add i64 a x site 1\n p = gt i64 x i\n yield n p\n }\n end z c", []num.FoldOp{num.FoldAdd, 0}, ""},
	{"a value beside the state", "i64", "z y = for i in lo..hi, a i64 = s, b i64 = lo {\n x = load r3 i\n n = add i64 a b\n m = mul i64 b x\n store r2 i n\n yield n m\n }\n end z c", []num.FoldOp{num.FoldAdd, 0}, ""},
	{"scratch memory apart from the state", "i64", loop("k = const i64 2\n store scratch k x\n y = load scratch k\n n = add i64 a y\n store r2 i n\n yield n"), []num.FoldOp{num.FoldAdd, 0}, ""},
	{"no loop", "i64", "n = add i64 s lo\n m = max i64 c hi\n end n m", []num.FoldOp{num.FoldAdd, num.FoldMax}, ""},
	{"compaction", "i32", compact("q = bound d < s0\n store r2 q x"), []num.FoldOp{0, num.FoldAdd}, ""},

	{"sum of floats", "f64", loop("n = add f64 a x\n store r2 i n\n yield n"), nil, "state 0"},
	{"product of floats", "f32", loop("n = mul f32 a x\n store r2 i n\n yield n"), nil, "state 0"},
	{"two operations", "i64", loop("n = add i64 a x\n m = max i64 n x\n store r2 i m\n yield m"), nil, "state 0"},
	{"what is added depends on the state", "i64", loop("p = gt i64 a x\n q = convert bool i64 p\n n = add i64 a q\n store r2 i n\n yield n"), nil, "state 0"},
	{"what is added depends on the other state", "i64", loop("y = add i64 c x\n n = add i64 a y\n store r2 i n\n yield n"), nil, "state 0"},
	{"the state is added twice", "i64", loop("n = add i64 a a\n yield n"), nil, "state 0"},
	{"the state is subtracted", "i64", loop("n = sub i64 x a\n yield n"), nil, "state 0"},
	{"the state decides", "i64", loop("p = gt i64 a x\n n = if p {\n m = add i64 a x\n yield m\n } else {\n yield a\n }\n yield n"), nil, "state 0"},
	{"the state is replaced", "i64", loop("yield x"), nil, "state 0"},
	{"the state ends the loop", "i64", "z = for i in lo..hi stop, a i64 = s {\n x = load r3 i\n n = add i64 a x\n p = gt i64 n x\n yield n p\n }\n end z c", nil, "state 0"},
	{"the state bounds a loop", "i64", loop("m = min i64 c hi\n n = for j in lo..m, b i64 = a {\n k = add i64 b one\n yield k\n }\n yield n"), nil, "state 0"},
	{"saturation", "i16", loop("n = satadd i16 a x\n store r2 i n\n yield n"), nil, "state 0"},
	{"states change places", "i64", "end c s", nil, "state 0"},
	{"what is stored is loaded", "i64", loop("y = load r5 i\n n = add i64 a y\n store r5 i n\n yield n"), nil, "state 0"},
	{"loaded and stored apart from the state", "i64", loop("y = load r5 i\n store r5 i x\n n = add i64 a x\n yield n"), nil, "both loaded and stored"},
	{"the state in scratch memory", "i64", loop("k = const i64 2\n store scratch k a\n y = load scratch k\n n = add i64 a y\n yield n"), nil, "state 0"},
	{"the state decides what is in scratch memory", "i64", loop("k = const i64 2\n p = gt i64 a one\n if p {\n store scratch k x\n yield\n } else {\n yield\n }\n y = load scratch k\n n = add i64 a y\n yield n"), nil, "state 0"},
	{"all store one element", "i64", loop("k = const i64 0\n if0 = gt i64 hi k\n n = add i64 a x\n q = bound k < s0\n store r2 q n\n yield n"), nil, "may store to the same"},
	{"a position that stands still", "i32", "one = const i64 1\n z = for i in lo..hi, d i64 = c {\n x = load r3 i\n q = bound d < s0\n store r2 q x\n yield d\n }\n end s z", nil, "may store to the same"},
	{"a position before the increment of another turn", "i32", "one = const i64 1\n z = for i in lo..hi, d i64 = c {\n x = load r3 i\n w = load r4 i\n p = gt i64 w one\n e = add i64 d one\n q = bound e < s0\n store r2 q x\n n = select i64 p e d\n yield n\n }\n end s z", nil, "may store to the same"},
	{"a position that goes down", "i32", "one = const i64 1\n z = for i in lo..hi, d i64 = c {\n x = load r3 i\n q = bound d < s0\n store r2 q x\n n = sub i64 d one\n yield n\n }\n end s z", nil, "may store to the same"},
	{"rows that overlap", "i32", "one = const i64 1\n two = const i64 2\n z = for i in lo..hi, d i64 = c {\n x = load r3 i\n q = bound d < s0\n h = add i64 q one\n g = bound h < s0\n store r2 g x\n store r2 q x\n n = add i64 d one\n yield n\n }\n end s z", nil, "may store to the same"},
}

func compact(store string) string {
	return "one = const i64 1\n z = for i in lo..hi, d i64 = c {\n x = load r3 i\n w = load r4 i\n p = gt i64 w one\n n = if p {\n" + store +
		"\n e = add i64 d one\n yield e\n } else {\n yield d\n }\n yield n\n }\n end s z"
}

func TestTable(t *testing.T) {
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			k, err := kernel.ParseText(strings.NewReplacer("KIND", c.kind, "scratch k", "r6 k").Replace(header + c.body))
			if err != nil {
				t.Fatal(err)
			}
			kernel.Renumber(k)
			s, err := verify.Check(k)
			if err != nil {
				t.Fatal(err)
			}
			l, err := Of(s)
			if c.ops == nil {
				if err == nil || !strings.Contains(err.Error(), c.why) {
					t.Fatalf("got %v, %v; want no law, because of %q", l, err, c.why)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(l.Ops, c.ops) {
				t.Fatalf("joined by %v, want %v", l.Ops, c.ops)
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range 50 {
				holds(t, r, l, arguments(r, k))
			}
		})
	}
}

// arguments draws contents for a kernel of the table.
func arguments(r *rand.Rand, k *kernel.Kernel) *kerneltest.Case {
	n := int64(r.IntN(20))
	c := &kerneltest.Case{Kernel: k, Sizes: []int64{n, (n + 2) / 3}, Outer: (n + 2) / 3, Regions: make([][]byte, len(k.Regions))}
	for i, length := range c.Lens() {
		elem := k.Regions[i].Elem
		edges := kerneltest.Edges(elem)
		c.Regions[i] = make([]byte, length*int64(elem.Size()))
		for j := range length {
			v := edges[r.IntN(len(edges))]
			if i == 1 && r.IntN(4) > 0 {
				v = 0 // where a compaction begins
			}
			column.Put(elem, c.Regions[i], j, v)
		}
	}
	return c
}
