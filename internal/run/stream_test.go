package run

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// choppy is a source over memory that must be decoded, in chunks of odd
// lengths.
type choppy struct {
	data.Source
	chunks []data.Chunk
	sub    []data.Source
	pruned []bool
	fills  chan int // chunks decoded, if set
}

func chop(cols []data.Column, rows int, values, valid [][]byte, lengths ...int) *choppy {
	c := &choppy{Source: data.FromBytes("choppy", cols, int64(rows), values, valid)}
	for lo, i := 0, 0; lo < rows; i++ {
		hi := min(rows, lo+lengths[i%len(lengths)])
		c.chunks = append(c.chunks, data.Chunk{Lo: int64(lo), Hi: int64(hi)})
		vs, ok := make([][]byte, len(cols)), make([][]byte, len(cols))
		for j := range cols {
			w := int(cols[j].Width()) * cols[j].Kind.Size()
			vs[j] = values[j][lo*w : hi*w]
			if valid != nil && valid[j] != nil {
				ok[j] = valid[j][lo:hi]
			}
		}
		c.sub = append(c.sub, data.FromBytes("choppy", cols, int64(hi-lo), vs, ok))
		lo = hi
	}
	return c
}

func (c *choppy) Chunks() []data.Chunk     { return c.chunks }
func (c *choppy) Raw(int) (data.Raw, bool) { return data.Raw{}, false }
func (c *choppy) Prune([]data.Pred) []bool { return c.pruned }
func (c *choppy) Format() string           { return "choppy" }

func (c *choppy) Fill(ctx context.Context, chunk int, wants []data.Want, dst []data.Dest) (int64, error) {
	if c.fills != nil {
		c.fills <- chunk
	}
	n, err := c.sub[chunk].Fill(ctx, 0, wants, dst)
	var bad *data.Error
	if errors.As(err, &bad) {
		bad.Row += c.chunks[chunk].Lo
	}
	return n, err
}

// FillPruned gives zeros, which fail the predicates of the tests here.
func (c *choppy) FillPruned(_ int, _ []data.Pred, _ []data.Want, dst []data.Dest) error {
	for _, d := range dst {
		clear(d.Values)
		for i := range d.Valid {
			d.Valid[i] = 1
		}
	}
	return nil
}

func bytesOf(t testing.TB, xs any) []byte {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, xs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// chunkings are lists of chunk lengths that are repeated.
var chunkings = [][]int{{1 << 20}, {4096}, {5000, 1, 77}, {100, 20_000, 3}, {1}}

func TestDecodedSumIsTheSame(t *testing.T) {
	const n = 60_001
	xs := floats(n)
	for _, lengths := range chunkings {
		if lengths[0] == 1 {
			continue // slow, and covered below
		}
		t.Run(fmt.Sprint(lengths), func(t *testing.T) {
			src := chop([]data.Column{{Kind: num.F32}}, n, [][]byte{bytesOf(t, xs)}, nil, lengths...)
			everyWay(t, sumPlan(num.F32, leaf), columns(n, Column(src, 0)), []uint64{sumOf(xs)})
		})
	}
}

func TestDecodedSequentialKernel(t *testing.T) {
	const n = 3000
	xs := ints(n)
	p := &handmade{}
	x, state, y := p.input(num.I64, varN, 0, 0), p.buffer(num.I64, one), p.buffer(num.I64, varN)
	p.launch(runningKernel(77), slots(varN, 77), x, state, y)
	p.result(y, varN)
	want, acc := make([]uint64, n), int64(0)
	for i, v := range xs {
		acc = acc*31 + v
		want[i] = uint64(acc)
	}
	for _, lengths := range chunkings {
		t.Run(fmt.Sprint(lengths), func(t *testing.T) {
			src := chop([]data.Column{{Kind: num.I64}}, n, [][]byte{bytesOf(t, xs)}, nil, lengths...)
			everyWay(t, p, columns(n, Column(src, 0)), want)
		})
	}
}

// orKernel is r3[i] = r0[i] ? r1[i] : r2[i].
func orKernel(grain int64) *kernel.Kernel {
	b, _, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes: []kernel.Size{anySize(), anySize()},
		Regions: []kernel.Region{{Elem: num.Bool, Len: s0}, {Elem: num.I64, Len: s0}, {Elem: num.I64, Len: s0},
			{Elem: num.I64, Len: s0, Access: kernel.Write}},
		Outer: s1, Grain: size.Const(grain), Count: s0,
	})
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Store(3, i, b.Select(b.Load(0, i), b.Load(1, i), b.Load(2, i)))
		return nil, kernel.None
	})
	return b.Finish()
}

