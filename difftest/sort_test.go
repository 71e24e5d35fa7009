package difftest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// sorts are programs that sort, by themselves, backwards, by a key, with slots, and what a map or filter before gives.
var sorts = []string{
	"fn f(x: &[%[1]s; N]) -> [%[1]s; N] { x.sort() }",
	"fn f(x: &[%[1]s; N]) -> [%[1]s; N] { x.sort_desc() }",
	"fn f(x: &[%[1]s; N]) -> [idx<N>; N] { (0..N).sort(|q| x[q]) }",
	"fn f(x: &[%[1]s; N]) -> [(idx<N>, %[1]s); N] { x.enumerate().sort_desc(|(_, e)| e) }",
	"fn f(x: &[%[1]s; N]) -> [(%[1]s, i64); N] { (0..N).map(|i| (x[i], (i as i64 * 7919 + 13) / 17 %% 1000 / 3)).sort(|(e, _)| e) }",
	"fn f(x: &[%[1]s; N]) -> ([%[1]s; ?K <= N], [%[1]s; N]) { let y = x.sort(); (x.enumerate().filter(|(i, _)| i %% 3 != 1).map(|(_, e)| e).sort_desc(), y) }",
}

// sortedKinds are those of keys.
var sortedKinds = []num.Kind{num.F32, num.F64, num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64}

// keys are n keys of a kind in one of several orders.
func keys(r *rand.Rand, k num.Kind, n int, order string) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		switch {
		case order == "all the same":
			list[i] = number(k, 2)
		case order == "few":
			list[i] = number(k, float64(r.IntN(3)))
		case order == "clustered":
			if list[i] = number(k, 100) + uint64(r.IntN(5)); r.IntN(200) == 0 {
				list[i] = number(k, 1)
			}
		case order == "special" && k.IsFloat():
			some := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1, 1e-40, -1e-40}
			list[i] = number(k, some[r.IntN(len(some))])
		case k.IsFloat():
			list[i] = number(k, r.NormFloat64())
		default:
			list[i] = r.Uint64()
		}
		list[i] = num.Canon(k, list[i])
	}
	less := func(a, b uint64) int {
		if k.IsFloat() {
			return cmp.Compare(num.ToFloat(k, a), num.ToFloat(k, b))
		}
		top := uint64(1) << (8*k.Size() - 1)
		if k.IsSigned() { // as if all were greater by so much
			a, b = num.Canon(unsigned(k), a^top), num.Canon(unsigned(k), b^top)
		}
		return cmp.Compare(a, b)
	}
	switch order {
	case "sorted":
		slices.SortFunc(list, less)
	case "reversed":
		slices.SortFunc(list, less)
		slices.Reverse(list)
	}
	return list
}

func unsigned(k num.Kind) num.Kind {
	return map[int]num.Kind{1: num.U8, 2: num.U16, 4: num.U32, 8: num.U64}[int(k.Size())]
}

func number(k num.Kind, v float64) uint64 {
	if k.IsFloat() {
		return num.FromFloat(k, v)
	}
	return uint64(int64(v))
}

// sortsAs holds a program over such keys to the interpreter on every engine, by 1 to 4 threads, and reports whether threads
// shared a sort wherever there were several.
func sortsAs(t *testing.T, f *fleet, text string, k num.Kind, n int, order string) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	x := progen.Column{Kind: k, Dims: []int64{int64(n)}, Bits: keys(r, k, n, order)}
	c, err := Prepare(&progen.Program{Source: fmt.Sprintf(text, k), Sizes: map[string]int64{"N": int64(n)}, Params: []progen.Param{{Name: "x", Columns: []progen.Column{x}}}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := c.Oracle(0)
	if err != nil {
		t.Fatal(err)
	}
	tiers := []engine.Tier{engine.Wasm}
	if service != nil {
		tiers = append(tiers, engine.Native)
	}
	for _, tier := range tiers {
		for threads := 1; threads <= 4; threads++ {
			got, err := c.Engine(context.Background(), f.engine(t, tier), threads, 0)
			if err == nil {
				err = Same(want, got)
			}
			if err != nil {
				t.Fatalf("%s on %s, %d keys, %s, %d threads: %v", c.Program.Source, tier, n, order, threads, err)
			}
			if got.Fault == nil && got.Shared != (threads > 1) {
				t.Fatalf("%s by %d threads: shared %v", c.Program.Source, threads, got.Shared)
			}
		}
	}
}

// TestSharedSorts: in how many parts an array was sorted does not show, whatever the keys are, and wherever parts end.
func TestSharedSorts(t *testing.T) {
	f := &fleet{}
	defer f.close()
	orders := []string{"random", "special", "clustered", "all the same", "sorted", "reversed", "few"}
	lengths := []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 129, 1000, 4097}
	for i, k := range sortedKinds {
		for j, text := range sorts {
			if !k.IsFloat() && (i+j)%2 == 1 {
				continue // a kind of the same sign, or of the same width, sorts so
			}
			t.Run(fmt.Sprintf("%s/%d", k, j), func(t *testing.T) {
				for l := (i + j) % 3; l < len(lengths); l += 3 {
					sortsAs(t, f, text, k, lengths[l], orders[(i+l)%len(orders)])
				}
				sortsAs(t, f, text, k, 700+13*i, orders[(i+j)%len(orders)])
				sortsAs(t, f, text, k, 700+13*i, orders[(i+j+3)%len(orders)])
			})
		}
	}
}

// TestSharedSortsOfMany: a million keys, which no first cache holds.
func TestSharedSortsOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the interpreter sorts millions of keys")
	}
	f := &fleet{}
	defer f.close()
	sortsAs(t, f, sorts[0], num.F64, 1_000_000, "random")
	sortsAs(t, f, sorts[2], num.I32, 1_000_003, "clustered")
}

// TestSharedSortWithoutRoom: where threads that share would need more memory than there may be, one thread sorts.
func TestSharedSortWithoutRoom(t *testing.T) {
	f := &fleet{}
	defer f.close()
	const n = 100_000
	x := progen.Column{Kind: num.F64, Dims: []int64{n}, Bits: keys(rand.New(rand.NewPCG(1, 2)), num.F64, n, "random")}
	c, err := Prepare(&progen.Program{Source: fmt.Sprintf(sorts[0], num.F64), Sizes: map[string]int64{"N": n}, Params: []progen.Param{{Name: "x", Columns: []progen.Column{x}}}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := c.Oracle(0)
	if err != nil {
		t.Fatal(err)
	}
	for resident, shared := range map[int64]bool{3 * 8 * n: false, 6 * 8 * n: true} {
		got, err := c.once(context.Background(), run.Prepare(c.Plan), run.Options{Engine: f.engine(t, engine.Wasm), Threads: 2, Stretch: 1, Resident: resident})
		if err == nil {
			err = Same(want, got)
		}
		if err != nil || got.Shared != shared {
			t.Errorf("with room for %d bytes: shared %v (%v)", resident, got != nil && got.Shared, err)
		}
	}
}
