package godwit

import (
	"context"
	"path/filepath"
	"testing"
)

// TestColumnsAreReadOnce: what walks down the columns of an array of rows reads its file about
// once, in every format and on every engine, and gives what the interpreter gives.
func TestColumnsAreReadOnce(t *testing.T) {
	const rows, columns = 300, 400
	make2D := mustFunc(t, "fn f(x: &[f32; N]) -> [[f32; 400]; 300] where N >= 120_000 { (0..300).map(|i| (0..400).map(|j| x[i * 400 + j])) }")
	in := make([]float32, rows*columns)
	for i := range in {
		in[i] = float32(i*7919%100_003)/1024 - 40
	}
	res, err := make2D.Call(context.Background(), Args{"x": in})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"sums":      "fn f(x: &[[f32; M]; N]) -> [f32; M] { x.transpose().map(|c| c.sum()) }",
		"indexed":   "fn f(x: &[[f32; M]; N]) -> [f32; M] { (0..M).map(|j| (0..N).map(|i| x[i][j]).sum()) }",
		"transpose": "fn f(x: &[[f32; M]; N]) -> [[f32; N]; M] { x.transpose() }",
	} {
		f := mustFunc(t, text)
		for _, ext := range []string{".npy", ".arrow", ".parquet"} {
			path := filepath.Join(t.TempDir(), "x"+ext)
			if err := res.WriteFile(path); err != nil {
				t.Fatal(err)
			}
			column := ""
			if ext != ".npy" {
				column = "#value"
			}
			want, err := f.Call(context.Background(), Args{"x": Text(path + column)}, WithEngine("interp"))
			if err != nil {
				t.Fatal(err)
			}
			for _, engine := range []string{"wasm", "auto"} {
				got, err := f.Call(context.Background(), Args{"x": Text(path + column)}, WithEngine(engine))
				if err != nil {
					t.Fatal(err)
				}
				if string(got.JSON()) != string(want.JSON()) {
					t.Errorf("%s of %s on %s differs from the interpreter", name, ext, engine)
				}
				if most := int64(2 * 4 * rows * columns); got.Stats().BytesRead > most {
					t.Errorf("%s of %s on %s read %d bytes of %d", name, ext, engine, got.Stats().BytesRead, most/2)
				}
			}
		}
	}
}
