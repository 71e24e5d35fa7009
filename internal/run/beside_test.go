package run_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/run"
)

// plan takes a program the whole way to a schedule.
func plan(t *testing.T, source string, sizes map[string]int64) (*schedule.Schedule, *graph.Graph) {
	t.Helper()
	var msgs diag.List
	file := syntax.Parse(diag.NewSource("test.gw", source), &msgs)
	prog := elaborate.Check([]*syntax.File{file}, &msgs)
	if err := msgs.Err(); err != nil {
		t.Fatal(err)
	}
	g, err := prog.Graph("f")
	if err == nil {
		err = graph.Optimize(g, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := lower.Lower(g, lower.Options{
		Partials: true,
		NonZero:  func(name string) bool { return sizes[name] > 0 },
		Verify:   verify.Check,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, g
}

// rows are columns of n random rows each.
type rows struct {
	r *rand.Rand
	n int64
}

func (s rows) floats(width int64) []byte {
	var b []byte
	for range s.n * width {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(s.r.NormFloat64()*100)))
	}
	return b
}

func (s rows) ints(below int64) []byte {
	var b []byte
	for range s.n {
		b = binary.LittleEndian.AppendUint64(b, uint64(s.r.Int64N(below)))
	}
	return b
}

// scenario is a program whose first parameter is a set of N rows on nodes.
type scenario struct {
	name, source string
	sizes        map[string]int64
	cols         func(s rows) ([]data.Column, [][]byte) // of the set
	rest         func(s rows) []run.Param
	partial      bool // the rows of some launch can be combined
	beside       bool // every launch over the set can run beside it
}

func oneFloat(s rows) ([]data.Column, [][]byte) {
	return []data.Column{{Kind: num.F32}}, [][]byte{s.floats(1)}
}

func local(k num.Kind, b []byte, dims ...int64) run.Binding {
	n := int64(len(b)) / int64(k.Size())
	for _, d := range dims {
		n /= d
	}
	return run.Column(data.FromBytes("local", []data.Column{{Kind: k, Dims: dims}}, n, [][]byte{b}, nil), 0)
}

var scenarios = []scenario{
	{name: "sum", source: `fn f(x: &[f32; N]) -> f32 { x.sum() }`, cols: oneFloat, partial: true, beside: true},
	{name: "mean of groups", source: `
record Flight { delay: i64, distance: i64 }
fn f(f: &[Flight; N]) -> [f64; 32] {
    f.filter(|r| r.delay > 15).group_by::<32>(|r| (r.distance / 100).clamp(0, 31)).mean(|r| r.delay as f64)
}`, cols: func(s rows) ([]data.Column, [][]byte) {
		return []data.Column{{Name: "delay", Kind: num.I64}, {Name: "distance", Kind: num.I64}}, [][]byte{s.ints(40), s.ints(4000)}
	}, partial: true, beside: true},
	{name: "wide groups", source: `fn f(x: &[i64; N]) -> [i64; 600] { x.group_by::<600>(|e| e.clamp(0, 599)).count() }`,
		cols: func(s rows) ([]data.Column, [][]byte) { return []data.Column{{Kind: num.I64}}, [][]byte{s.ints(600)} }, partial: true, beside: true},
	{name: "argmin", source: `fn f(x: &[f32; N]) -> idx<N> where N >= 1 { x.argmin(|e| e) }`, cols: oneFloat, partial: true, beside: true},
	{name: "window mean", source: `fn f(x: &[f32; N]) -> [f32; N - 19] where N >= 20 { x.window::<20>().map(|w| w.mean()) }`, cols: oneFloat, beside: true},
	{name: "variance", source: `
fn f(x: &[f32; N]) -> f32 where N >= 2 {
    let m = x.mean();
    x.map(|v| (v - m) * (v - m)).sum() / ((N - 1) as f32)
}`, cols: oneFloat, partial: true, beside: true},
	{name: "lookup", source: `fn f(at: &[idx<M>; N], v: &[f32; M]) -> f32 { at.map(|i| v[i]).sum() }`, sizes: map[string]int64{"M": 50},
		cols: func(s rows) ([]data.Column, [][]byte) { return []data.Column{{Kind: num.I64}}, [][]byte{s.ints(50)} },
		rest: func(s rows) []run.Param {
			return []run.Param{{Name: "v", Leaves: []run.Binding{local(num.F32, rows{s.r, 50}.floats(1))}}}
		}, partial: true, beside: true},
	{name: "kmeans", source: `
fn f<K: Size>(x: &[[f32; D]; N], c0: [[f32; D]; K]) -> [[f32; D]; K] {
    let mut c = c0;
    for _ in 0..3 {
        let nearest = x.map(|p| c.argmin(|q| q.zip(p).map(|(a, b)| (a - b) * (a - b)).sum()));
        c = x.group_by::<K>(nearest).mean();
    }
    c
}`, sizes: map[string]int64{"D": 3, "K": 4},
		cols: func(s rows) ([]data.Column, [][]byte) {
			return []data.Column{{Kind: num.F32, Dims: []int64{3}}}, [][]byte{s.floats(3)}
		},
		rest: func(s rows) []run.Param {
			return []run.Param{{Name: "c0", Leaves: []run.Binding{local(num.F32, rows{s.r, 4}.floats(3), 3)}}}
		}, partial: true, beside: true},
	{name: "top_k", source: `fn f(x: &[f32; N]) -> [f32; ?M <= 7] { x.top_k::<7>(|e| e) }`, cols: oneFloat},
	{name: "scan", source: `fn f(x: &[i64; N]) -> [i64; N] { x.scan(0, |a, e| a *% 31 +% e) }`,
		cols: func(s rows) ([]data.Column, [][]byte) { return []data.Column{{Kind: num.I64}}, [][]byte{s.ints(1000)} }, beside: true},
	{name: "sort", source: `fn f(x: &[f32; N]) -> [f32; N] { x.sort() }`, cols: oneFloat},
	{name: "checked", source: `fn f(x: &[i64; N]) -> [i64; N] { x.map(|e| e * e * e * e * e * e * e) }`,
		cols: func(s rows) ([]data.Column, [][]byte) { return []data.Column{{Kind: num.I64}}, [][]byte{s.ints(512)} }, beside: true},
}

// TestBesideGivesTheSameBits holds programs whose launches are taken over
// against plain runs.
func TestBesideGivesTheSameBits(t *testing.T) {
	there := newEngine(t)
	here := newEngine(t)
	combined, freely := 0, 0
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			lengths := []int64{20, 4096, 5000, 33_001}
			if !strings.Contains(sc.source, "where") {
				lengths = append(lengths, 0)
			}
			if strings.Contains(sc.source, "group_by") {
				lengths = append(lengths, 200_001) // whose leaves are longer
			}
			for _, n := range lengths {
				for _, block := range []int64{0, 1, 2, 8} {
					combined += sc.run(t, here, there, n, block)
				}
				freely += sc.run(t, here, there, n, -1)
			}
		})
	}
	if combined == 0 {
		t.Error("no rows were ever combined in part")
	}
	if freely == 0 {
		t.Error("no rows were ever combined in any order")
	}
}

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// bind makes a scenario's schedule and arguments for n rows cut at random,
// or at multiples of even.
func (sc *scenario) bind(t *testing.T, r *rand.Rand, n, even int64) (*schedule.Schedule, *run.Inputs, *remote) {
	t.Helper()
	sizes := map[string]int64{"N": n}
	for name, v := range sc.sizes {
		sizes[name] = v
	}
	s, _ := plan(t, sc.source, sizes)
	var cuts []int64
	for range r.IntN(4) {
		cut := r.Int64N(n + 1)
		if even > 0 {
			cut -= cut % even
		}
		if len(cuts) == 0 || cut > cuts[len(cuts)-1] {
			cuts = append(cuts, cut)
		}
	}
	cols, values := sc.cols(rows{r, n})
	set := table(n, cuts, cols, values...)
	first := run.Param{Name: "set"}
	for i := range cols {
		first.Leaves = append(first.Leaves, run.Column(set, i))
	}
	in := &run.Inputs{Sizes: sizes, Params: []run.Param{first}}
	if sc.rest != nil {
		in.Params = append(in.Params, sc.rest(rows{r, n})...)
	}
	return s, in, set
}

