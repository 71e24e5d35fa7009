package llvmir

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// products are kernels with tiles: one that loads an element for each row and
// column, and one with a weight for each slot beside, for which the larger
// tiles are too large where registers are few.
func products(t *testing.T) []*kernel.Kernel {
	text, err := os.ReadFile("testdata/kernels/matmul.txt")
	if err != nil {
		t.Fatal(err)
	}
	weighted := strings.Replace(string(text), "sites 0", "region read f32 s2\nsites 0", 1)
	weighted = strings.Replace(weighted, "v17 = mul f32 v14 v16\n        yield v17", "v17 = mul f32 v14 v16\n        v19 = load r3 v12\n        v20 = mul f32 v17 v19\n        yield v20", 1)
	k, err := kernel.ParseText(weighted)
	if err != nil {
		t.Fatal(err)
	}
	fused, err := kernel.ParseText(strings.Replace(weighted, "add f32 {", "muladd f32 {", 1))
	if err != nil {
		t.Fatal(err)
	}
	return []*kernel.Kernel{parse(t, "matmul"), k, fused, fusedProduct(t)}
}

// fusedProduct is the product of two matrices with one rounding for each slot.
func fusedProduct(tb testing.TB) *kernel.Kernel {
	text, err := os.ReadFile("testdata/kernels/matmul.txt")
	if err != nil {
		tb.Fatal(err)
	}
	k, err := kernel.ParseText(strings.Replace(string(text), "add f32 {", "muladd f32 {", 1))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// productSizes are rows, columns and slots, and for how many slots a strip takes one tile: none, fewer than any tile has, those
// that no tile divides, several blocks and strips, one vector or a quarter, slots
// beyond rows of lanes, of a leaf but one and one more, and of several leaves.
var productSizes = [][4]int64{
	{1, 1, 1}, {0, 3, 5}, {3, 0, 5}, {5, 4, 0}, {9, 60, 0}, {2, 2, 33}, {3, 5, 31}, {7, 3, 64}, {13, 9, 70},
	{100, 7, 61}, {5, 49, 1}, {16, 96, 32}, {17, 97, 63}, {70, 131, 129, 300}, {23, 11, 1100}, {9, 45, 1600, 1700},
	{4, 19, 4095}, {5, 50, 4096}, {3, 4, 4097}, {4, 24, 12300}, {9, 100, 700, 800},
}

// TestTiles has every shape of tile, as all processors get them: which one that
// is depends on the number of their registers, not on what they compute. Lanes are folded
// two by two, apart, and in several pieces, see near.
func TestTiles(t *testing.T) {
	var seen [][2]int
	for i, k := range products(t) {
		var want []*stepped
		for _, s := range productSizes {
			outer := (s[0] + 15) / 16
			w, err := step(caseOf(k, []int64{s[0], outer, s[2], s[1]}, outer), outer/2)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, w)
		}
		for _, target := range []Target{{"amd64", 16, true}, {"amd64", 32, true}, {"amd64", 64, true}, {Arch: "arm64", VectorBytes: 16}} {
			t.Run(fmt.Sprintf("%s/%d/%d", target.Arch, target.VectorBytes, i), func(t *testing.T) {
				b := newBackend(t, target.VectorBytes)
				b.t = target
				seen = append(seen, shapeOf(t, k, target))
				n, err := b.compile(k)
				if err != nil {
					t.Fatal(err)
				}
				defer n.close()
				for x, s := range productSizes {
					n.slots = s[3]
					if err := n.gives(t, want[x]); err != nil {
						t.Errorf("%d rows, %d columns, %d slots: %v", s[0], s[1], s[2], err)
					}
				}
			})
		}
	}
	for _, s := range shapes {
		if !t.Failed() && len(seen) > 0 && !slices.Contains(seen, s) {
			t.Errorf("no tile of %d rows and %d vectors", s[0], s[1])
		}
	}
}

// shapeOf is the tile that a kernel gets.
func shapeOf(t *testing.T, k *kernel.Kernel, target Target) [2]int {
	e := newEmitter(k, target, usual)
	p, why := e.Plan(e.Slots)
	if p == nil || p.Tile == nil {
		t.Fatalf("no tiles: %s", why)
	}
	tile := e.of(p).tiles()
	return [2]int{tile.rows, tile.vectors}
}

// TestTilesAsk: a tile whose lanes are folded apart asks for what it reads of the columns next, once for each step.
func TestTilesAsk(t *testing.T) {
	for i, k := range products(t) {
		text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "call void @llvm.prefetch.p0("); n != 3 { // as wide as there are columns for
			t.Errorf("product %d asks in %d places, expected 3", i, n)
		}
	}
}

// TestFusedLanes has fused lanes as wide as the processor's vectors, and none
// where the C library would have to compute them.
func TestFusedLanes(t *testing.T) {
	k := products(t)[2]
	for target, want := range map[Target]string{
		{Arch: "amd64", VectorBytes: 16, Fma: true}: "@llvm.fma.v4f32",
		{Arch: "amd64", VectorBytes: 32, Fma: true}: "@llvm.fma.v8f32",
		{Arch: "amd64", VectorBytes: 64, Fma: true}: "@llvm.fma.v16f32",
		{Arch: "arm64", VectorBytes: 16}:            "@llvm.fma.v4f32",
	} {
		text, err := Emit(k, target)
		if err != nil || strings.Count(text, want) < 8 {
			t.Errorf("%v: %d times %s, %v", target, strings.Count(text, want), want, err)
		}
	}
	if _, err := Emit(k, Target{Arch: "amd64", VectorBytes: 32}); err == nil || !strings.Contains(err.Error(), "no fused multiply-add") {
		t.Errorf("without the instruction: %v", err)
	}
}
