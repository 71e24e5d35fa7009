package godwit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// The help of a fold that overflows can be written in its place, and runs.
func TestHelpsOfOverflows(t *testing.T) {
	for _, c := range []struct{ kind, result, call string }{
		{"i64", "i64", "v.sum()"}, {"i64", "i64", "v.product()"}, {"i64", "f64", "v.mean()"},
	} {
		source := func(result, call string) string {
			return "fn f(v: &[" + c.kind + "; N]) -> " + result + " where N >= 1 { " + call + " }"
		}
		args := godwit.Args{"v": godwit.Text("[9223372036854775807, 2, 9]")}
		_, err := fn(t, source(c.result, c.call)).Call(t.Context(), args)
		var fault *godwit.Fault
		if !errors.As(err, &fault) {
			t.Fatalf("%s of %s: %v", c.call, c.kind, err)
		}
		offers := strings.Split(fault.Message().Help, "; or ")
		for _, offer := range offers {
			_, call, ok := strings.Cut(offer, ": ")
			result := "f64"
			if strings.Contains(call, "fold") {
				result = c.result
			}
			if !ok || !strings.HasPrefix(call, "v.") {
				t.Errorf("%s of %s: %s", c.call, c.kind, offer)
			} else if _, err := fn(t, source(result, call)).Call(t.Context(), args); err != nil {
				t.Errorf("%s: %v", call, err)
			}
		}
	}
}
