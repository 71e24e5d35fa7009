package plan_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// walks is the launch of 65,536 walks of 64 steps through a table of n elements.
func walks(t *testing.T, source string, n int64) *plan.Coming {
	t.Helper()
	p, err := compile.Check(diag.NewSource("t.gw", source))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	args := compile.Args{"p": compile.Table{Source: data.FromSlice(make([]int64, 10))}, "s": compile.Table{Source: data.FromSlice(make([]int64, 10))}}
	if strings.Contains(source, "d: &[u8; M]") {
		args["s"], args["d"] = compile.Table{Source: data.FromSlice(make([]int64, 16))}, compile.Table{Source: data.FromSlice(make([]uint8, 10))}
	}
	b, err := f.Bind(args)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	made, err := b.Plan()
	if err != nil {
		t.Fatal(err)
	}
	c := &plan.Coming{Threads: 1, Native: true}
	schedule.Launches(made.Schedule.Steps, func(l *schedule.Launch) {
		if c.Safe, err = verify.Check(l.Kernel); err != nil {
			t.Fatal(err)
		}
		for i := range l.Sizes {
			size, _ := l.Sizes[i].Eval(func(name string) (int64, bool) { return map[string]int64{"N": n, "M": 1 << 16}[name], true })
			c.Sizes = append(c.Sizes, size)
		}
	})
	return c
}

// Iterations are interleaved where the table lies in memory, not where it lies in the first cache, and the more of them the longer
// the memory takes. What a launch is expected to take is then what that takes.
func TestWeave(t *testing.T) {
	const follow = "fn f(p: &[i64; N], s: &[i64; M]) -> [i64; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { s.map(|a| { let mut at = a; for _ in 0..64 { at = p[at.clamp_idx()]; } at }) }"
	m := machine.Default()
	if c := plan.Choose(m, walks(t, follow, 1000)); c.Weave != 0 {
		t.Errorf("a table of 8 kB is walked through by %d iterations at the same time", c.Weave)
	}
	far := walks(t, follow, 1<<26)
	c := plan.Choose(m, far)
	if c.Weave < 16 || c.Threads != 1 || c.Awake != 1 {
		t.Errorf("a table of 512 MiB: %+v, expected at least 16 iterations at the same time, on one thread", c)
	}
	if near := plan.Choose(m, walks(t, follow, 1000)); !c.InStep || !near.InStep {
		t.Errorf("WebAssembly: walks of one length go in step in 512 MiB %v, in 8 kB %v; expected always", c.InStep, near.InStep)
	}
	const ending = "fn f(p: &[i64; N], s: &[i64; M]) -> [i64; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { s.map(|a| { let mut at = a; for _ in 0..64 { at = p[at.clamp_idx()]; if at == a { break; } } at }) }"
	if far, near := plan.Choose(m, walks(t, ending, 1<<26)), plan.Choose(m, walks(t, ending, 1000)); !far.InStep || near.InStep {
		t.Errorf("WebAssembly: walks whose end data says go in step in 512 MiB %v, in 8 kB %v; expected true and false", far.InStep, near.InStep)
	}
	alone := *m
	memory := m.Memory[1]
	memory.Chase, memory.Random = memory.Chase[:1], memory.Random[:1] // as fast as the first cache: nothing to hide
	alone.Memory = map[int]machine.Memory{1: memory}
	if c := plan.Choose(&alone, far); c.Weave != 0 {
		t.Errorf("a memory without latency: %d iterations at the same time", c.Weave)
	}
	far.Native = false
	if begins := plan.Choose(m, far); begins.Weave != c.Weave {
		t.Errorf("native code that comes later has %d iterations at the same time, expected %d", begins.Weave, c.Weave)
	}
	straight := walks(t, "fn f(p: &[i64; N], s: &[i64; M]) -> [i64; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { s.map(|a| p[0] + a) }", 1<<26)
	if c := plan.Choose(m, straight); c.Weave != 0 || c.InStep {
		t.Errorf("a map without walks: %d iterations at the same time", c.Weave)
	}
}

