package llvmir

import (
	"testing"
	"unsafe"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

// A fold takes the factors of its products also where these are multiplied outside of it, and
// it alone runs turn by turn: its number of turns is the element's own.
const productApart = `kernel
size s0 0..1000000
region read f64 s0
region read f64 s0
region read i64 s0
region write f64 s0
sites 0
outer 1
grain s0
count s0
body v0 v1 v2
  v3 = const i64 0
  for v4 in v1..v2 {
    v5 = load r0 v4
    v6 = load r1 v4
    v7 = mul f64 v5 v6
    v8 = load r2 v4
    v10 = fold v9 in v3..v8, muladd f64 {
      yield v7
    }
    store r3 v4 v10
    yield
  }
  end
`

func TestProductApart(t *testing.T) {
	k, err := kernel.ParseText(productApart)
	if err != nil {
		t.Fatal(err)
	}
	const n = 100
	c := &kerneltest.Case{Name: "product apart", Kernel: k, Sizes: []int64{n}, Outer: 1}
	x, y, turns := make([]float64, n), make([]float64, n), make([]int64, n)
	for i := range n {
		x[i], y[i], turns[i] = 1/float64(i+3), float64(i)*0.3, int64(i%5)
	}
	c.Regions = [][]byte{bytesOf(x), bytesOf(y), bytesOf(turns), make([]byte, 8*n)}
	eachWidth(t, func(t *testing.T, b *backend) {
		if err := b.agree(t, c); err != nil {
			t.Error(err)
		}
	})
}

// bytesOf is numbers of eight bytes as a region has them.
func bytesOf[T float64 | int64](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), 8*len(list))
}
