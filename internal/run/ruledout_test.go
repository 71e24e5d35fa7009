package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// What is expected to be decoded is what a run decodes, whatever its predicates rule out: of arguments that pass by, by numbers that are known
// beforehand, and else nothing.
func TestRuledOutIsForeseen(t *testing.T) {
	const files, rows = 6, 50_000
	dir := t.TempDir()
	for f := range files {
		xs := make([]float64, rows)
		for i := range xs {
			xs[i] = float64(f) + rand.Float64()/2
		}
		out := &data.Output{Rows: rows, Columns: []data.OutColumn{{Name: "x", Kind: num.F64, Values: bytesOf(t, xs)}}}
		if err := data.Write(filepath.Join(dir, fmt.Sprintf("%d.parquet", f)), out); err != nil {
			t.Fatal(err)
		}
	}
	spec, _, err := data.ParseSpec(filepath.Join(dir, "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	src, err := data.OpenSpec(t.Context(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	in := columns(files*rows, Column(src, 0), Scalar(math.Float64bits(2.75)))
	argument := &schedule.ScalarArg{From: schedule.FromParam, Param: 1}
	found := &schedule.ScalarArg{From: schedule.FromBuffer}
	for name, c := range map[string]struct {
		pruning []schedule.Predicate
		twice   bool
		decoded int // files
	}{
		"all":          {nil, false, 6},
		"constant":     {[]schedule.Predicate{{Op: num.Gt, Kind: num.F64, Bits: math.Float64bits(3.75)}}, false, 2},
		"none is left": {[]schedule.Predicate{{Op: num.Gt, Kind: num.F64, Bits: math.Float64bits(9)}}, false, 0},
		"argument":     {[]schedule.Predicate{{Op: num.Lt, Kind: num.F64, Scalar: argument}}, false, 3},
		"both":         {[]schedule.Predicate{{Op: num.Lt, Kind: num.F64, Scalar: argument}, {Op: num.Ge, Kind: num.F64, Bits: math.Float64bits(1)}}, false, 2},
		"read twice":   {[]schedule.Predicate{{Op: num.Lt, Kind: num.F64, Scalar: argument}}, true, 6},
	} {
		p := sumPlan(num.F64, leaf)
		first := p.Steps[0].(*schedule.Launch)
		first.Pruning = c.pruning
		if c.twice {
			again := *first
			p.Steps = append([]schedule.Step{&again}, p.Steps...)
		}
		foreseen := Prepare(&p.Schedule).Foreseen(in, Options{})
		e, ok := foreseen.Encoded(&p.Schedule, p.Steps[0].(*schedule.Launch), 0)
		if !ok {
			t.Fatalf("%s: nothing is known", name)
		}
		res := mustRun(t, p, in, Options{})
		decoded := 0.0
		for _, d := range res.Stats.Decoded {
			decoded += d.Values
		}
		if expected := e.Values * (1 - e.RuledOut); decoded != float64(c.decoded*rows) || expected < decoded-1 || expected > decoded+1 || e.Chunks != c.decoded {
			t.Errorf("%s: %v values of %d chunks were expected to be decoded, %v were, of %d files", name, expected, e.Chunks, decoded, c.decoded)
		}
	}
	first := &schedule.Launch{Pruning: []schedule.Predicate{{Op: num.Lt, Kind: num.F64, Scalar: found}}}
	if of := in.ruling(&sumPlan(num.F64, leaf).Schedule, asked{first, src, 0}); of.out != 0 {
		t.Errorf("a number that only the run finds is said to rule out %v beforehand", of.out)
	}
}
