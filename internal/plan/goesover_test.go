package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestGoesOver: while native code is made, a call goes on as WebAssembly. So it goes over wherever it takes longer than that, and is expected to take no
// longer then than if it waited first.
func TestGoesOver(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { x.map(|v| v.exp().sin()).sum() }", 10)
	m := machine.Default()
	made := making(p)
	of := func(engine string, n int64) *plan.Prediction {
		got, err := plan.Predict(p.Schedule, map[string]int64{"N": n}, plan.Options{Machine: m, Engine: engine, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before, after := 0, 0
	for n := int64(1000); n < 100_000_000; n = n * 33 / 32 {
		slow, quick, auto := of("wasm", n).Time.P50, of("native", n).Time.P50, of("auto", n)
		switch {
		case quick >= slow:
			continue
		case slow < 0.95*made:
			if before++; auto.Engine != "wasm" {
				t.Errorf("%d elements take WebAssembly %v ns, less than the %v until there is native code, and are expected on %s", n, slow, made, auto.Engine)
			}
		case slow > 1.05*made:
			if after++; auto.Engine != "native" || auto.Time.P50 > 1.000001*(quick+made) || auto.Time.P50 < quick {
				t.Errorf("%d elements take WebAssembly %v ns, native code %v after %v: %v are expected on %s", n, slow, quick, made, auto.Time.P50, auto.Engine)
			}
		}
	}
	if before < 3 || after < 3 {
		t.Errorf("%d sizes below and %d above that at which native code pays", before, after)
	}
}

// making is what it takes to make native code of the largest of a call's kernels, on a machine that nobody has measured.
func making(p *compile.Plan) (t float64) {
	schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) {
		t = max(t, machine.Default().Engines["native"].Making(kernel.Instructions(l.Kernel)))
	})
	return t
}