// TestOptionsOfSeveralSources mixes a source with nulls, another one with
// other chunks, and a raw file in one launch.
func TestOptionsOfSeveralSources(t *testing.T) {
	const n, grain = 20_011, 300
	r := rand.New(rand.NewPCG(7, 8))
	xs, ys := ints(n), ints(n)
	valid, want := make([]byte, n), make([]uint64, n)
	for i := range n {
		valid[i] = byte(r.IntN(2))
		ys[i] *= 1000
		want[i] = uint64(ys[i])
		if valid[i] != 0 {
			want[i] = uint64(xs[i])
		}
	}
	col := []data.Column{{Kind: num.I64, Nullable: true}}
	opt := chop(col, n, [][]byte{bytesOf(t, xs)}, [][]byte{valid}, 5000, 1, 77)
	p := &handmade{}
	present, x, y := p.input(num.Bool, varN, 0, 0), p.input(num.I64, varN, 0, 1), p.input(num.I64, varN, 1, 0)
	z := p.buffer(num.I64, varN)
	p.launch(orKernel(grain), slots(varN, grain), present, x, y, z)
	p.result(z, varN)
	for name, other := range map[string]data.Source{
		"raw":     writeNPY(t, "<i8", ys, n),
		"decoded": chop([]data.Column{{Kind: num.I64}}, n, [][]byte{bytesOf(t, ys)}, nil, 333, 9000),
	} {
		t.Run(name, func(t *testing.T) {
			in := &Inputs{Sizes: map[string]int64{"N": n}, Params: []Param{
				{Name: "x", Leaves: []Binding{{Source: opt, Option: true, Presence: true}, {Source: opt, Option: true}}},
				{Name: "y", Leaves: []Binding{Column(other, 0)}},
			}}
			everyWay(t, p, in, want)
		})
	}
}

func TestPresenceOfARawColumnIsAlwaysTrue(t *testing.T) {
	const n, grain = 5000, 300
	xs, ys := ints(n), make([]int64, n)
	src := writeNPY(t, "<i8", xs, n)
	p := &handmade{}
	present, x, y := p.input(num.Bool, varN, 0, 0), p.input(num.I64, varN, 0, 1), p.input(num.I64, varN, 1, 0)
	z := p.buffer(num.I64, varN)
	p.launch(orKernel(grain), slots(varN, grain), present, x, y, z)
	p.result(z, varN)
	want := make([]uint64, n)
	for i, x := range xs {
		want[i] = uint64(x)
	}
	in := &Inputs{Sizes: map[string]int64{"N": n}, Params: []Param{
		{Leaves: []Binding{{Source: src, Option: true, Presence: true}, {Source: src, Option: true}}},
		{Leaves: []Binding{Column(data.FromSlice(ys), 0)}},
	}}
	everyWay(t, p, in, want)
}

func TestParquetStreamsAndStays(t *testing.T) {
	const n = 300_000
	xs := floats(n)
	path := filepath.Join(t.TempDir(), "a.parquet")
	out := &data.Output{Rows: n, Columns: []data.OutColumn{{Name: "x", Kind: num.F32, Values: bytesOf(t, xs)}}}
	if err := data.Write(path, out); err != nil {
		t.Fatal(err)
	}
	in := columns(n, Column(open(t, path), 0))
	p := sumPlan(num.F32, leaf)
	everyWay(t, p, in, []uint64{sumOf(xs)})
	res := mustRun(t, p, in, Options{})
	if res.Stats.BytesRead == 0 || res.Stats.Launches[0].Slices == 0 {
		t.Errorf("nothing was counted: %+v", res.Stats)
	}
}

func TestFirstBadRowIsNamed(t *testing.T) {
	const n, m = 50_000, 3000
	xs := keys(n, m)
	xs[40_001], xs[30_000] = m, m+5
	src := chop([]data.Column{{Kind: num.U16}}, n, [][]byte{bytesOf(t, xs)}, nil, 700, 13)
	in := columns(n, Column(src, 0), Column(data.FromSlice(make([]float64, m)), 0))
	in.Sizes["M"] = m
	for name, opt := range settings() {
		_, err := Run(context.Background(), &gatherPlan().Schedule, in, opt)
		var bad *data.Error
		if !errors.As(err, &bad) || bad.Row != 30_000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPrunedChunksAreNotDecoded(t *testing.T) {
	const n = 50_000
	xs := make([]float32, n)
	copy(xs, floats(10_000)) // the rest is zero, as FillPruned has it
	src := chop([]data.Column{{Kind: num.F32}}, n, [][]byte{bytesOf(t, xs)}, nil, 5000)
	src.pruned = []bool{false, false, true, true, true, true, false, true, true, true}
	src.fills = make(chan int, 100)
	p := sumPlan(num.F32, leaf)
	p.Steps[0].(*schedule.Launch).Pruning = []schedule.Predicate{{Buffer: 0, Op: num.Gt, Kind: num.F32}}
	res := mustRun(t, p, columns(n, Column(src, 0)), Options{WindowRows: 4096})
	sameColumn(t, res.Columns[0], []uint64{sumOf(xs)})
	if got := len(src.fills); got != 3 {
		t.Errorf("%d chunks were decoded, expected 3", got)
	}
}

func TestWholeInputBeyondTheLimit(t *testing.T) {
	const n, m = 10, 100_000
	in := columns(n, Column(data.FromSlice(make([]uint16, n)), 0), Column(data.FromSlice(make([]float64, m)), 0))
	in.Sizes["M"] = m
	_, err := Run(context.Background(), &gatherPlan().Schedule, in, Options{Resident: 100_000})
	var full *SpaceError
	if !errors.As(err, &full) || !strings.Contains(err.Error(), "argument `b` needs 800.0 kB") {
		t.Error(err)
	}
}
