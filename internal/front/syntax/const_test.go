package syntax

import (
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// TestConstantsInside reads constants inside of a function, also one that is not indented, and
// prints them.
func TestConstantsInside(t *testing.T) {
	msgs := new(diag.List)
	f := Parse(diag.NewSource("f.gw", "fn f(x:&[i64;N])->i64{const   K:i64=2*3;\n// why\nconst B=1.5 ;\nx.len()+K}\n"), msgs)
	if err := msgs.Err(); err != nil {
		t.Fatal(err)
	}
	want := "fn f(x: &[i64; N]) -> i64 {\n    const K: i64 = 2 * 3;\n    // why\n    const B = 1.5;\n    x.len() + K\n}\n"
	if got := Format(f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