func (sc *scenario) run(t *testing.T, here, there *engine.Engine, n, block int64) (combined int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(block)))
	s, in, set := sc.bind(t, r, n, 0)
	want, wantErr := run.Run(context.Background(), s, in, run.Options{Engine: here, Threads: 2})
	set.fetched.Store(0)
	ns := &nodes{e: there, r: r, block: block}
	memory := here.Arena().InUse()
	got, err := run.Run(context.Background(), s, in, run.Options{Engine: here, Threads: 2, Beside: ns})
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%d rows, blocks of %d: %v, expected %v", n, block, err, wantErr)
	}
	if wantErr == nil {
		sameResult(t, got, want, fmt.Sprintf("%d rows, blocks of %d", n, block))
	}
	if after := here.Arena().InUse(); after > memory+1<<20 {
		t.Errorf("%d bytes in use, %d before", after, memory)
	}
	if sc.beside && ns.launches == 0 {
		t.Error("no launch was taken over")
	}
	if fetched := set.fetched.Load(); sc.beside && ns.here == 0 && fetched > 0 {
		t.Errorf("%d rows: %d chunks were fetched, but all launches ran beside the data", n, fetched)
	}
	if block > 0 && sc.partial && n > 4096 && ns.combined == 0 {
		t.Error("rows that can be combined in part were not")
	}
	return ns.combined
}

