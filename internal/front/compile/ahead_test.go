package compile

import (
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestPartnersAreFoundOnce: where threads share a join whose rows are kept, partners are found by a launch of their own, which is not gone through again
// by the one that counts rows before they are stored. One thread finds and stores at once, and so does who needs no rows.
func TestPartnersAreFoundOnce(t *testing.T) {
	labels := func(s *schedule.Schedule) (list []string) {
		schedule.Launches(s.Steps, func(l *schedule.Launch) { list = append(list, strings.Fields(l.Label)[0]) })
		return list
	}
	for _, c := range []struct {
		result, body string
		alone        int // launches of maps
		shared       int
	}{
		{"[(R, f64)]", "x.join(by, |r| r.k).map(|(a, b)| (a, b.v))", 0, 1},
		{"[f64]", "x.join(by, |r| r.k).filter(|(a, _)| a.v > 1.0).map(|(_, b)| b.v)", 0, 1},
		{"[R]", "x.filter(|r| by.has(r.k))", 0, 0}, // the filter itself looks up
		{"f64", "x.join(by, |r| r.k).map(|(_, b)| b.v).sum()", 0, 0},
		{"[R]", "x.filter(|r| r.v > 1.0)", 0, 0},
	} {
		f, err := program(t, "record R { k: i64, v: f64 }\nfn f(x: &[R; N], d: &[R; M]) -> "+c.result+" { let by = d.index_by(|r| r.k); "+c.body+" }\n").Func("f")
		if err != nil {
			t.Fatal(err)
		}
		l, err := f.lower(lower.Options{Verify: verify.Check, Stored: func(int, int) num.Kind { return num.I64 }, NonZero: func(string) bool { return true }})
		if err != nil {
			t.Fatal(err)
		}
		maps := func(s *schedule.Schedule) int {
			list := labels(s)
			return len(slices.DeleteFunc(list, func(s string) bool { return s != "map" }))
		}
		if got := maps(l.schedule); got != c.alone {
			t.Errorf("%s: alone %q", c.body, labels(l.schedule))
		}
		if l.schedule.Shared == nil {
			if c.shared > 0 {
				t.Errorf("%s: there is nothing that threads could share", c.body)
			}
			continue
		}
		s, err := l.schedule.Shared()
		if err != nil {
			t.Fatal(err)
		}
		if got := maps(s); got != c.shared {
			t.Errorf("%s: shared %q", c.body, labels(s))
		}
	}
}
