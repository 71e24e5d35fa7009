package plan_test

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// grouped is a program that groups by keys nobody knows, over such.
func grouped(t *testing.T, keys data.Source) *compile.Plan {
	t.Helper()
	p, err := compile.Check(diag.NewSource("t.gw", "fn f(k: &[i64; N]) -> [(i64, i64); ?G <= N] { k.group_by(|v| v).agg(|g| (g.key(), g.count())) }"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Bind(compile.Args{"k": compile.Table{Source: keys}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	out, err := b.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFoundByArguments: sizes that only the run finds are expected by what the arguments' numbers are.
func TestFoundByArguments(t *testing.T) {
	const n = 1_000_000
	var r = generate.NewRandom(1)
	made := func(key func(i uint64) int64) []int64 {
		list := make([]int64, n)
		for i := range list {
			list[i] = key(uint64(i))
		}
		return list
	}
	for _, c := range []struct {
		name   string
		keys   []int64
		groups float64 // about so many
		many   bool    // rows are hashed with a large table
	}{
		{"a hundred", made(func(uint64) int64 { return int64(r.Next()%100) - 50 }), 100, false},
		{"a hundred thousand", made(func(uint64) int64 { return int64(r.Next() % 100_000) }), 100_000, false},
		{"each its own, near each other", made(func(i uint64) int64 { return int64(i) }), n, false},
		{"each its own, far apart", made(func(i uint64) int64 { return int64(i * 0x9e3779b97f4a7c15 >> 1) }), 0, true},
		{"few, far apart", made(func(i uint64) int64 { return int64(r.Next()%20) << 50 }), 0, false},
	} {
		file := filepath.Join(t.TempDir(), "k.parquet")
		bits, err := binary.Append(nil, binary.LittleEndian, c.keys)
		if err == nil {
			err = data.Write(file, &data.Output{Rows: n, Columns: []data.OutColumn{{Name: "k", Kind: num.I64, Values: bits}}})
		}
		if err != nil {
			t.Fatal(err)
		}
		stored, err := data.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer stored.Close()
		for _, src := range []data.Source{data.FromSlice(c.keys), stored} {
			p := grouped(t, src)
			opt := p.Program.Foreseen(p.Inputs, run.Options{Threads: 1})
			opt.Machine, opt.Engine = machine.Default(), "wasm"
			out, err := plan.Predict(p.Schedule, p.Inputs.Sizes, opt)
			if err != nil {
				t.Fatal(err)
			}
			groups, hashed := sizesOf(p.Schedule, out)
			if c.groups > 0 && math.Abs(groups-c.groups) > c.groups/10 {
				t.Errorf("%s, %s: %v groups are expected, there are %v", c.name, src.Format(), groups, c.groups)
			}
			if wide := c.groups == 0; src.Format() == "memory" && (hashed > 0) != c.many || !wide && hashed > 0 {
				t.Errorf("%s, %s: %v rows are expected in a large table", c.name, src.Format(), hashed)
			}
		}
	}
}

// sizesOf gives the expected number of groups, and of rows that are put into a large table.
func sizesOf(s *schedule.Schedule, of *plan.Prediction) (groups, hashed float64) {
	for _, step := range s.Steps {
		if set, ok := step.(*schedule.SetSize); ok {
			switch n := float64(of.Sizes[set.Name]); {
			case set.Likely == size.Rest:
				hashed = n
			case set.Among.Vars() != nil:
				groups = n
			}
		}
	}
	return groups, hashed
}
