package llvmir

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

// inPlace is a kernel with one loop over v10 from v5, 3 above a scalar, to the size; v3
// and v4 are scalars of 0..60.
func inPlace(t *testing.T, carry, body string) *kernel.Kernel {
	t.Helper()
	k, err := kernel.ParseText(`kernel
size s0 0..60
scalar i64 0..60
scalar i64 0..60
region readwrite i64 200
region readwrite i64 4
sites 0
outer 1
grain 1
count 1
body v0 v1 v2
  v3 = scalar 0
  v4 = scalar 1
  v6 = const i64 3
  v5 = add i64 v3 v6
  v7 = const i64 1
  v8 = const i64 2
  v9 = size s0
  ` + carry + ` {
` + strings.TrimSpace(body) + `
  }
  end
`)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// lanesIn reports that the code of a kernel has vectors of its elements.
func lanesIn(t *testing.T, k *kernel.Kernel) bool {
	t.Helper()
	text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 32})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(text, "<4 x i64>")
}

// TestOneRegion: loops that change a region and read it elsewhere, with all
// distances between what they read and where they are.
func TestOneRegion(t *testing.T) {
	const over = "for v10 in v5..v9"
	for _, c := range []struct {
		name  string
		body  string
		lanes bool
	}{
		{"an element that stays", "v11 = load r0 v10\n v12 = load r0 v4\n v13 = add i64 v11 v12\n store r0 v10 v13\n yield", true},
		{"two that stay", "v11 = load r0 v10\n v12 = load r0 v4\n v13 = add i64 v11 v12\n v14 = load r0 v9\n v15 = add i64 v13 v14\n store r0 v10 v15\n yield", true},
		{"one that stays, read behind", "store r0 v10 v9\n v11 = load r0 v4\n v12 = add i64 v10 v8\n v13 = load r0 v10\n v14 = add i64 v13 v11\n store r0 v10 v14\n yield", true},
		{"the element before the first", "v11 = load r0 v10\n v12 = add i64 v3 v8\n v13 = load r0 v12\n v14 = add i64 v11 v13\n store r0 v10 v14\n yield", true},
		{"the first element", "v11 = load r0 v10\n v12 = load r0 v5\n v13 = add i64 v11 v12\n store r0 v10 v13\n yield", true},
		{"the element behind the first", "v11 = load r0 v10\n v12 = add i64 v5 v7\n v13 = load r0 v12\n v14 = add i64 v11 v13\n store r0 v10 v14\n yield", true},
		{"another row", "v11 = load r0 v10\n v12 = add i64 v10 v4\n v13 = load r0 v12\n v14 = add i64 v11 v13\n store r0 v10 v14\n yield", true},
		{"into another row", "v11 = load r0 v10\n v12 = add i64 v10 v4\n v13 = load r0 v12\n v14 = add i64 v11 v13\n store r0 v12 v14\n yield", true},
		{"between two rows", "v11 = add i64 v10 v3\n v12 = add i64 v10 v4\n v13 = load r0 v11\n v14 = add i64 v13 v7\n store r0 v12 v14\n yield", true},
		{"two rows read behind", "v11 = add i64 v10 v3\n v12 = add i64 v10 v4\n store r0 v12 v10\n v13 = load r0 v11\n v14 = add i64 v13 v7\n store r0 v10 v14\n yield", true},
		{"the next element", "v11 = add i64 v10 v7\n v12 = load r0 v11\n v13 = load r0 v10\n v14 = add i64 v12 v13\n store r0 v10 v14\n yield", true},
		{"the second before", "v11 = sub i64 v10 v8\n v12 = load r0 v11\n v13 = load r0 v10\n v14 = add i64 v12 v13\n store r0 v10 v14\n yield", false},
		{"the element before", "v11 = sub i64 v10 v7\n v12 = load r0 v11\n v13 = load r0 v10\n v14 = add i64 v12 v13\n store r0 v10 v14\n yield", false},
		{"the last three", "v11 = sub i64 v10 v7\n v12 = load r0 v11\n v13 = sub i64 v10 v8\n v14 = load r0 v13\n v15 = sub i64 v10 v6\n v16 = load r0 v15\n v17 = mul i64 v12 v8\n v18 = add i64 v17 v14\n v19 = sub i64 v18 v16\n store r0 v10 v19\n yield", false},
		{"the element before, stored twice", "v11 = sub i64 v10 v7\n v12 = load r0 v11\n v13 = add i64 v12 v8\n store r0 v10 v13\n v14 = add i64 v10 v4\n store r0 v14 v12\n yield", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := inPlace(t, over, c.body)
			if got := lanesIn(t, k); got != c.lanes {
				t.Errorf("computed in lanes: %v, want %v", got, c.lanes)
			}
			everywhere(t, k)
		})
	}
}

