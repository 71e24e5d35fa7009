package llvmir

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// setting is the sizes and the number of outer indices of a kernel under
// testdata for inputs of n.
type setting struct {
	name  string
	sizes func(n int64) (sizes []int64, outer int64)
	small []int64 // values of n for the comparison with the stepper
}

func leaves(n int64) ([]int64, int64) {
	o := (n + num.Leaf - 1) / num.Leaf
	return []int64{n, o}, o
}

// nested is for one outer index that goes over all of a square.
func nested(n int64) ([]int64, int64) { return []int64{n}, 1 }

// settings are the kernels under testdata/kernels, as the compiler made them
// from one-line programs.
var settings = []setting{
	{"sum", leaves, []int64{1, 31, 32, 100, 5000}},
	{"dot", leaves, []int64{5000}},
	{"axpy", leaves, []int64{1, 63, 64, 5000}},
	{"storedsum", leaves, []int64{1, 63, 64, 5000}},
	{"filter", leaves, []int64{1, 15, 16, 17, 100, 5000, 9000}},
	{"filterrows", leaves, []int64{1, 31, 5000, 9000}},
	{"arms", leaves, []int64{1, 7, 8, 64, 5000}},
	{"filteredmean", leaves, []int64{5000}},
	{"max", leaves, []int64{1, 5000}},
	{"exp", leaves, []int64{5000}},
	{"expfused", leaves, []int64{5000}},
	{"expsum", leaves, []int64{5000}},
	{"exp64", leaves, []int64{5000}},
	{"exp64fused", leaves, []int64{5000}},
	{"sigmoidfused", leaves, []int64{5000}},
	{"tanh", leaves, []int64{5000}},
	{"divide", leaves, []int64{5000}},
	{"log", leaves, []int64{5000}},
	{"log32", leaves, []int64{5000}},
	{"logs", leaves, []int64{5000}},
	{"softplus", leaves, []int64{5000}},
	{"logdot", leaves, []int64{5000}},
	{"logends", leaves, []int64{5000}},
	{"histogram", func(n int64) ([]int64, int64) {
		o := (n + 1<<16 - 1) >> 16
		return []int64{1 << 16, o, n}, o
	}, []int64{1, 40, 5000, 70000}},
	{"tables", func(n int64) ([]int64, int64) { return []int64{n}, 1 }, []int64{0, 1, 40, 5000}},
	{"fewkeys", func(int64) ([]int64, int64) { return nil, 1 }, []int64{3}},
	{"combinecounts", func(n int64) ([]int64, int64) { return []int64{n}, 1 }, []int64{0, 1, 7, 70}},
	{"kmeans", func(n int64) ([]int64, int64) { return kmeansSizes(n, 16, 16) }, []int64{1, 33, 1000}},
	{"kmeans", func(n int64) ([]int64, int64) { return kmeansSizes(n, 5, 3) }, []int64{1, 33, 1000}},
	{"kmeans", func(n int64) ([]int64, int64) { return kmeansSizes(n, 70, 4) }, []int64{40}},
	{"kmeans", func(n int64) ([]int64, int64) { return kmeansSizes(n, 0, 4) }, []int64{40}},
	{"kmeans", func(n int64) ([]int64, int64) { return kmeansSizes(n, 4, 0) }, []int64{40}},
	{"nearest", func(n int64) ([]int64, int64) { return []int64{1 << 16, 1, n}, 1 }, []int64{1, 33, 1000}},
	{"combinesums", func(n int64) ([]int64, int64) { return []int64{n, 7, 5, 1}, 1 }, []int64{0, 1, 70}},
	{"window", func(n int64) ([]int64, int64) { return []int64{n, (n - 19 + 15) / 16}, (n - 19 + 15) / 16 }, []int64{20, 21, 35, 36, 500}},
	{"transpose", func(n int64) ([]int64, int64) { return []int64{n, (n + 15) / 16, n/2 + 1}, (n + 15) / 16 }, []int64{1, 33, 70}},
	{"matmul", func(n int64) ([]int64, int64) { return []int64{n, (n + 15) / 16, n, n}, (n + 15) / 16 }, []int64{1, 5, 32, 70, 133}},
	{"matmul", func(n int64) ([]int64, int64) { return []int64{3, 1, n, 7}, 1 }, []int64{4096, 4100, 9000}},
	{"lu", nested, []int64{1, 2, 9, 37}},
	{"floyd", nested, []int64{1, 2, 9, 37}},
	{"seidel2d", nested, []int64{3, 4, 37}},
	{"levenshtein", nested, []int64{1, 2, 37}},
	{"nussinov", nested, []int64{1, 2, 9, 37}},
	{"pick", func(n int64) ([]int64, int64) { s, o := leaves(n); return append(s, n), o }, []int64{1, 100, 5000}},
}

func kmeansSizes(n, d, k int64) ([]int64, int64) {
	o := (n + 1<<16 - 1) >> 16
	return []int64{1 << 16, o, n, d, k}, o
}

func parse(tb testing.TB, name string) *kernel.Kernel {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "kernels", name+".txt"))
	if err != nil {
		tb.Fatal(err)
	}
	k, err := kernel.ParseText(string(text))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// caseOf gives a kernel random arguments.
func caseOf(k *kernel.Kernel, sizes []int64, outer int64) *kerneltest.Case {
	c := &kerneltest.Case{Kernel: k, Sizes: sizes, Outer: outer, Regions: make([][]byte, len(k.Regions))}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range k.Scalars {
		c.Scalars = append(c.Scalars, num.FromFloat(s.Kind, 1.5))
	}
	for i, n := range c.Lens() {
		r := k.Regions[i]
		c.Regions[i] = make([]byte, n*int64(r.Elem.Size()))
		if r.Access == kernel.Write {
			continue
		}
		bound, _ := kernel.EvalPoly(r.Bound, sizes)
		for j := range n {
			v := num.Canon(r.Elem, rng.Uint64N(100))
			if r.Bounded {
				v = uint64(rng.Int64N(bound))
			} else if r.Elem.IsFloat() {
				v = num.FromFloat(r.Elem, rng.NormFloat64()*3)
			}
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], v)
			copy(c.Regions[i][j*int64(r.Elem.Size()):], b[:r.Elem.Size()])
		}
	}
	return c
}

func TestKernels(t *testing.T) {
	files, err := filepath.Glob("testdata/kernels/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels under testdata", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		if !slices.ContainsFunc(settings, func(s setting) bool { return s.name == name }) {
			t.Errorf("%s has no setting", f)
		}
	}
	eachWidth(t, func(t *testing.T, b *backend) {
		compiled := map[string]*native{}
		for _, s := range settings {
			code := compiled[s.name]
			if code == nil {
				var err error
				if code, err = b.compile(parse(t, s.name)); err != nil {
					t.Fatal(err)
				}
				defer code.close()
				compiled[s.name] = code
			}
			for _, n := range s.small {
				sizes, outer := s.sizes(n)
				if err := code.agrees(t, caseOf(code.k, sizes, outer)); err != nil {
					t.Errorf("%s of %d: %v", s.name, n, err)
				}
			}
		}
	})
}
