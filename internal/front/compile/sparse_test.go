package compile

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestPairsAreNotHeld: pairs that join_all or a filter looks through, far more than there are rows, take no memory each, however often what is
// found is used; nor does what a filter keeps, where its number alone is wanted.
func TestPairsAreNotHeld(t *testing.T) {
	const record = "record X { k: i64, v: i64 }\n"
	for _, text := range []string{
		"fn f(x: &[X; N], d: &[X; M]) -> (i64, i64) { let by = d.index_by(|r| r.k); let j = x.join_all::<3000>(by, |r| r.k); (j.len(), j.map(|(a, b)| a.v - b.v).sum()) }\n",
		"fn f(x: &[X; N], d: &[X; M]) -> (i64, f64) { let by = d.index_by(|r| r.k); let j = x.join_all::<3000>(by, |r| r.k).map(|(a, b)| a.v * b.v); (j.sum(), j.map(|e| e as f64).sum() / (j.len() as f64)) }\n",
		"fn f(x: &[X; N], d: &[X; M]) -> (i64, i64) { let j = (0..N * M).map(|t| (x[t / M], d[t % M])).filter(|(a, b)| a.k < b.k).map(|(a, b)| a.v - b.v); (j.len(), j.sum()) }\n",
	} {
		f, err := program(t, record+text).Func("f")
		if err != nil {
			t.Fatal(err)
		}
		l, err := f.lower(lower.Options{Verify: verify.Check, Stored: func(int, int) num.Kind { return num.I64 }, NonZero: func(string) bool { return true }})
		if err != nil {
			t.Fatal(err)
		}
		const rows = 10_000
		for _, b := range l.schedule.Buffers {
			n, ok := b.Len.Eval(func(name string) (int64, bool) { return rows, name == "N" || name == "M" })
			if ok && n > 10*rows {
				t.Errorf("`%s` has %s = %d elements for %d rows in\n%s", b.Name, b.Len, n, rows, text)
			}
		}
	}
}
