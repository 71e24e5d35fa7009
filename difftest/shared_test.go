package difftest

import (
	"fmt"
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

// scatters update elements in orders that show: with rounding, with faults, of tuples, with the array as it was needed afterwards,
// and of fewer elements than there are threads.
var scatters = []string{
	`fn f(x: &[%[1]s; N]) -> [f64; 100] {
    let d = (0..100).map(|k| 0.5 * (k as f64));
    d.scatter_with(x.map(|e| (e %% 1000).wrap_idx::<100>()), (0..N).map(|i| (i as f64) * 0.25), |old, new| old * 0.5 + new)
}`,
	`fn f(x: &[%[1]s; N]) -> [i64; 40] {
    let d = (0..40).map(|k| k as i64 + 1);
    d.scatter_with(x.map(|e| (e %% 50).wrap_idx::<40>()), (0..N).map(|i| i as i64), |old, new| old * 3 + new)
}`,
	`fn f(x: &[%[1]s; N]) -> [(f32, bool); 3] {
    let d = (0..3).map(|k| (k as f32, false));
    d.scatter_with(x.map(|e| (e %% 7).wrap_idx::<3>()), x.map(|e| (e %% 100) as f32), |(a, b), new| (a * 0.75 - new, !b || new > 3.0))
}`,
	`fn f(x: &[%[1]s; N]) -> ([f64; 1000], [f64; 1000]) {
    let d = (0..1000).map(|k| (k as f64).sqrt());
    let e = d.scatter_with(x.map(|e| (e %% 10_000).wrap_idx::<1000>()), (0..N).map(|i| i as f64), |old, new| old / 3.0 + new);
    (d, e)
}`,
	`fn f(x: &[%[1]s; N]) -> [[f64; 3]; 50] {
    let d = (0..50).map(|k| (0..3).map(|j| (k * 3 + j) as f64));
    d.scatter_with(x.map(|e| (e %% 999).wrap_idx::<50>()), (0..N).map(|i| i as f64), |old, new| old.map(|o| o * 0.5 + new))
}`,
}

// TestSharedScatters: in how many parts elements were updated does not show; each sees its updates in order.
func TestSharedScatters(t *testing.T) {
	f := &fleet{}
	defer f.close()
	orders := []string{"random", "few", "all the same", "sorted", "clustered"}
	for i, k := range []num.Kind{num.I64, num.I32} {
		for j, text := range scatters {
			t.Run(fmt.Sprintf("%s/%d", k, j), func(t *testing.T) {
				for l, n := range []int{1, 50, 4095, 4096, 4097, 9000} {
					sortsAs(t, f, text, k, n, orders[(i+j+l)%len(orders)])
				}
			})
		}
	}
}
