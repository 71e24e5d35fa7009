package difftest

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// tops find more of the greatest than leaves do, of elements, of what a filter keeps, and as slots.
var tops = []string{
	"fn f(x: &[%[1]s; N]) -> [%[1]s; ?K <= 300] { x.top_k::<300>(|e| e) }",
	"fn f(x: &[%[1]s; N]) -> [(idx<N>, %[1]s); ?K <= 257] { x.enumerate().filter(|(i, _)| i %% 3 != 1).top_k::<257>(|(_, e)| e) }",
	"fn f(x: &[%[1]s; N]) -> ([%[1]s; ?K <= 1000], [%[1]s; ?L <= 400]) { (x.top_k::<1000>(|e| e), x.map(|e| e * e).top_k::<400>(|e| e)) }",
}

// TestSharedTopK: in how many parts the greatest were looked for does not show, of equal ones neither.
func TestSharedTopK(t *testing.T) {
	f := &fleet{}
	defer f.close()
	orders := []string{"random", "special", "few", "all the same", "sorted", "reversed"}
	for i, k := range []num.Kind{num.F64, num.F32, num.I64, num.U16} {
		for j, text := range tops {
			if k.IsInt() && j == 2 {
				continue // squares do not fit
			}
			for l, n := range []int{0, 1, 17, 299, 301, 1000, 5000} {
				sortsAs(t, f, text, k, n, orders[(i+j+l)%len(orders)])
			}
		}
	}
}
