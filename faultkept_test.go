package godwit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godwit-run/godwit"
)

// A fault is reported though nobody looks at the element that has it: what is computed where it is needed
// must not be what is computed at all.
func TestFaultsAreKept(t *testing.T) {
	rows := godwit.Args{"p": [][]float64{{1, 2, 3}, {4, 5, 0}}, "q": []float64{1, 2}}
	flat := godwit.Args{"p": []float64{1, 0}, "q": []float64{1, 2}}
	const inRows = "fn f(p: &[[f64; 3]; N], q: &[f64; N]) -> f64 where N: Range<1, 1_000> { let v = p.map(|r| r.map(|e| (5i64 / (e as i64)) as f64)); "
	const inFlat = "fn f(p: &[f64; N], q: &[f64; N]) -> f64 where N: Range<2, 1_000> { let v = p.map(|e| (5i64 / (e as i64)) as f64); "
	for source, args := range map[string]godwit.Args{
		inRows + "v.map(|e| q[0])[0] }":                                      rows,
		inRows + "v.map(|e| 1.0).sum() }":                                    rows,
		inRows + "v.map(|r| r[0]).sum() }":                                   rows,
		inRows + "v.map(|r| r).map(|r| r[0]).sum() }":                        rows,
		inRows + "v.filter(|r| true).map(|r| 2.0).sum() }":                   rows,
		inRows + "v[0][0] }":                                                 rows,
		inRows + "v.map(|r| if r[0] > 9.0 { r.sum() } else { 0.0 }).sum() }": rows,
		inRows + "p.map(|r| (0..2).map(|k| r.map(|e| (5i64 / (e as i64)) as f64))).map(|m| m.map(|r| 1.0).sum()).sum() }": rows,
		inFlat + "v.map(|e| q[0])[0] }":                    flat,
		inFlat + "v.map(|e| q[0]).sum() }":                 flat,
		inFlat + "v.map(|e| e + 1.0).take::<1>()[0] }":     flat,
		inFlat + "v.zip(q).map(|(a, b)| b).reverse()[0] }": flat,
		inFlat + "concat(q, v)[0] }":                       flat,
	} {
		f := fn(t, source)
		for _, engine := range []string{"interp", "wasm"} {
			_, err := f.Call(context.Background(), args, godwit.WithEngine(engine))
			var fault *godwit.Fault
			if !errors.As(err, &fault) {
				t.Errorf("%s: %v on\n%s", engine, err, source)
			}
		}
	}
}