func sameResult(t *testing.T, got, want *run.Result, what string) {
	t.Helper()
	for i := range want.Columns {
		if fmt.Sprint(got.Columns[i].Dims) != fmt.Sprint(want.Columns[i].Dims) || !bytes.Equal(got.Columns[i].Data, want.Columns[i].Data) {
			t.Fatalf("%s: column %d differs from a plain run", what, i)
		}
	}
}

// TestAlignedSetIsNeverFetched cuts a set where leaves end: every launch over it
// runs on the nodes, with rows combined there.
func TestAlignedSetIsNeverFetched(t *testing.T) {
	here, there := newEngine(t), newEngine(t)
	for _, sc := range scenarios {
		if !sc.beside || sc.name == "window mean" || sc.name == "kmeans" || sc.name == "mean of groups" {
			continue // their leaves are of other lengths
		}
		r := rand.New(rand.NewPCG(1, 2))
		s, in, set := sc.bind(t, r, 100_000, 4*num.Leaf)
		ns := &nodes{e: there, r: r, block: 4}
		res, err := run.Run(context.Background(), s, in, run.Options{Engine: here, Beside: ns})
		if fault := (*run.FaultError)(nil); err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
		if set.fetched.Load() != 0 || ns.here != 0 {
			t.Errorf("%s: %d chunks were fetched, %d outer indices ran here", sc.name, set.fetched.Load(), ns.here)
		}
		if err != nil {
			continue
		}
		taken := int64(0)
		for _, l := range res.Stats.Launches {
			taken += l.Beside
		}
		if taken != int64(ns.launches) || taken == 0 {
			t.Errorf("%s: %d launches are counted, %d were taken over", sc.name, taken, ns.launches)
		}
	}
}

// TestHereFetchesOnlyWhatItNeeds executes the part of a launch in a loop here: a
// whole run would fetch the whole set, because it is walked over again and
// again.
func TestHereFetchesOnlyWhatItNeeds(t *testing.T) {
	for i := range scenarios {
		sc := &scenarios[i]
		if sc.name != "kmeans" {
			continue
		}
		s, in, set := sc.bind(t, rand.New(rand.NewPCG(1, 2)), 200_001, 0)
		turns := 0
		_, err := run.Run(context.Background(), s, in, run.Options{Engine: newEngine(t), Beside: besideFunc(func(p *run.Placed) (bool, error) {
			turns++
			before := set.fetched.Load()
			if err := p.Here(1, 2); err != nil {
				return false, err
			}
			if n := set.fetched.Load() - before; n < 1 || n > 70 { // a leaf has 65536 rows
				t.Errorf("%d chunks of 201 were fetched for one of %d outer indices", n, p.Outer)
			}
			return true, nil
		})})
		if err != nil || turns != 3 {
			t.Errorf("%v, %d turns", err, turns)
		}
	}
}

