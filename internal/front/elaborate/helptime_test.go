package elaborate

import (
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// TestHelpsInHelps: what is elaborated only to write a help takes no longer for being in another such thing.
func TestHelpsInHelps(t *testing.T) {
	deep := func(open, inner, end string) string {
		return strings.Repeat(open, 60) + inner + strings.Repeat(end, 60)
	}
	for _, body := range []string{
		deep("std(", "v", ")"),
		deep("v.map(|e| e).std(|e| ", "e", ")"),
		deep("v.std(|e| ", "e", ")"),
		deep("v.join(", "v", ", |e| e)"),
		deep("v.group_by(", "v", ")"),
		deep("v.sum(", "w", ")"),
		deep("v.group_by(|e| e).agg(|g| g.first(|e| ", "e", "))"),
		deep("if v.sum(|e| ", "1", ") { 1 } else { 2.0 }"),
	} {
		start := time.Now()
		msgs := new(diag.List)
		f := syntax.Parse(diag.NewSource("deep.gw", "fn f(v: &[i64; N]) -> i64 { "+body+" }"), msgs)
		Check([]*syntax.File{f}, msgs)
		if !msgs.Failed() {
			t.Errorf("passes: %s", body)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s took %v", body[:40], took)
		}
	}
}
