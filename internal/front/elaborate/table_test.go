package elaborate

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

func graphText(t *testing.T, text string) string {
	t.Helper()
	p, msgs := checkText("f.gw", text)
	if msgs.Failed() {
		t.Fatal(msgs.Err())
	}
	g, err := p.Graph("f")
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Verify(g); err != nil {
		t.Fatal(err)
	}
	return graph.Print(g)
}

// TestLongLiteralIsAParameter wants no code for the numbers of a long literal, and one
// parameter for all calls that have it.
func TestLongLiteralIsAParameter(t *testing.T) {
	text := graphText(t, "fn g(i: i64) -> i8 { let t = ["+strings.Repeat("-3i8, ", maxWritten+1)+"]; t[i.wrap_idx::<257>()] }\nfn f(i: i64) -> i8 { g(i) +% g(i / 2) }")
	if n := strings.Count(text, "literal:1: [i8; 257]"); n != 1 || strings.Count(text, "const") > 1 {
		t.Errorf("%d parameters\n%s", n, text)
	}
}

// TestLiteralHasALimit lowers it.
func TestLiteralHasALimit(t *testing.T) {
	defer func(n int) { maxTable = n }(maxTable)
	maxTable = maxWritten + 1
	_, msgs := checkText("f.gw", "fn f() -> i64 { let t = ["+strings.Repeat("1, ", maxWritten+2)+"]; t[0] }")
	if len(msgs.Messages) != 1 || msgs.Messages[0].Code != "T18" || msgs.Messages[0].Note != "258 numbers, at most 257" {
		t.Error(msgs.Err())
	}
}

// TestNoLimitWhereShown wants no clamp of an index that is shown to be in range.
func TestNoLimitWhereShown(t *testing.T) {
	for text, want := range map[string]bool{
		"fn f(x: &[i64; N], i: idx<N>) -> i64 { let mut s = 0; for t in i..N { s = s +% x[(t - i).clamp_idx()]; } s }": false,
		"fn f(x: &[i64; N], i: idx<N>) -> i64 { let mut s = 0; for t in i..N { s = s +% x[(t - i).wrap_idx()]; } s }":  false,
		"fn f(x: &[i64; N], i: idx<N>) -> i64 { let mut s = 0; for t in i..N { s = s +% x[(t + i).clamp_idx()]; } s }": true,
	} {
		if g := graphText(t, text); (strings.Contains(g, " clamp ") || strings.Contains(g, " wrap <")) != want {
			t.Errorf("limited: want %v\n%s", want, g)
		}
	}
}