// TestRowsCombinedHere executes everything here, block by block from the last,
// with rows of more than a page.
func TestRowsCombinedHere(t *testing.T) {
	e := newEngine(t)
	for i := range scenarios {
		sc := &scenarios[i]
		if sc.name != "wide groups" {
			continue
		}
		s, in, _ := sc.bind(t, rand.New(rand.NewPCG(1, 2)), 500_001, 0)
		want, err := run.Run(context.Background(), s, in, run.Options{Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		blocks := int64(0)
		got, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Beside: besideFunc(func(p *run.Placed) (bool, error) {
			c, err := p.Combined(2)
			if err != nil {
				return false, err
			}
			blocks += c.Rows
			for b := c.Rows - 1; b >= 0; b-- {
				if err := p.Here(2*b, min(2*b+2, p.Outer)); err != nil {
					return false, err
				}
			}
			return true, nil
		})})
		if err != nil || blocks < 4 {
			t.Fatalf("%v, %d blocks", err, blocks)
		}
		sameResult(t, got, want, "block by block")
	}
}

func TestBesideThatFails(t *testing.T) {
	sc := &scenarios[0]
	s, in, _ := sc.bind(t, rand.New(rand.NewPCG(1, 2)), 10_000, 0)
	e := newEngine(t)
	lost := errors.New("a node is lost")
	_, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Beside: &nodes{failure: lost}})
	if !errors.Is(err, lost) {
		t.Error(err)
	}
}

// besideFunc is a Beside for one test.
type besideFunc func(p *run.Placed) (bool, error)

func (f besideFunc) Launch(_ context.Context, p *run.Placed) (bool, error) { return f(p) }

// TestPlacedRefuses asks for what cannot be.
func TestPlacedRefuses(t *testing.T) {
	s, in, _ := scenarios[0].bind(t, rand.New(rand.NewPCG(1, 2)), 10_000, 0)
	type refusal struct {
		say string
		do  func(p *run.Placed) error
	}
	asked := 0
	try := besideFunc(func(p *run.Placed) (bool, error) {
		asked++
		for _, c := range []refusal{
			{"no buffer behind region 9", func(p *run.Placed) error { return p.Write(9, 0, nil) }},
			{"no buffer behind region -1", func(p *run.Placed) error { _, err := p.Bytes(-1); return err }},
			{"is not written by it", func(p *run.Placed) error { return p.Write(0, 0, make([]byte, 4)) }},
			{"found 3 bytes from number 0 on", func(p *run.Placed) error { return p.Write(1, 0, make([]byte, 3)) }},
			{"found 8 bytes from number 2 on", func(p *run.Placed) error { return p.Write(1, 2, make([]byte, 8)) }},
			{"found 4 bytes from number -1 on", func(p *run.Placed) error { return p.Write(1, -1, make([]byte, 4)) }},
			{"expected outer indices within 0..3, found 1..4", func(p *run.Placed) error { return p.Here(1, 4) }},
			{"expected places of 0 fault sites, found 1", func(p *run.Placed) error { return p.Faults([]int64{1}) }},
			{"expected a power of two for the rows of a block, found 3", func(p *run.Placed) error { _, err := p.Combined(3); return err }},
			{"cannot be combined in any order", func(p *run.Placed) error { _, err := p.CombinedFreely([]int64{0}); return err }},
			{"<nil>", func(p *run.Placed) error { _, err := p.Combined(2); return err }},
			{"combines already: whole blocks of 2 outer indices", func(p *run.Placed) error { _, err := p.Combined(2); return err }},
			{"expected whole blocks of 2 outer indices, found 1..2", func(p *run.Placed) error { return p.Here(1, 2) }},
			{"found 8 bytes from number 1 on", func(p *run.Placed) error { return p.Write(1, 1, make([]byte, 8)) }},
			{"<nil>", func(p *run.Placed) error { return p.Here(0, 3) }},
		} {
			if err := c.do(p); !strings.Contains(fmt.Sprint(err), c.say) {
				t.Errorf("got %v, expected %q", err, c.say)
			}
		}
		return true, nil
	})
	e := newEngine(t)
	want, err := run.Run(context.Background(), s, in, run.Options{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	got, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Beside: try})
	if err != nil || asked != 1 {
		t.Fatalf("%v, asked %d times", err, asked)
	}
	sameResult(t, got, want, "all here")
}

