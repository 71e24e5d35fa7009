package loops

import (
	"fmt"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

var (
	nests    = Engine{Bytes: 32, Nests: true, Fuses: true, Registers: 16, MostLanes: 128}
	straight = Engine{Bytes: 16}
)

// loop is the last instruction of a kernel with these regions that ends with it, in a body with v3 = 0, v4 = size s0 (0 to 60),
// v5 = 1 and the scalars v6 and v7.
func loop(t *testing.T, text string) (*kernel.Kernel, *kernel.Instr) {
	t.Helper()
	k, err := kernel.ParseText(`kernel
size s0 0..60
scalar i64 0..60
scalar f64
region readwrite i64 200
region read f64 200
region write f64 200
region read i64 200000 < 200
region readwrite i64 200000
sites 1
outer 1
grain 7
count 1
body v0 v1 v2
v3 = const i64 0
v4 = size s0
v5 = const i64 1
v6 = scalar 0
v7 = scalar 1
` + text + "\n}\nend\n")
	if err != nil {
		t.Fatal(err)
	}
	return k, &k.Body.Instrs[len(k.Body.Instrs)-1]
}

// Every reason not to go into lanes has a loop, and so has every way to go there.
func TestPlans(t *testing.T) {
	const (
		axpy    = "v9 = load r1 v8\n v10 = mul f64 v9 v7\n store r2 v8 v10\n yield"
		counter = "for v8 in v3..v4 {\n"
	)
	for _, c := range []struct {
		name, text  string
		native      Why
		wasm        Why
		lanes, solo int // of the plan of an engine that nests
	}{
		{"a map", counter + axpy, Fits, Fits, 4, 0},
		{"a map over slots", "for v8 in v1..v2 {\n" + axpy, Fits, Few, 16, 0},
		{"one iteration", "for v8 in v3..v5 {\n" + axpy, Few, Few, 0, 0},
		{"nothing for many", counter + "store r2 v3 v7\n yield", Scattered, Scattered, 0, 0},
		{"a long sum inside", counter + "v12 = fold v9 in v3..v4, add f64 {\n v10 = add i64 v8 v9\n v11 = load r1 v10\n yield v11\n }\n store r2 v8 v12\n yield", Fits, Scattered, 4, 0},
		{"a way out", "v20 = for v8 in v3..v4 stop, v9 i64 = v6 {\n v10 = lt i64 v9 v8\n yield v8 v10", Stops, Stops, 0, 0},
		{"a chain", "v20 = for v8 in v3..v4, v9 f64 = v7 {\n v10 = load r1 v8\n v11 = add f64 v9 v10\n yield v11", Carries, Carries, 0, 0},
		{"a maximum", "v20 = for v8 in v3..v4, v9 f64 = v7 {\n v10 = load r1 v8\n v11 = max f64 v9 v10\n yield v11", Fits, Carries, 4, 0},
		{"a scan", "v20 = for v8 in v3..v4, v9 f64 = v7 {\n v10 = load r1 v8\n v11 = max f64 v9 v10\n store r2 v8 v11\n yield v11", Fits, Carries, 4, 0},
		{"a scan of sums", "v20 = for v8 in v3..v4, v9 f64 = v7 {\n v10 = load r1 v8\n v11 = add f64 v9 v10\n store r2 v8 v11\n yield v11", Carries, Carries, 0, 0},
		{"a scan of three", "v16 = const i64 3\n v20 = for v8 in v3..v16, v9 f64 = v7 {\n v10 = load r1 v8\n v11 = max f64 v9 v10\n store r2 v8 v11\n yield v11", Few, Carries, 0, 0},
		{"a scan used before it is joined", "v20 = for v8 in v3..v4, v9 f64 = v7 {\n v10 = load r1 v8\n v11 = max f64 v9 v10\n store r2 v8 v9\n yield v11", Carries, Carries, 0, 0},
		{"a transposition", counter + "v9 = mul i64 v8 v6\n for v10 in v3..v6 {\n v11 = mul i64 v10 v4\n v12 = add i64 v11 v8\n v13 = load r1 v12\n v14 = add i64 v9 v10\n store r2 v14 v13\n yield\n }\n yield", Fits, Scattered, 4, 0},
		{"a tree", "v20 = fold v8 in v3..v4 tree, add f64 {\n v9 = load r1 v8\n yield v9", Ordered, Ordered, 0, 0},
		{"a sum", "v20 = fold v8 in v3..v4, add f64 {\n v9 = load r1 v8\n yield v9", Fits, Fits, 16, 0},
		{"a sum inside of a length known late", counter + "v9 = size s0\n v13 = fold v10 in v3..v9, add f64 {\n v11 = add i64 v8 v10\n v12 = load r1 v11\n yield v12\n }\n store r2 v8 v13\n yield", Inner, Scattered, 0, 0},
		{"a table", counter + "v9 = load r1 v8\n v10 = mul f64 v9 v7\n v11 = add f64 v10 v7\n v12 = convert i64 f64 v11\n store r2 v12 v9\n yield", Fits, Scattered, 4, 1},
		{"one place", counter + "v9 = load r1 v8\n v10 = convert i64 f64 v9\n store r0 v3 v10\n yield", Little, Scattered, 0, 0},
		{"meetings", counter + "v9 = add i64 v8 v6\n v10 = load r0 v8\n v11 = add i64 v10 v5\n store r0 v9 v11\n yield", Fits, Scattered, 4, 0},
		{"the iteration before", counter + "v9 = add i64 v8 v5\n v10 = load r0 v8\n v11 = add i64 v10 v5\n store r0 v9 v11\n yield", Little, Scattered, 0, 0},
		{"checked sums in place", counter + "v9 = load r0 v8\n v10 = add i64 v9 v5 site 0\n store r0 v8 v10\n yield", Fits, Scattered, 4, 0},
	} {
		for _, e := range []struct {
			Engine
			want Why
		}{{nests, c.native}, {straight, c.wasm}} {
			t.Run(fmt.Sprintf("%s/%v", c.name, e.Nests), func(t *testing.T) {
				k, in := loop(t, c.text)
				a := Of(k, e.Engine)
				p, why := a.Plan(in)
				if why != e.want || (p == nil) != (why != Fits) {
					t.Fatalf("%q, want %q", why, e.want)
				}
				if p != nil && e.Nests && (p.Lanes != c.lanes || len(p.Single) != c.solo) {
					t.Errorf("%d lanes, %d instructions alone, want %d, %d", p.Lanes, len(p.Single), c.lanes, c.solo)
				}
				if again, _ := a.Plan(in); again != p {
					t.Error("the plan is made again")
				}
			})
		}
	}
}

type never struct{}

func (never) Takes(*Plan) bool { return false }

func TestAlien(t *testing.T) {
	k, in := loop(t, "for v8 in v3..v4 {\nv9 = load r1 v8\nstore r2 v8 v9\nyield")
	if p, why := Of(k, Engine{Bytes: 16, Support: never{}}).Plan(in); p != nil || why != Alien {
		t.Errorf("%q", why)
	}
}

// What is known of iterations and values.
func TestFacts(t *testing.T) {
	k, in := loop(t, "v8 = const i64 4\nfor v9 in v8..v4 {\nv10 = add i64 v9 v6\nv11 = mul i64 v9 v6\nv12 = load r0 v10\nv13 = add i64 v12 v9\nv14 = add i64 v10 v9\nv15 = add i64 v6 v5\nstore r0 v10 v13\nyield")
	a := Of(k, nests)
	if n, ok := a.Most(in); !ok || n != 56 {
		t.Errorf("%d iterations at most, %v, want 56", n, ok)
	}
	a.AtMost[in] = 5
	if !a.Short(in, 5) || a.Short(in, 4) {
		t.Error("what a check has shown is not known")
	}
	clear(a.AtMost)
	p, why := a.Plan(in)
	if p == nil {
		t.Fatal(why)
	}
	for v, want := range map[kernel.Value]Shape{9: Unit, 10: Unit, 11: Strided, 12: Varying, 13: Varying, 14: Varying, 15: Uniform, 6: Uniform} {
		if p.Shapes[v] != want {
			t.Errorf("v%d has shape %d, want %d", v, p.Shapes[v], want)
		}
		if is := v == 12 || v == 13; a.Data[v] != is {
			t.Errorf("v%d depends on data: %v", v, a.Data[v])
		}
	}
	sum, ok := a.Sum(10, &in.Blocks[0])
	if !ok || sum.Step != 1 || sum.C != 0 || len(sum.Terms) != 1 || sum.Terms[6] != 1 {
		t.Errorf("%+v, %v", sum, ok)
	}
}

// A loop over the slots of a grain has at most so many iterations, unless it goes over those of all outer indices.
func TestSlots(t *testing.T) {
	k, in := loop(t, "for v8 in v1..v2 {\nstore r2 v8 v7\nyield")
	if n, ok := Of(k, straight).Most(in); !ok || n != 7 {
		t.Errorf("%d, %v", n, ok)
	}
	a := Of(k, nests)
	if n, ok := a.Most(in); ok || a.Slots != in {
		t.Errorf("%d, %v", n, ok)
	}
}
