package run_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/run"
)

// In: random rows of indices into a table, many of them empty, and an index for each row. Out: sums by Go itself, from every engine, however
// far native code looks ahead, be the indices in memory as a whole or in windows of a few rows.

const gathers = `fn f(off: &[idx<E + 1>; R + 1], to: &[u32; E], pick: &[u32; R], x: &[f64; N]) -> ([f64; R], [i64; R])
where R: Range<0, 1_000_000>, E: Range<0, 10_000_000>, N: Range<1, 1_000_000>
{
    let sums = (0..R).map(|v| {
        let mut s = 0.0;
        for e in off[v]..off[v + 1] { s = s * 0.5 + x[(to[e] as i64).clamp_idx()]; }
        s
    });
    let picked = pick.map(|i| x[(i as i64).clamp_idx()] as i64);
    (sums, picked)
}`

func TestGathers(t *testing.T) {
	for _, tier := range []engine.Tier{engine.Native, engine.Wasm, engine.Stepper} {
		opt := engine.Options{Tier: tier}
		if tier == engine.Native {
			opt.Codegen = codegentest.Service(t, "")
		}
		e, err := engine.New(opt)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for _, c := range []struct{ rows, most, table int64 }{{0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {5, 3, 7}, {3000, 12, 50_000}, {200, 400, 3}} {
			for _, weave := range []int{-1, 1, 64} {
				for _, window := range []int64{0, 16} {
					t.Run(fmt.Sprintf("%s, %d rows, %d ahead, windows of %d", tier, c.rows, weave, window), func(t *testing.T) {
						in, want := gatherInput(c.rows, c.most, c.table)
						s, _ := plan(t, gathers, in.Sizes)
						res, err := run.Prepare(s).Run(context.Background(), in, run.Options{Engine: e, Threads: 2, Weave: weave, WindowRows: window})
						if err != nil {
							t.Fatal(err)
						}
						defer res.Close()
						for i, w := range want {
							if !bytes.Equal(res.Columns[i].Data, w) {
								t.Errorf("column %d is not what Go computes", i)
							}
						}
					})
				}
			}
		}
	}
}

// gatherInput has rows of up to most indices; the first and the last index of all lead to the table's ends, some far outside.
func gatherInput(rows, most, table int64) (in *run.Inputs, want [][]byte) {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(table)))
	off, pick, x := make([]int64, rows+1), make([]uint32, rows), make([]float64, table)
	for i := range rows {
		if off[i+1] = off[i]; r.IntN(3) > 0 {
			off[i+1] += r.Int64N(most + 1)
		}
		pick[i] = uint32(r.Int64N(table))
	}
	to := make([]uint32, off[rows])
	for i := range to {
		if to[i] = uint32(r.Int64N(table)); r.IntN(50) == 0 {
			to[i] = r.Uint32()
		}
	}
	if len(to) > 0 {
		to[0], to[len(to)-1] = 0, uint32(table-1)
	}
	for i := range x {
		x[i] = float64(r.IntN(1000))
	}
	at := func(i uint32) float64 { return x[min(int64(i), table-1)] }
	sums, picked := make([]float64, rows), make([]int64, rows)
	for v := range rows {
		for e := off[v]; e < off[v+1]; e++ {
			sums[v] = float64(sums[v]*0.5) + at(to[e])
		}
		picked[v] = int64(at(pick[v]))
	}
	for _, column := range []any{sums, picked} {
		b, _ := binary.Append(nil, binary.LittleEndian, column)
		want = append(want, b)
	}
	return &run.Inputs{Sizes: map[string]int64{"R": rows, "E": int64(len(to)), "N": table}, Params: []run.Param{
		{Name: "off", Leaves: []run.Binding{run.Column(data.FromSlice(off), 0)}},
		{Name: "to", Leaves: []run.Binding{run.Column(data.FromSlice(to), 0)}},
		{Name: "pick", Leaves: []run.Binding{run.Column(data.FromSlice(pick), 0)}},
		{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(x), 0)}},
	}}, want
}
