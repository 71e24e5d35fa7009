package compile

import (
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestBranchWaitsForWhatItGives: a fold whose branch gives a value that is computed outside of it, as it is, joins no pass over the same rows that
// comes before that value. It did, and computed the value, with all its groups, again in every leaf.
func TestBranchWaitsForWhatItGives(t *testing.T) {
	f, err := program(t, `fn f(x: &[bool; N]) -> ([i64; ?G <= N], i64) where N: Range<1, 100_000> {
		let most = x.group_by(|e| 1).max(|e| 2f32).fold(13f32, |a, e| a * e);
		(x.group_by(|e| most).sum(|e| 3), x.count(|e| (if e { most } else { 1f32 }).is_nan()))
	}`).Func("f")
	if err != nil {
		t.Fatal(err)
	}
	for _, spread := range []bool{false, true} {
		l, err := f.lower(lower.Options{Verify: verify.Check, Stored: func(int, int) num.Kind { return num.I64 }, NonZero: func(string) bool { return true }, Partials: spread})
		if err != nil {
			t.Fatalf("spread %t: %v", spread, err)
		}
		folds := 0
		schedule.Launches(l.schedule.Steps, func(l *schedule.Launch) {
			reads := slices.ContainsFunc(l.Kernel.Regions, func(r kernel.Region) bool { return r.Access == kernel.Read && r.Elem == num.Bool })
			scratch := l.Kernel.HasScratch()
			if reads && scratch {
				t.Errorf("spread %t: %q makes memory of its own while it goes through the rows", spread, l.Label)
			}
			if reads {
				folds++
			}
		})
		if folds == 0 {
			t.Errorf("spread %t: nothing goes through the rows", spread)
		}
	}
}
