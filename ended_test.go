package godwit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCauseOfTheEnd: a call that its context ends says why, and that it was cancelled.
func TestCauseOfTheEnd(t *testing.T) {
	f := mustFunc(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }")
	why := errors.New("the user went away")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err := f.Call(ctx, Args{"x": []float64{1}}); !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected the cause and context.Canceled", err)
	}
}

// TestFileThatCannotBe: where a result's file cannot be written, that is an InputError, as in WriteFile.
func TestFileThatCannotBe(t *testing.T) {
	f := mustFunc(t, "fn f(x: &[f64; N]) -> [f64; N] { x }")
	path := filepath.Join(t.TempDir(), "none", "x.csv")
	r, err := f.Call(context.Background(), Args{"x": []float64{1}}, WithFile(path))
	if input := (*InputError)(nil); r != nil || !errors.As(err, &input) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, %T: %v", r, err, err)
	}
}

// TestArgumentIsNamedOnce: a slice of another type is told with the argument's name, once.
func TestArgumentIsNamedOnce(t *testing.T) {
	f := mustFunc(t, "fn f(v: &[i32; N]) -> i64 { v.sum() }")
	if _, err := f.Call(context.Background(), Args{"v": []float64{1}}); err == nil || strings.Count(err.Error(), "argument `v`") != 1 {
		t.Errorf("%v", err)
	}
}

// TestArgumentOfNoParameter: a misspelt name is said to be one, before what stands for it is looked at.
func TestArgumentOfNoParameter(t *testing.T) {
	f := mustFunc(t, "fn f(value: &[f64; N]) -> f64 { value.sum() }")
	_, err := f.Call(context.Background(), Args{"valeu": []float64{1}})
	if err == nil || !strings.Contains(err.Error(), "has no parameter `valeu`") || !strings.Contains(err.Error(), "did you mean `value`?") {
		t.Errorf("%v", err)
	}
}

// TestHelpsAreInGo: helps of errors name what a Go program can do, and no flags of the command.
func TestHelpsAreInGo(t *testing.T) {
	f := mustFunc(t, "fn f(v: &[f64; N]) -> [(f64, f64); N] { v.map(|e| (e, e)) }")
	for want, args := range map[string]Args{
		"godwit.WithCluster":                 {"v": DataSet("x")},
		`godwit.Args{"v": godwit.File("FILE`: {},
	} {
		_, err := f.Call(context.Background(), args)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "--") || strings.Contains(err.Error(), "godwit run") {
			t.Errorf("%v, expected %s in it", err, want)
		}
	}
	_, err := mustFunc(t, "fn f(least: i64, share: f64, all: bool, place: Str) -> i64 { least }").Call(context.Background(), Args{})
	if want := `godwit.Args{"least": 1, "share": 1.0, "all": true, "place": godwit.Text("SFO")}`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %s in it", err, want)
	}
}
