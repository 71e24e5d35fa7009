package llvmir

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// aheadHeader has s0 rows, whose ends are offsets into s2 indices of a table of s3 numbers; two more indices of each row; and results.
const aheadHeader = `kernel
size s0 0..1000000
size s1 0..1000000
size s2 0..1000000
size s3 1..1000000
region read i64 s0 + 1 < s2 + 1
region read u32 s2
region read f64 s3
region read i64 2*s0 < s3
region write f64 s0
region readwrite i64 s3
sites 1
outer s1
grain 7
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = const i64 1
  v5 = size s3
  v6 = sub i64 v5 v4
  v7 = const f64 0x0
  v8 = size s2
  v9 = const i64 2
`

// aheads are bodies of such kernels, with how many places indices tell.
var aheads = []struct {
	name, body string
	told       int
}{
	{"rows of their own lengths", `for v10 in v1..v2 {
  v11 = load r0 v10
  v12 = add i64 v10 v4
  v13 = load r0 v12
  v14 = add i64 v11 v8
  v15 = min i64 v13 v14
  v25 = for v16 in v11..v15, v17 f64 = v7 {
    v18 = load r1 v16
    v19 = convert u32 i64 v18
    v20 = max i64 v19 v3
    v21 = min i64 v20 v6
    v22 = bound v21 < s3
    v23 = load r2 v22
    v24 = add f64 v17 v23
    yield v24
  }
  store r4 v10 v25
  yield
}
end`, 1},
	{"rows that end at a number", `for v10 in v1..v2 {
  v11 = load r0 v10
  v12 = add i64 v10 v4
  v13 = load r0 v12
  v14 = add i64 v11 v8
  v15 = min i64 v13 v14
  v25 = for v16 in v11..v15 stop, v17 f64 = v7 {
    v18 = load r1 v16
    v19 = convert u32 i64 v18
    v20 = min i64 v19 v6
    v21 = bound v20 < s3
    v22 = load r2 v21
    v23 = lt f64 v22 v7
    yield v22 v23
  }
  store r4 v10 v25
  yield
}
end`, 1},
	{"rows that are folded", `for v10 in v1..v2 {
  v11 = load r0 v10
  v12 = add i64 v10 v4
  v13 = load r0 v12
  v14 = add i64 v11 v8
  v15 = min i64 v13 v14
  v25 = fold v16 in v11..v15, add f64 {
    v18 = load r1 v16
    v19 = convert u32 i64 v18
    v20 = min i64 v19 v6
    v21 = bound v20 < s3
    v22 = load r2 v21
    yield v22
  }
  store r4 v10 v25
  yield
}
end`, 1},
	{"an index apart", `for v10 in v1..v2 {
  v11 = mul i64 v10 v9
  v12 = load r3 v11
  v13 = load r2 v12
  v14 = add i64 v11 v4
  v15 = load r3 v14
  v16 = load r2 v15
  v17 = sub f64 v13 v16
  store r4 v10 v17
  yield
}
end`, 2},
	{"the greatest", `v10 = fold v11 in v1..v2, max i64 {
  v12 = mul i64 v11 v9
  v13 = load r3 v12
  v14 = load r2 v13
  v15 = bitcast f64 i64 v14
  yield v15
}
v16 = bitcast i64 f64 v10
store r4 v0 v16
end`, 1},
	{"counts", `for v10 in v1..v2 {
  v11 = mul i64 v10 v9
  v12 = load r3 v11
  v13 = load r5 v12
  v14 = add i64 v13 v10 site 0 at v10
  store r5 v12 v14
  yield
}
end`, 1},
	{"short rows of a table", `for v10 in v1..v2 {
  v11 = mul i64 v10 v9
  v12 = load r3 v11
  v13 = const i64 8
  v14 = sub i64 v5 v13
  v15 = max i64 v14 v3
  v16 = min i64 v12 v15
  v17 = min i64 v5 v13
  v18 = for v19 in v3..v17, v20 f64 = v7 {
    v21 = add i64 v16 v19
    v22 = bound v21 < s3
    v23 = load r2 v22
    v24 = sub f64 v23 v20
    yield v24
  }
  store r4 v10 v18
  yield
}
end`, 1},
}

// aheadKernel is such a kernel, accepted by verify.
func aheadKernel(t testing.TB, body string) *kernel.Kernel {
	t.Helper()
	text := aheadHeader
	if strings.Contains(body, "load r5") { // in order, so by one outer index
		text = strings.Replace(text, "outer s1", "outer 1", 1)
		text = strings.Replace(text, "grain 7", "grain s0 + 1", 1)
	}
	if strings.Contains(body, "store r4 v0") { // results are by outer index
		text = strings.Replace(text, "region write f64 s0", "region write f64 s1", 1)
	}
	k, err := kernel.ParseText(text + body + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Check(k); err != nil {
		t.Fatal(err)
	}
	return k
}

// aheadCase has rows of up to most indices, many of them empty.
func aheadCase(k *kernel.Kernel, rows, most, table int64, seed uint64) *kerneltest.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	ends := make([]int64, rows+1)
	for i := range rows {
		if ends[i+1] = ends[i]; rng.IntN(3) > 0 {
			ends[i+1] += rng.Int64N(most + 1)
		}
	}
	sizes := []int64{rows, (rows + 6) / 7, ends[rows], table}
	outer, _ := kernel.EvalPoly(k.Outer, sizes)
	c := &kerneltest.Case{Kernel: k, Sizes: sizes, Outer: outer, Regions: make([][]byte, len(k.Regions))}
	for i, length := range c.Lens() {
		c.Regions[i] = make([]byte, length*int64(k.Regions[i].Elem.Size()))
		for j := range length {
			switch i {
			case 0:
				binary.LittleEndian.PutUint64(c.Regions[i][8*j:], uint64(ends[j]))
			case 1:
				v := rng.Uint32N(uint32(table))
				switch rng.IntN(16) {
				case 0:
					v = uint32(table - 1)
				case 1:
					v = rng.Uint32() // far outside
				}
				binary.LittleEndian.PutUint32(c.Regions[i][4*j:], v)
			case 2:
				binary.LittleEndian.PutUint64(c.Regions[i][8*j:], uint64(rng.Int64N(1<<62)))
			case 3:
				binary.LittleEndian.PutUint64(c.Regions[i][8*j:], uint64([]int64{rng.Int64N(table), 0, table - 1}[rng.IntN(3)]))
			}
		}
	}
	return c
}