// What indices tell is asked for beforehand where the table outgrows the caches, the farther the longer the memory takes; not where a
// processor looks as far ahead by itself, nor along a short pattern.
func TestAsks(t *testing.T) {
	const rows = `fn f(p: &[i64; N], s: &[i64; M]) -> i64 where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> {
		let mut x = 0;
		for i in s { if x < 1000 { x = (x ^ p[i.clamp_idx()]) & 0xffff; } }
		x
	}`
	m := machine.Default()
	for _, c := range []struct {
		n    int64
		asks bool
	}{{1000, false}, {1 << 17, false}, {1 << 25, true}} {
		got := plan.Choose(m, walks(t, rows, c.n))
		if got.Weave > 0 != c.asks {
			t.Errorf("a table of %d elements: asked for %d turns ahead, expected some: %v", c.n, got.Weave, c.asks)
		}
		if got.Flight == 0 || got.Woven == nil {
			t.Errorf("a table of %d elements: runs cannot find out", c.n)
		}
	}
	slow := *m
	memory := m.Memory[1]
	memory.Chase = append(machine.Curve(nil), memory.Chase...)
	for i := range memory.Chase {
		memory.Chase[i].Time = memory.Chase[i].Time.Times(0.15)
	}
	slow.Memory = map[int]machine.Memory{1: memory}
	if far, near := plan.Choose(m, walks(t, rows, 1<<25)).Weave, plan.Choose(&slow, walks(t, rows, 1<<25)).Weave; near >= far {
		t.Errorf("with a seventh of the latency %d turns ahead, with all of it %d", near, far)
	}
	pattern := walks(t, "fn f(p: &[i64; N], s: &[i64; 16], d: &[u8; M]) -> [[i64; 16]; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { (0..M).map(|i| s.map(|a| p[(a + i).clamp_idx()])) }", 1<<25)
	if c := plan.Choose(m, pattern); c.Flight != 0 {
		t.Errorf("a pattern of 16 indices: %+v", c)
	}
}

// A search is interleaved in a table that lies beyond the near caches, where it takes a third of the time, and not in one that lies in them.
func TestWeaveSearch(t *testing.T) {
	const search = `fn f(p: &[i64; N], s: &[i64; M]) -> [i64; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> {
		s.map(|a| {
			let mut lo = 0;
			let mut hi = N;
			for _ in 0..30 {
				if lo < hi {
					let mid = (lo + hi) / 2;
					if p[mid.clamp_idx()] < a { lo = mid + 1; } else { hi = mid; }
				}
			}
			lo
		})
	}`
	for _, c := range []struct {
		n     int64
		woven bool
	}{{1000, false}, {10_000, false}, {1 << 20, true}} {
		if got := plan.Choose(machine.Default(), walks(t, search, c.n)).Weave; got > 0 != c.woven {
			t.Errorf("a search among %d elements: %d iterations at the same time, expected some: %v", c.n, got, c.woven)
		}
	}
	// Most levels of a search are near, but all come to the far ones together: by what levels take on average 16 would do.
	if got := plan.Choose(machine.Default(), walks(t, search, 1<<25)).Weave; got < 32 {
		t.Errorf("a search in 256 MiB: %d iterations at the same time, expected at least 32", got)
	}
}

// Where the machine's error leaves open whether interleaving pays, runs find out; where nothing can be interleaved, there is nothing to find.
func TestWovenRace(t *testing.T) {
	const follow = "fn f(p: &[i64; N], s: &[i64; M]) -> [i64; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { s.map(|a| { let mut at = a; for _ in 0..64 { at = p[at.clamp_idx()]; } at }) }"
	m := machine.Default()
	c := plan.Choose(m, walks(t, follow, 1<<17))
	if c.Woven == nil || c.Flight == 0 {
		t.Fatalf("a table of 1 MiB: %+v", c)
	}
	for range 200 { // interleaved takes a tenth longer
		way := c.Woven.Next()
		c.Woven.Ran(way, []float64{1e6, 1.1e6}[way])
	}
	if c.Woven.Next() != 0 {
		t.Error("what took longer goes on")
	}
	if c := plan.Choose(m, walks(t, "fn f(p: &[i64; N], s: &[i64; M]) -> [i64; M] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { s.map(|a| p[0] + a) }", 1<<17)); c.Woven != nil || c.Flight != 0 {
		t.Errorf("a map without walks: %+v", c)
	}
}
