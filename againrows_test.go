package godwit_test

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// matrix is rows × columns numbers that begin with this one, as a source and as the result of a call.
func matrix(t *testing.T, rows, columns int64, first float64) []any {
	t.Helper()
	b := make([]byte, 8*rows*columns)
	for i := range rows * columns {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(first+float64(i)))
	}
	column := data.Column{Kind: num.F64, Stored: "f64", Dims: []int64{columns}}
	src := data.FromBytes("m", []data.Column{column}, rows, [][]byte{b}, nil)
	res, err := fn(t, "fn f(m: &[f64; R, C]) -> [f64; R, C] { m.map(|e| e * 2.0) }").Call(context.Background(), godwit.Args{"m": src})
	if err != nil {
		t.Fatal(err)
	}
	return []any{src, res}
}

// TestMatricesAgain: matrices of a shape that was seen before take the shorter way of slices, whatever holds them, and give the
// same results and messages as in the interpreter, beside matrices of other shapes with as many numbers.
func TestMatricesAgain(t *testing.T) {
	for _, src := range []string{
		"fn f(m: &[f64; R, C]) -> [f64; R] { m.map(|e| e.sum()) }",
		"fn f(m: &[f64; R, C]) -> [f64; C, R] { m.transpose() }",
		"fn f(m: &[f64; R, C]) -> f64 where R: Range<0, 3> { m.map(|e| e.sum()).sum() }",
		"fn f(m: &[f64; N, N]) -> f64 { m.map(|e| e.sum()).sum() }",
		"fn f(m: &[[f64; 3]; N]) -> [f64; N] { m.map(|e| e[2]) }",
		"fn f(m: &[f64; N]) -> f64 { m.sum() }",
		"fn f(m: &[f32; R, C]) -> f32 { m.map(|e| e.sum()).sum() }",
		"fn f(m: &[(f64, f64); N]) -> f64 { m.map(|e| e.0).sum() }",
	} {
		f := fn(t, src)
		for range 3 {
			for _, s := range [][3]int64{{2, 3, 0}, {3, 2, 10}, {2, 3, 20}, {6, 1, 30}, {1, 6, 40}, {3, 3, 50}, {2, 3, 60}} {
				for form, m := range matrix(t, s[0], s[1], float64(s[2])) {
					args := godwit.Args{"m": m}
					want, wrong := f.Call(context.Background(), args, godwit.WithEngine("interp"))
					got, err := f.Call(context.Background(), args)
					if (err == nil) != (wrong == nil) || err != nil && strings.SplitN(err.Error(), "\n", 2)[0] != strings.SplitN(wrong.Error(), "\n", 2)[0] {
						t.Fatalf("%s of %v, form %d: %v, interpreted %v", src, s, form, err, wrong)
					}
					if err == nil && string(got.JSON()) != string(want.JSON()) {
						t.Fatalf("%s of %v, form %d: %s, interpreted %s", src, s, form, got.JSON(), want.JSON())
					}
				}
			}
		}
	}
}

// TestClosedMatrix: a result that is closed is no argument any more, though its shape is known.
func TestClosedMatrix(t *testing.T) {
	f, m := fn(t, "fn f(m: &[f64; R, C]) -> [f64; R] { m.map(|e| e.sum()) }"), matrix(t, 4, 5, 1)[1]
	for range 3 {
		if _, err := f.Call(context.Background(), godwit.Args{"m": m}); err != nil {
			t.Fatal(err)
		}
	}
	m.(*godwit.Result).Close()
	if _, err := f.Call(context.Background(), godwit.Args{"m": m}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("%v, expected that the result is closed", err)
	}
}

// TestMatrixAllocations: a call with a matrix makes as few things as one with a slice.
func TestMatrixAllocations(t *testing.T) {
	f := fn(t, "fn f(m: &[f64; R, C]) -> [f64; R] { m.map(|e| e.sum()) }")
	for form, m := range matrix(t, 4, 5, 1) {
		n := testing.AllocsPerRun(100, func() {
			if _, err := f.Call(context.Background(), godwit.Args{"m": m}); err != nil {
				t.Fatal(err)
			}
		})
		if n > 25 {
			t.Errorf("form %d: a call makes %v things", form, n)
		}
	}
}
