package cluster_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// TestNearOfOptions: whatever a program wants of a column - its values in a wider kind, whether there are any, or both - the way to rows that are read
// where they lie is measured with rows as they are stored.
func TestNearOfOptions(t *testing.T) {
	s := &streets{rings: true, near: true}
	c := s.begin(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	eng, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	const rows = 700_000
	values, small, valid := make([]byte, 8*rows), make([]byte, rows), make([]byte, rows)
	want, sum := int64(0), int64(0)
	for i := range rows {
		small[i] = byte(i % 7)
		if i%10 != 0 {
			valid[i] = 1
			binary.LittleEndian.PutUint64(values[8*i:], uint64(i))
			want, sum = want+1, sum+int64(i)
		}
	}
	cols := []data.Column{{Name: "v", Kind: num.I64, Nullable: true}, {Name: "b", Kind: num.U8}}
	if _, err := c.Load(ctx, data.FromBytes("options", cols, rows, [][]byte{values, small}, [][]byte{valid, nil}), "o", cluster.LoadOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int64{
		"f.count(|r| r.v.is_some())":            want,
		"f.sum(|r| r.v.or(0))":                  sum,
		"f.sum(|r| r.b as i64)":                 rows / 7 * 21,
		"f.sum(|r| r.v.or(0) + (r.b as i64)*0)": sum,
	} {
		for _, strategy := range []cluster.Strategy{cluster.Auto, cluster.Fetch, cluster.Ship} {
			fn := compiled(t, diag.NewSource("t.gw", "record R { v: Option<i64>, b: u8 }\nfn f(f: &[R; N]) -> i64 where N: Range<1, 1_000_000> { "+text+" }"))
			src, err := c.Open("o")
			if err != nil {
				t.Fatal(err)
			}
			bound, err := fn.Bind(compile.Args{"f": compile.Table{Source: src}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := bound.Plan()
			if err != nil {
				t.Fatal(err)
			}
			c.Unlinked()
			c.Forget()
			out, err := p.Program.Run(ctx, p.Inputs, run.Options{Engine: eng, Threads: 1, Beside: c.Beside(strategy)})
			if err != nil {
				t.Fatalf("%s, %v: %v", text, strategy, err)
			}
			got := int64(out.Columns[0].At(0))
			out.Close()
			bound.Close()
			if got != want {
				t.Errorf("%s, %v: %d, expected %d", text, strategy, got, want)
			}
		}
	}
}
