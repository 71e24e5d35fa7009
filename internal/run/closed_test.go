package run_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/run"
)

// In: results that were closed. Out: the next ones, in the same memory, with the bits that fresh memory gives;
// a shorter result and one of which a kernel writes only a part, too.

func TestClosedResultsGiveTheirMemory(t *testing.T) {
	const n = 1 << 20 // 8 MiB of f64
	programs := map[string]string{
		"mapped":    "fn f(x: &[f64; N]) -> [f64; N] { x.map(|v| v * 3.0 + 0.1) }",
		"filtered":  "fn f(x: &[f64; N]) -> [f64; ?K <= N] { x.filter(|v| v > 60.0) }",
		"histogram": "fn f(x: &[f64; N]) -> [i64; 1_000_000] { x.map(|v| v as i64).histogram::<1_000_000>() }",
	}
	for _, tier := range []engine.Tier{engine.Native, engine.Wasm} {
		t.Run(string(tier), func(t *testing.T) {
			opt := engine.Options{Tier: tier}
			if tier == engine.Native {
				opt.Codegen = codegentest.Service(t, "")
			}
			for name, source := range programs {
				for _, threads := range []int{1, 2} {
					t.Run(fmt.Sprintf("%s, %d", name, threads), func(t *testing.T) { closedResults(t, opt, source, n, threads) })
				}
			}
		})
	}
}

func closedResults(t *testing.T, opt engine.Options, source string, n, threads int) {
	e, err := engine.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s, _ := plan(t, source, map[string]int64{"N": int64(n)})
	xs := make([]float64, n)
	call := func(e *engine.Engine) *run.Result {
		in := &run.Inputs{Sizes: map[string]int64{"N": int64(n)}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(xs), 0)}}}}
		res, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Threads: threads, Tier: engine.Wasm})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	reused := 0
	var before *byte
	for turn := range 4 {
		for i := range xs {
			xs[i] = float64(i % (100 >> turn))
		}
		want := bytes.Clone(call(nil).Columns[0].Data)
		res := call(e)
		got := res.Columns[0].Data
		if !bytes.Equal(got, want) {
			t.Errorf("turn %d: other bits than in memory of its own", turn)
		}
		if at := unsafe.SliceData(got); at == before && at != nil {
			reused++
		} else {
			before = at // alive: Go cannot have it back and give it out anew
		}
		for i := range got[:cap(got)] {
			got[:cap(got)][i] = 0xa5
		}
		res.Close()
		res.Close()
		if res.Columns[0].Data != nil {
			t.Error("a closed result has its values")
		}
	}
	runtime.KeepAlive(before)
	if reused == 0 && len(call(nil).Columns[0].Data) >= 4<<20 {
		t.Error("no result took the memory of the closed one before it")
	}
}