// everywhere compares a kernel with the stepper for all values of a scalar and a
// few of the other.
func everywhere(t *testing.T, k *kernel.Kernel) {
	t.Helper()
	b := newBackend(t, 32)
	n, err := b.compile(k)
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
	elements := make([]int64, 200)
	for i := range elements {
		elements[i] = int64(i*i%31 + 1)
	}
	for _, from := range []uint64{0, 1, 30, 57} {
		for at := range uint64(61) {
			c := &kerneltest.Case{Name: "in place", Kernel: k, Sizes: []int64{50}, Scalars: []uint64{from, at}, Outer: 1, Regions: [][]byte{bytesOf(elements), make([]byte, 32)}}
			if err := n.agrees(t, c); err != nil {
				t.Fatalf("with scalars %d and %d: %v", from, at, err)
			}
		}
	}
}

// TestCarried: what a turn stores and the next one loads is not loaded again.
func TestCarried(t *testing.T) {
	for _, c := range []struct {
		body  string
		phis  int // of values that stay in registers, in the loop itself
		reads int
	}{
		{"v11 = sub i64 v10 v7\n v12 = load r0 v11\n v13 = mul i64 v12 v8\n store r0 v10 v13\n yield", 1, 0},
		{"v11 = sub i64 v10 v7\n v12 = load r0 v11\n v13 = sub i64 v10 v8\n v14 = load r0 v13\n v15 = add i64 v12 v14\n store r0 v10 v15\n yield", 2, 0},
		{"v13 = sub i64 v10 v8\n v14 = load r0 v13\n store r0 v10 v14\n yield", 0, 1},                        // two turns back alone
		{"v11 = sub i64 v10 v7\n v12 = load r0 v11\n store r0 v10 v12\n store r0 v4 v12\n yield", 0, 1},      // another store
		{"v11 = add i64 v10 v7\n v12 = load r0 v11\n v13 = sub i64 v10 v7\n store r0 v13 v12\n yield", 0, 1}, // two turns ahead
		{"v11 = mul i64 v10 v8\n v12 = sub i64 v11 v8\n v13 = load r0 v12\n store r0 v11 v13\n yield", 1, 0}, // every other element
		{"v11 = mul i64 v10 v8\n v12 = sub i64 v11 v7\n v13 = load r0 v12\n store r0 v11 v13\n yield", 0, 1}, // between two
		{"v11 = sub i64 v9 v10\n v12 = add i64 v11 v7\n v13 = load r0 v12\n store r0 v11 v13\n yield", 1, 0}, // downwards
		{"v11 = sub i64 v10 v7\n store r0 v10 v9\n v12 = load r0 v11\n store r0 v4 v12\n yield", 0, 1},       // two stores
		{"v11 = sub i64 v10 v7\n v12 = load r0 v10\n v13 = load r0 v11\n store r0 v11 v12\n yield", 0, 2},    // the turn after
	} {
		k := inPlace(t, "for v10 in v5..v9", c.body)
		e := newEmitter(k, Target{VectorBytes: 16}, usual)
		loop := &k.Body.Instrs[len(k.Body.Instrs)-1]
		carried, loads := 0, 0
		for _, f := range e.forwards(loop) {
			carried += len(f.Loads)
			for _, l := range f.Loads {
				loads += len(l)
			}
		}
		reads := -loads
		for _, in := range loop.Blocks[0].Instrs {
			if in.Code == kernel.Load {
				reads++
			}
		}
		if carried != c.phis || reads != c.reads {
			t.Errorf("%d values are carried and %d loads are left, want %d and %d:\n%s", carried, reads, c.phis, c.reads, c.body)
		}
	}
}

