package godwit_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// The help for a spread of groups keeps what there is of it beside large values.
func TestHelpForSpreadOfGroups(t *testing.T) {
	const asked = "fn f(x: &[f64; N]) -> [f64] { x.group_by(|e| e > 0.0).agg(|g| g.std()) }"
	_, err := godwit.Compile(asked)
	if err == nil {
		t.Fatal("it passes")
	}
	_, help, ok := strings.Cut(err.Error(), "write `")
	now, was, ok2 := strings.Cut(help, "` for `")
	was, _, ok3 := strings.Cut(was, "`")
	if !ok || !ok2 || !ok3 || !strings.Contains(asked, was) {
		t.Fatal(err)
	}
	rt, engines := enginesHere(t)
	f := fn(t, strings.Replace(asked, was, now, 1))
	for _, engine := range engines {
		r, err := f.Call(t.Context(), godwit.Args{"x": []float64{1e9, 1e9 + 1, 1e9 + 2}}, godwit.WithRuntime(rt), godwit.WithEngine(engine))
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		if err := json.Unmarshal(r.JSON(), &got); err != nil || len(got) != 1 || math.Abs(got[0]-math.Sqrt(2.0/3)) > 1e-9 {
			t.Errorf("on %s: %s", engine, r.JSON())
		}
	}
}