// TestWhatComesBackIsChecked gives back what kernels could not have written:
// later ones would take it for granted that it is right.
func TestWhatComesBackIsChecked(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct {
		source, say string
		bytes       []byte
	}{
		{`fn f(x: &[f32; N]) -> [bool; N] { x.map(|e| e > 0.0) }`, "element 8 that came back is no bool", []byte{1, 2}},
		{`fn f(x: &[f32; N]) -> [i64; N] { x.map(|e| if e > 0.0 { 1 } else { 0 }) }`, "element 8 that came back is no index below 40", []byte{39, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0}},
	} {
		sc := scenario{source: c.source, cols: oneFloat}
		s, in, _ := sc.bind(t, rand.New(rand.NewPCG(1, 2)), 10_000, 0)
		for i := range s.Buffers {
			if b := &s.Buffers[i]; b.Input == nil && b.Kind == num.I64 {
				b.Bounded, b.Bound = true, size.Const(40)
			}
		}
		_, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Beside: besideFunc(func(p *run.Placed) (bool, error) {
			for i, reg := range p.Compiled.Kernel.Regions {
				if reg.Access == kernel.Write {
					return true, p.Write(i, 7, c.bytes)
				}
			}
			return false, nil
		})})
		if err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("got %v, expected %q", err, c.say)
		}
	}
}

// TestFreelyRefuses: blocks are all rows, in order, each once.
func TestFreelyRefuses(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct {
		begins []int64
		say    string
	}{
		{nil, "there is no block"},
		{[]int64{1}, "expected blocks that begin with rows from 0 on"},
		{[]int64{0, 2, 2}, "ascending"},
		{[]int64{0, 1 << 40}, "below"},
		{[]int64{0, 2}, "<nil>"},
	} {
		asked := false
		try := besideFunc(func(p *run.Placed) (bool, error) {
			if p.Launch.Partial == nil || !p.Launch.Partial.Free {
				return false, nil
			}
			asked = true
			switch _, err := p.CombinedFreely(c.begins); {
			case !strings.Contains(fmt.Sprint(err), c.say):
				t.Errorf("blocks from %d: %v, expected %q", c.begins, err, c.say)
			case err != nil:
				return false, nil
			}
			for _, s := range [][2]int64{{0, 1}, {1, 2}, {0, p.Outer}, {2, p.Outer - 1}} {
				if err := p.Here(s[0], s[1]); err == nil || !strings.Contains(err.Error(), "begin with outer indices [0 2], found") {
					t.Errorf("rows %d are no block: %v", s, err)
				}
			}
			if err := p.Here(2, p.Outer); err != nil {
				return false, err
			}
			return true, p.Here(0, 2)
		})
		sizes := map[string]int64{"N": 500_001}
		s, _ := plan(t, "fn f(x: &[i64; N]) -> [i64; 8] { x.map(|v| v & 7).histogram::<8>() }", sizes)
		set := table(500_001, nil, []data.Column{{Kind: num.I64}}, rows{rand.New(rand.NewPCG(1, 2)), 500_001}.ints(1000))
		in := &run.Inputs{Sizes: sizes, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(set, 0)}}}}
		want, err := run.Run(context.Background(), s, in, run.Options{Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		got, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Beside: try})
		if err != nil || !asked {
			t.Fatalf("%v; asked: %v", err, asked)
		}
		sameResult(t, got, want, fmt.Sprint("blocks from ", c.begins))
	}
}