// TestReduced: a maximum that a loop carries stays in lanes, the greatest so far too; what depends on the
// order of the turns otherwise does not.
func TestReduced(t *testing.T) {
	const carrying = "v20 = for v10 in v5..v9, v11 i64 = v4"
	for _, c := range []struct {
		body  string
		lanes bool
	}{
		{"v12 = load r0 v10\n v13 = max i64 v11 v12\n yield v13", true},
		{"v12 = load r0 v10\n v13 = add i64 v12 v11\n yield v13", true},
		{"v12 = load r0 v10\n v13 = sub i64 v11 v12\n yield v13", false},
		{"v12 = load r0 v10\n v13 = add i64 v12 v11\n v14 = max i64 v12 v13\n yield v14", false},
		{"v12 = load r0 v10\n v13 = max i64 v12 v11\n store r0 v10 v11\n yield v13", false},
		{"v12 = load r0 v10\n v13 = max i64 v12 v11\n store r0 v10 v13\n yield v13", true},
		{"v12 = mul i64 v10 v8\n v13 = load r0 v12\n v14 = max i64 v13 v11\n yield v14", false}, // nothing but gathered
	} {
		k := inPlace(t, carrying, c.body)
		k.Body.Instrs = append(k.Body.Instrs, kernel.Instr{Code: kernel.Store, Region: 0, Args: []kernel.Value{k.Body.Instrs[5].Out[0], k.Body.Instrs[len(k.Body.Instrs)-1].Out[0]}, Site: kernel.NoSite, At: kernel.None})
		if got := lanesIn(t, k); got != c.lanes {
			t.Errorf("computed in lanes: %v, want %v:\n%s", got, c.lanes, c.body)
		}
		everywhere(t, k)
	}
}

// TestOneByOne: where a loop inside or a chain from turn to turn takes the time,
// nothing else is computed side by side and kept in memory for it.
func TestOneByOne(t *testing.T) {
	for _, name := range []string{"nussinov", "levenshtein"} {
		text, err := Emit(parse(t, name), Target{Arch: "amd64", VectorBytes: 32})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "alloca") {
			t.Errorf("%s keeps values in memory", name)
		}
	}
}

// TestRepeated: an index that grows with the turns is not kept in memory.
func TestRepeated(t *testing.T) {
	k := inPlace(t, "for v10 in v5..v9", "v11 = load r0 v10\n v12 = mul i64 v11 v11\n v13 = mul i64 v12 v11\n v14 = mul i64 v13 v11\n v15 = and i64 v14 v6\n v16 = add i64 v10 v4\n v17 = mul i64 v16 v8\n store r1 v15 v17\n yield")
	e := newEmitter(k, Target{VectorBytes: 32}, usual)
	p, why := e.Plan(&k.Body.Instrs[len(k.Body.Instrs)-1])
	if p == nil || len(p.Single) != 1 {
		t.Fatalf("no plan with one instruction turn by turn: %s", why)
	}
	if kept := e.of(p).needed(); len(kept) != 1 {
		t.Errorf("%d values are kept for the turns, want the one index that is computed", len(kept))
	}
	text, err := emit(k, Target{VectorBytes: 32}, usual)
	if err != nil || strings.Count(text, "alloca") != 1 {
		t.Errorf("%v, %d pieces of memory, want 1", err, strings.Count(text, "alloca"))
	}
	b := newBackend(t, 32)
	elements := make([]int64, 200)
	for i := range elements {
		elements[i] = int64(i*i%31 + 1)
	}
	for at := range uint64(20) {
		c := &kerneltest.Case{Name: "repeated", Kernel: k, Sizes: []int64{55}, Scalars: []uint64{at, 7}, Outer: 1, Regions: [][]byte{bytesOf(elements), make([]byte, 32)}}
		if err := b.agree(t, c); err != nil {
			t.Fatal(err)
		}
	}
}
