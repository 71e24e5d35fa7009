package godwit_test

import (
	"context"
	"testing"

	"github.com/godwit-run/godwit"
)

// Structs are held beside a record once for all elements: a million rows allocate no more than a thousand, but for the columns and slices that grow.
func TestStructsAreLookedAtOnce(t *testing.T) {
	type row struct {
		ID        int64
		SomeValue float64
		Other     *bool
	}
	f := fn(t, `record Row { id: i64, some_value: f64, other: Option<bool> }
fn f(x: &[Row; N]) -> [(i64, f64); N] where N: Range<1, 1_000_000> { x.map(|r| (r.id, r.some_value)) }`)
	type pair struct {
		A int64
		B float64
	}
	allocated := func(n int) float64 {
		rows := make([]row, n)
		for i := range rows {
			rows[i] = row{ID: int64(i), SomeValue: float64(i) / 2}
		}
		return testing.AllocsPerRun(3, func() {
			res, err := f.Call(context.Background(), godwit.Args{"x": rows})
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			back, err := godwit.As[[]pair](res)
			if err != nil || len(back) != n || back[n-1] != (pair{int64(n - 1), float64(n-1) / 2}) {
				t.Fatal(back, err)
			}
		})
	}
	few, many := allocated(1000), allocated(20_000)
	if many > few+200 {
		t.Errorf("%v allocations of 20,000 rows, %v of 1,000", many, few)
	}
}