// TestAhead holds loops that ask ahead to the stepper's, however far they look: with rows that are empty, of one index, and longer than
// that; the last index of all lies before a page that nothing may touch.
func TestAhead(t *testing.T) {
	for _, bytes := range []int{16, 64} {
		b := newBackend(t, bytes)
		for _, w := range aheads {
			t.Run(w.name, func(t *testing.T) {
				k := aheadKernel(t, w.body)
				n, err := b.compile(k)
				if err != nil {
					t.Fatal(err)
				}
				defer n.close()
				rapid.Check(t, func(r *rapid.T) {
					rows := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 300)).Draw(r, "rows")
					most := rapid.SampledFrom([]int64{0, 1, 5, 40, 300}).Draw(r, "most")
					n.weave = rapid.SampledFrom([]int{0, 1, 2, 8, MostWeave}).Draw(r, "weave")
					table := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, 20000)).Draw(r, "table")
					c := aheadCase(k, rows, most, table, rapid.Uint64().Draw(r, "seed"))
					n.agreesCut(t, r, c)
				})
			})
		}
	}
}

// TestAheadWindow: of indices that pass by in windows only those are there that the outer indices at hand touch; no others are read.
func TestAheadWindow(t *testing.T) {
	b := newBackend(t, 64)
	for _, w := range aheads {
		if !strings.Contains(w.body, "load r3") || strings.Contains(w.body, "load r5") {
			continue
		}
		k := aheadKernel(t, w.body)
		n, err := b.compile(k)
		if err != nil {
			t.Fatal(err)
		}
		defer n.close()
		n.weave = MostWeave
		c := aheadCase(k, 2000, 3, 5000, 7).Spoil()
		half := c.Outer / 2
		_, end, ok := n.safe.Footprint[3].Range(c.Sizes, 0, half)
		if whole := c.Lens()[3]; !ok || !n.safe.Footprint[3].Streamed || end >= whole {
			t.Fatalf("%s: half of the outer indices touch %d of %d indices", w.name, end, whole)
		}
		l := n.load(t, c)
		window := guarded(t, 8*end)
		copy(window, c.Regions[3])
		l.put(n.lay.Bases+8*3, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(window)))))
		l.run(0, half)
		want := c.Clone()
		ref := &stepper.Args{Sizes: c.Sizes, Regions: want.Regions, Faults: stepper.NewFaults(k.Sites)}
		if _, err := stepper.Run(k, ref, 0, half); err != nil {
			t.Fatal(err)
		}
		if err := l.compare(want.Regions, ref.Faults); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

// TestAheadIsWritten: whoever asks what indices tell, as the cost model does, knows what the text asks for.
func TestAheadIsWritten(t *testing.T) {
	target := Target{Arch: "amd64", VectorBytes: 32, Fma: true}
	asks, plain := 0, 0
	look := func(k *kernel.Kernel) {
		a := loops.Of(k, target.Engine())
		if len(a.Weaves()) > 0 || asksItself(a, k) { // for other places
			return
		}
		text, err := Emit(k, target)
		if err != nil {
			t.Fatal(err)
		}
		want := a.Aheads() || len(newEmitter(k, target, usual).appends) > 0
		asked := strings.Count(text, "call void @llvm.prefetch.p0(")
		if asked > 0 != want {
			t.Fatalf("places are told: %v, asked for: %v\n%s", want, !want, kernel.Text(k))
		}
		if want {
			asks++
		} else {
			plain++
		}
	}
	for _, w := range aheads {
		k := aheadKernel(t, w.body)
		told := 0
		k.Body.Each(func(in *kernel.Instr) { told += len(loops.Of(k, target.Engine()).Ahead(in)) })
		if told != w.told {
			t.Errorf("%s: %d places are told, expected %d", w.name, told, w.told)
		}
		look(k)
	}
	manyKernels(t, look)
	if asks < 10 || plain < 100 {
		t.Errorf("%d kernels ask, %d do not", asks, plain)
	}
}

// asksItself reports a product of matrices or a transposition, which ask for their rows and columns.
func asksItself(a *loops.Analysis, k *kernel.Kernel) (asks bool) {
	rows := newEmitter(k, Target{Arch: "amd64", VectorBytes: 32, Fma: true}, usual)
	rows.lanes = 1
	k.Body.Each(func(in *kernel.Instr) {
		if loops.IsLoop(in) {
			p, _ := a.Plan(in)
			asks = asks || p != nil && (p.Tile != nil || p.Turned != nil) || len(rows.asides(in)) > 0
		}
	})
	return asks
}
