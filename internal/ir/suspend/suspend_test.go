package suspend_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/suspend"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// programs are kernels as the compiler makes them from the source at the
// head of each file, with the regions that lie elsewhere. rows is the number of the
// size that counts the table's rows.
var programs = []struct {
	name  string
	far   suspend.Widths
	rows  int
	bytes int // of a state
	most  int64
}{
	{"ancestor", suspend.Widths{1: 1}, 0, 36, 4096},
	{"many", suspend.Widths{2: 1}, 2, 36, 4096},
	{"search", suspend.Widths{2: 1}, 2, 48, 30},
	{"hop", suspend.Widths{2: 1}, 2, 40, 1},
	{"records", suspend.Widths{2: 1, 3: 1, 4: 1}, 2, 40, 1000},
	{"chain", suspend.Widths{3: 1, 4: 1}, 2, 48, -1},
	{"tree", suspend.Widths{2: 1, 3: 1, 4: 1}, 2, 44, 40},
	{"rows", suspend.Widths{2: 3}, 2, 40, 1000},
	{"around", suspend.Widths{2: 1, 3: 1}, 2, 112, 1000},
}

func program(t testing.TB, name string) *kernel.Kernel {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".kernel"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.ParseText(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func batch(t interface{ Fatalf(string, ...any) }, k *kernel.Kernel, far suspend.Widths) *suspend.Batch {
	b, err := suspend.Make(k, far)
	if err != nil {
		t.Fatalf("%v\n%s", err, kernel.Text(k))
	}
	code, err := kernel.Encode(b.Kernel)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s, err := verify.CheckBytes(code)
	if err != nil {
		t.Fatalf("%v\n%s", err, kernel.Text(b.Kernel))
	}
	again, err := kernel.Encode(s.Kernel)
	if err != nil || !bytes.Equal(again, code) {
		t.Fatalf("the bytes do not come back: %v", err)
	}
	return b
}

func TestPrograms(t *testing.T) {
	tiers := map[string]runner{"stepper": interpret, "wasm": compiled(t, engine.Wasm)}
	for _, c := range programs {
		k := program(t, c.name)
		b := batch(t, k, c.far)
		width := 0
		for _, col := range b.Columns {
			width += col.Kind.Size()
		}
		code, _ := kernel.Encode(b.Kernel)
		original, _ := kernel.Encode(k)
		t.Logf("%s: kernel %d bytes, suspended %d bytes, a state %d bytes", c.name, len(original), len(code), width)
		if width != c.bytes || b.Most != c.most {
			t.Errorf("%s: a state takes %d bytes and %d turns, expected %d and %d", c.name, width, b.Most, c.bytes, c.most)
		}
		for tier, run := range tiers {
			t.Run(c.name+"/"+tier, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					p := arguments(t, k, c.far, c.rows)
					agrees(t, p, b, run, run)
				})
			})
		}
	}
}

// arguments draws small sizes, scalars, and contents that keep the bounds.
func arguments(t *rapid.T, k *kernel.Kernel, far suspend.Widths, rows int) *problem {
	p := &problem{k: k, far: far}
	grain, _ := k.Grain.Const()
	for _, s := range k.Sizes {
		p.sizes = append(p.sizes, s.Lo+rapid.Int64Range(0, 12).Draw(t, "size"))
	}
	if _, ok := k.Outer.Const(); !ok { // outer indices cover the slots
		p.sizes[1] = (p.sizes[0] + grain - 1) / grain
	}
	if p.sizes[rows] == 0 && k.Regions[0].Bounded { // there is no index into nothing
		p.sizes[0], p.sizes[1] = 0, 0
	}
	for i := range far {
		n, _ := kernel.EvalPoly(k.Regions[i].Len, p.sizes)
		p.rows = n / far[i]
	}
	if p.rows != p.sizes[rows] {
		t.Fatalf("the table has %d rows, not %d", p.rows, p.sizes[rows])
	}
	for _, s := range k.Scalars {
		hi := min(s.Hi, 20)
		if s.Bounded {
			n, _ := kernel.EvalPoly(s.Bound, p.sizes)
			hi = n - 1
		}
		p.scalars = append(p.scalars, uint64(rapid.Int64Range(max(s.Lo, 0), hi).Draw(t, "scalar")))
	}
	for _, r := range k.Regions {
		p.regions = append(p.regions, contents(t, r, p.sizes))
	}
	p.outer, _ = kernel.EvalPoly(k.Outer, p.sizes)
	return p
}

