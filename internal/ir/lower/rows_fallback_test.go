package lower_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestRowsThatVerifyRefuses: a loop over rows whose kernel cannot be proved is computed as any other loop.
func TestRowsThatVerifyRefuses(t *testing.T) {
	p, err := compile.Check(diag.NewSource("t.gw", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x;
    for i in 0..N { for j in 0..M { a[i][j] = a[i][j] * 0.5; } }
    a }`))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	for _, refuse := range []bool{false, true} {
		s, err := lower.Lower(f.Graph, lower.Options{Verify: func(k *kernel.Kernel) (*verify.Safe, error) {
			if one, _ := k.Outer.Const(); refuse && one != 1 && k.Regions[0].Access == kernel.ReadWrite {
				return nil, errors.New("refused")
			}
			return verify.Check(k)
		}})
		if err != nil {
			t.Fatal(err)
		}
		rows := false
		schedule.Launches(s.Steps, func(l *schedule.Launch) { rows = rows || strings.HasPrefix(l.Label, "rows ") })
		if rows == refuse {
			t.Errorf("refused %v: a launch over rows %v", refuse, rows)
		}
	}
}