func contents(t *rapid.T, r kernel.Region, sizes []int64) []byte {
	n, _ := kernel.EvalPoly(r.Len, sizes)
	b := make([]byte, n*int64(r.Elem.Size()))
	if r.Access == kernel.Write {
		return b
	}
	lo, hi := int64(-3), int64(15)
	if r.Bounded {
		most, _ := kernel.EvalPoly(r.Bound, sizes)
		if lo, hi = 0, most-1; hi < 0 {
			return nil // there is no such element; the caller has no use for the region
		}
	}
	for i := range n {
		v := rapid.Int64Range(lo, hi).Draw(t, "element")
		switch {
		case r.Elem == num.Bool:
			v &= 1
		case r.Elem.IsFloat():
			column.Put(r.Elem, b, i, num.FromFloat(r.Elem, float64(v)/4))
			continue
		case v == 15 && rapid.Bool().Draw(t, "huge"):
			v = 1<<62 + 5 // makes sums overflow
		}
		column.Put(r.Elem, b, i, num.Canon(r.Elem, uint64(v)))
	}
	return b
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"state", "region read i64 s0\nregion readwrite i64 1\nsites 0\nouter s0\ngrain 1\ncount s0\nstate i64 r1\nbody o lo hi a\n x = load r0 o\n b = add i64 a x\nend b", "carried on to the next"},
		{"scratch", "region read i64 s0 < s0\nregion scratch i64 1\nsites 0\nouter s0\ngrain 1\ncount s0\nbody o lo hi\n x = load r0 o\n y = load r0 x\n z = const i64 0\n store r1 z y\nend", "an array is changed while rows are read"},
		{"no far load", "region read i64 s0\nregion write i64 s0\nsites 0\nouter s0\ngrain 1\ncount s0\nbody o lo hi\n store r1 o o\nend", "no row of the data set is read by an index"},
		{"nested", "region read i64 s0\nregion write i64 s0\nsites 0\nouter s0\ngrain 1\ncount s0\nbody o lo hi\n z = const i64 0\n n = const i64 4\n for i in z..n {\n for j in z..n {\n x = load r0 o\n yield\n }\n yield\n }\n store r1 o z\nend", "outside of others"},
		{"two loops", "region read i64 s0\nregion write i64 s0\nsites 0\nouter s0\ngrain 1\ncount s0\nbody o lo hi\n z = const i64 0\n n = const i64 4\n a = for i in z..n, c i64 = z {\n x = load r0 o\n yield x\n }\n b = for j in z..n, d i64 = a {\n y = load r0 o\n yield y\n }\n store r1 o b\nend", "two loops"},
		{"store in a loop", "region read i64 s0\nregion write i64 s0\nsites 0\nouter s0\ngrain 1\ncount s0\nbody o lo hi\n z = const i64 0\n n = const i64 4\n for i in z..n {\n x = load r0 o\n store r1 o x\n yield\n }\nend", "more than once"},
		{"unsafe", "region read i64 s0\nregion write i64 s0\nsites 0\nouter s0\ngrain 1\ncount s0\nbody o lo hi\n x = load r0 o\n y = load r0 x\n store r1 o y\nend", "itself is refused"},
	} {
		k, err := kernel.ParseText("kernel\nsize s0 1..100\n" + c.text)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if b, err := suspend.Make(k, suspend.Widths{0: 1}); err == nil || b != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	k := program(t, "many")
	for want, far := range map[string]suspend.Widths{"all that is read is here": nil, "not one that the kernel reads": {1: 1}, "rows of 0": {2: 0}} {
		if _, err := suspend.Make(k, far); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", far, err, want)
		}
	}
	if _, err := suspend.Make(k, suspend.Widths{-1: 1, 7: 1}); err == nil {
		t.Error("regions that do not exist were accepted")
	}
}

// TestWorkIsBoundedByTurns: what a run may take follows from the batch, not
// from the bound of the original's loop.
func TestWorkIsBoundedByTurns(t *testing.T) {
	for _, c := range programs {
		b := batch(t, program(t, c.name), c.far)
		s, err := verify.Check(b.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		sizes := func(states, turns int64) []int64 {
			program := make([]int64, len(b.Kernel.Sizes)-3)
			for i := range program {
				program[i] = 1 << 19
			}
			return suspend.Sizes(program, states, 1<<10, turns)
		}
		one, five := s.Cost(sizes(1, 1)).Steps, s.Cost(sizes(1, 5)).Steps
		if one <= 0 || one > 300 || c.most > 1 && (five-one)%4 != 0 || (c.most != 1) != (five > one) {
			t.Errorf("%s: %d steps for one turn, %d for five", c.name, one, five)
		}
		if many := s.Cost(sizes(100, 5)).Steps; many != 100*five {
			t.Errorf("%s: %d steps for 100 states, %d for one", c.name, many, five)
		}
	}
}

func TestCount(t *testing.T) {
	b := batch(t, program(t, "many"), suspend.Widths{2: 1})
	if n, err := b.Count([]int64{33, 3, 100}); n != 33 || err != nil {
		t.Errorf("%d states, %v: one for each slot is needed", n, err)
	}
	if _, err := b.Count(nil); err == nil {
		t.Error("no sizes, but a number of states")
	}
	if b := batch(t, program(t, "ancestor"), suspend.Widths{1: 1}); len(b.Near) > 0 || b.Keep() != 1<<1|1<<4 {
		t.Errorf("near %d, keeps %b", b.Near, b.Keep())
	}
}
