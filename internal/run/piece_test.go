package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// pairKernel is r1[i] = r0[i] + r0[i+1], so that neighbours share an element.
func pairKernel(grain int64) *kernel.Kernel {
	b, _, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{anySize(), anySize()},
		Regions: []kernel.Region{{Elem: num.I64, Len: s0.AddConst(1)}, {Elem: num.I64, Len: s0, Access: kernel.Write}},
		Outer:   s1, Grain: size.Const(grain), Count: s0,
	})
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Store(1, i, b.Wrap(num.Add, b.Load(0, i), b.Load(0, b.Wrap(num.Add, i, b.Int(1)))))
		return nil, kernel.None
	})
	return b.Finish()
}

// wholeTask is a whole launch whose pieces are to be run.
type wholeTask struct {
	k       *kernel.Kernel
	sizes   []int64
	scalars []uint64
	regions [][]byte // whole, as at the start; nil for Scratch
}

// drawTask draws a kernel with arguments.
func drawTask(t *rapid.T) *wholeTask {
	grain := rapid.SampledFrom([]int64{1, 7, 64, 300}).Draw(t, "grain")
	n := rapid.Int64Range(0, 2500).Draw(t, "n")
	outer := (n + grain - 1) / grain
	const m = 37
	w := &wholeTask{sizes: []int64{n, outer}}
	switch rapid.SampledFrom([]string{"sum", "scale", "running", "gather", "keyed", "pair", "or"}).Draw(t, "kernel") {
	case "sum":
		w.k = sumKernel(num.F32, grain)
	case "scale":
		w.k, w.scalars = scaleKernel(num.I64, grain), []uint64{uint64(rapid.Int64Range(-3, 3).Draw(t, "by"))}
	case "running":
		w.k = runningKernel(grain)
	case "gather":
		w.k, w.sizes = gatherKernel(num.U16, grain), append(w.sizes, m)
	case "keyed":
		w.k, w.sizes = keyedKernel(num.U16, grain), append(w.sizes, m)
	case "pair":
		w.k = pairKernel(grain)
	case "or":
		w.k = orKernel(grain)
	}
	seed := rapid.Uint64().Draw(t, "seed")
	for _, reg := range w.k.Regions {
		length, _ := kernel.EvalPoly(reg.Len, w.sizes)
		b := make([]byte, length*int64(reg.Elem.Size()))
		for i := range length {
			seed = seed*6364136223846793005 + 1442695040888963407
			bits := num.Canon(reg.Elem, seed>>17)
			switch {
			case reg.Access == kernel.Write:
				bits = 0
			case reg.Elem == num.Bool:
				bits = seed >> 40 & 1
			case reg.Bounded:
				bits = seed >> 33 % m
			case reg.Elem.IsFloat():
				bits = uint64(math.Float32bits(float32(seed>>40) / 1000))
			case seed>>60 > 0: // few are so large that a product overflows
				bits = uint64(int64(bits) >> 34)
			}
			column.Put(reg.Elem, b, i, bits)
		}
		w.regions = append(w.regions, b)
	}
	return w
}

// execute runs the whole launch by the stepper.
func (w *wholeTask) execute(t *rapid.T) (after [][]byte, faults []int64) {
	a := stepper.Args{Sizes: w.sizes, Scalars: w.scalars, Faults: stepper.NewFaults(w.k.Sites)}
	for _, b := range w.regions {
		a.Regions = append(a.Regions, bytes.Clone(b))
	}
	outer, _ := kernel.EvalPoly(w.k.Outer, w.sizes)
	if _, err := stepper.Run(w.k, &a, 0, outer); err != nil {
		t.Fatal(err)
	}
	return a.Regions, a.Faults
}

// holder makes operands that hold part of a region.
type holder struct {
	t   *rapid.T
	e   *engine.Engine
	dir string
	del []func()
}

func (h *holder) close() {
	for _, f := range h.del {
		f()
	}
}

// hold gives an operand with elements first..end of a read region, and
// perhaps some more, in one of the ways that must not matter.
func (h *holder) hold(reg *kernel.Region, all []byte, first, end int64) Operand {
	size := int64(reg.Elem.Size())
	total := int64(len(all)) / size
	first = rapid.Int64Range(max(0, first-50), first).Draw(h.t, "more before")
	end = rapid.Int64Range(end, min(total, end+50)).Draw(h.t, "more after")
	part := all[first*size : end*size]
	cols := []data.Column{{Name: "c", Kind: reg.Elem}}
	o := Stored{Origin: first, Total: total}
	switch rapid.SampledFrom([]string{"inline", "memory", "arena", "file", "decoded"}).Draw(h.t, "as") {
	case "inline":
		return Inline{First: first, Bytes: part}
	case "memory":
		o.Source = data.FromBytes("m", cols, end-first, [][]byte{part}, nil)
	case "arena":
		span, b, err := h.e.Alloc(int64(len(part)))
		if err != nil {
			h.t.Fatal(err)
		}
		h.del = append(h.del, func() { h.e.Arena().Free(span) })
		copy(b, part)
		o.Source = data.FromBytes("a", cols, end-first, [][]byte{b}, nil)
	case "file":
		path := filepath.Join(h.dir, "part.npy")
		out := &data.Output{Rows: end - first, Columns: []data.OutColumn{{Name: "c", Kind: reg.Elem, Values: part}}}
		if err := data.Write(path, out); err != nil {
			h.t.Fatal(err)
		}
		src, err := data.Open(path)
		if err != nil {
			h.t.Fatal(err)
		}
		h.del = append(h.del, func() { src.Close(); os.Remove(path) })
		o.Source = src
	case "decoded":
		o.Source = chop(cols, int(end-first), [][]byte{part}, nil, rapid.SampledFrom([][]int{{1000}, {100, 1, 7}}).Draw(h.t, "chunks")...)
	}
	return o
}

// operands gives those of outer indices lo..hi; what is written lies in state.
func (w *wholeTask) operands(h *holder, c *engine.Compiled, state [][]byte, lo, hi int64) []Operand {
	ops := make([]Operand, len(w.k.Regions))
	for i := range w.k.Regions {
		reg := &w.k.Regions[i]
		first, end := c.Reach(i, w.sizes, lo, hi)
		switch reg.Access {
		case kernel.Read:
			ops[i] = h.hold(reg, w.regions[i], first, end)
		case kernel.Write:
			ops[i] = Out{First: first, Count: end - first}
		case kernel.ReadWrite:
			ops[i] = InOut{Bytes: state[i]}
		}
	}
	return ops
}

// runPieces cuts a task's outer loop anywhere, runs the pieces, and puts what
// they give together.
func (w *wholeTask) runPieces(t *rapid.T, e *engine.Engine, dir string) (after [][]byte, faults []int64) {
	c, err := e.Kernel(context.Background(), w.k)
	if err != nil {
		t.Fatal(err)
	}
	after, faults = make([][]byte, len(w.regions)), stepper.NewFaults(w.k.Sites)
	for i := range after {
		after[i] = bytes.Clone(w.regions[i])
	}
	outer := c.Outer(w.sizes)
	for lo := int64(0); lo < outer; {
		hi := rapid.Int64Range(lo+1, outer).Draw(t, "hi")
		h := &holder{t: t, e: e, dir: dir}
		p := &Piece{Kernel: c, Sizes: w.sizes, Scalars: w.scalars, Lo: lo, Hi: hi, Operands: w.operands(h, c, after, lo, hi)}
		opt := Options{Engine: e, Threads: rapid.IntRange(1, 3).Draw(t, "threads"), WindowRows: rapid.SampledFrom([]int64{0, 1, 100}).Draw(t, "window"),
			Windows: rapid.SampledFrom([]int64{0, 1}).Draw(t, "bytes of windows")} // nothing fits into one byte
		outs, places, _, err := RunPiece(context.Background(), p, opt)
		h.close()
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Operands {
			if first, ok := Returns(p.Operands[i]); ok {
				copy(after[i][first*int64(w.k.Regions[i].Elem.Size()):], outs[0])
				outs = outs[1:]
			}
		}
		for i, at := range places {
			faults[i] = min(faults[i], at)
		}
		lo = hi
	}
	return after, faults
}

// TestPiecesMakeTheWhole holds launches that were cut anywhere, over operands
// that hold no more than they need to, against the whole.
func TestPiecesMakeTheWhole(t *testing.T) {
	for _, tier := range []engine.Tier{engine.Stepper, engine.Wasm} {
		t.Run(string(tier), func(t *testing.T) {
			e := newEngine(t, tier)
			dir := t.TempDir()
			rapid.Check(t, func(t *rapid.T) {
				w := drawTask(t)
				want, wantFaults := w.execute(t)
				before := e.Arena().InUse()
				got, faults := w.runPieces(t, e, dir)
				for i, reg := range w.k.Regions {
					if reg.Access != kernel.Scratch && !bytes.Equal(got[i], want[i]) {
						t.Fatalf("region %d differs", i)
					}
				}
				for i := range faults {
					if faults[i] != wantFaults[i] {
						t.Fatalf("site %d: place %d, expected %d", i, faults[i], wantFaults[i])
					}
				}
				// The engine keeps an instance for each thread and kernel, a page each.
				if after := e.Arena().InUse(); after > before+8*mem.Page {
					t.Fatalf("%d bytes in use, %d before", after, before)
				}
			})
		})
	}
}

func newEngine(t testing.TB, tier engine.Tier) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Tier: tier})
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

// TestPieceOfNulls runs pieces over a column with nulls: values, and whether
// they are there.
func TestPieceOfNulls(t *testing.T) {
	const n, grain = 5000, 100
	e := newEngine(t, engine.Wasm)
	c, err := e.Kernel(context.Background(), orKernel(grain))
	if err != nil {
		t.Fatal(err)
	}
	xs, ys := ints(n), ints(n)
	valid := make([]byte, n)
	for i := range valid {
		valid[i] = byte(i / 3 & 1)
		ys[i] *= 1000
	}
	col := []data.Column{{Kind: num.I64, Nullable: true}}
	for _, lo := range []int64{0, 7, 30} {
		from := lo * grain
		src := chop(col, int(n-from), [][]byte{bytesOf(t, xs[from:])}, [][]byte{valid[from:]}, 700, 13)
		column := Stored{Binding: Binding{Source: src, Option: true}, Origin: from, Total: n}
		present := column
		present.Presence = true
		p := &Piece{Kernel: c, Sizes: []int64{n, n / grain}, Lo: lo, Hi: lo + 10, Operands: []Operand{
			present, column, Inline{Bytes: bytesOf(t, ys)}, Out{First: from, Count: 10 * grain}}}
		outs, _, st, err := RunPiece(context.Background(), p, Options{Engine: e, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(10 * grain) {
			want := ys[from+i]
			if valid[from+i] != 0 {
				want = xs[from+i]
			}
			if got := int64(binary.LittleEndian.Uint64(outs[0][8*i:])); got != want {
				t.Fatalf("element %d is %d, expected %d", from+i, got, want)
			}
		}
		if st.Launches[0].Slices == 0 {
			t.Error("nothing was counted")
		}
	}
}

// TestPieceDecodesOnlyItsChunks counts the chunks that the middle of a source
// takes.
func TestPieceDecodesOnlyItsChunks(t *testing.T) {
	const n, grain = 100_000, 100
	e := newEngine(t, engine.Wasm)
	c, err := e.Kernel(context.Background(), sumKernel(num.F32, grain))
	if err != nil {
		t.Fatal(err)
	}
	src := chop([]data.Column{{Kind: num.F32}}, n, [][]byte{bytesOf(t, floats(n))}, nil, 1000)
	src.fills = make(chan int, 1000)
	p := &Piece{Kernel: c, Sizes: []int64{n, n / grain}, Lo: 495, Hi: 515, Operands: []Operand{
		Stored{Binding: Column(src, 0), Total: n}, Out{First: 495, Count: 20}}}
	if _, _, _, err := RunPiece(context.Background(), p, Options{Engine: e, Threads: 2}); err != nil {
		t.Fatal(err)
	}
	if got := len(src.fills); got != 3 {
		t.Errorf("%d chunks were decoded, expected 3", got)
	}
}

// gatherPiece is outer indices 2..4 of a gather from a table of 10 elements.
func gatherPiece(t *testing.T, e *engine.Engine) *Piece {
	t.Helper()
	const n, m, grain = 1000, 10, 100
	c, err := e.Kernel(context.Background(), gatherKernel(num.U16, grain))
	if err != nil {
		t.Fatal(err)
	}
	return &Piece{Kernel: c, Sizes: []int64{n, n / grain, m}, Lo: 2, Hi: 4, Operands: []Operand{
		Inline{Bytes: bytesOf(t, keys(200, m)), First: 200}, Inline{Bytes: bytesOf(t, make([]float64, m))}, Out{First: 200, Count: 200}}}
}

// TestPiecesThatDoNotFit changes one thing of a good piece after the other.
func TestPiecesThatDoNotFit(t *testing.T) {
	e := newEngine(t, engine.Wasm)
	bad := keys(200, 10)
	bad[150] = 10
	inline := func(xs []uint16) Inline { return Inline{Bytes: bytesOf(t, xs), First: 200} }
	good := inline(keys(200, 10))
	stored := func(change func(o *Stored)) Operand {
		o := Stored{Binding: Column(data.FromSlice(bad), 0), Origin: 200, Total: 1000}
		change(&o)
		return o
	}
	for _, c := range []struct {
		name   string
		change func(p *Piece)
		say    string // in a *PieceError
	}{
		{"sizes", func(p *Piece) { p.Sizes = p.Sizes[:2] }, "it has 3 sizes, 2 are given"},
		{"a negative size", func(p *Piece) { p.Sizes[0] = -1 }, "size s0 is -1"},
		{"scalars", func(p *Piece) { p.Scalars = []uint64{1} }, "it has 0 scalars, 1 are given"},
		{"operands", func(p *Piece) { p.Operands = p.Operands[:2] }, "expected 3 operands"},
		{"outer indices", func(p *Piece) { p.Hi = 11 }, "expected outer indices within 0..10, found 2..11"},
		{"reversed", func(p *Piece) { p.Hi = 1 }, "found 2..1"},
		{"steps", func(p *Piece) { p.Limits.Steps = 100 }, "the limit is 100"},
		{"bytes", func(p *Piece) { p.Limits.RegionBytes = 500 }, "the limit is 500"},
		{"a result that is read", func(p *Piece) { p.Operands[0] = InOut(good) }, "region 0: it is only read"},
		{"a write to a column", func(p *Piece) { p.Operands[2] = Stored{Binding: Column(data.FromSlice(make([]float64, 9)), 0)} }, "region 2: it is written"},
		{"no result", func(p *Piece) { p.Operands[2] = nil }, "region 2: it is written"},
		{"nothing to read", func(p *Piece) { p.Operands[1] = nil }, "region 1: it is read, but no operand is given"},
		{"half an element", func(p *Piece) { p.Operands[0] = Inline{Bytes: good.Bytes[1:], First: 200} }, "region 0: 399 bytes are no elements"},
		{"a negative place", func(p *Piece) { p.Operands[0] = Inline{Bytes: good.Bytes, First: -1} }, "region 0: element -1"},
		{"a negative count", func(p *Piece) { p.Operands[2] = Out{First: 200, Count: -1} }, "region 2: expected a number of elements"},
		{"far too many", func(p *Piece) { p.Operands[2] = Out{First: 200, Count: 1 << 60} }, "region 2: expected a number of elements"},
		{"an index", func(p *Piece) { p.Operands[0] = inline(bad) }, "region 0: element 350 is no index below 10"},
		{"an empty table", func(p *Piece) { p.Sizes[2] = 0 }, "region 0: element 200 is no index into an array that is empty"},
		{"a column's number", func(p *Piece) { p.Operands[0] = stored(func(o *Stored) { o.Column = 1 }) }, "region 0: column number 1"},
		{"a negative origin", func(p *Piece) { p.Operands[0] = stored(func(o *Stored) { o.Origin = -1 }) }, "region 0: 200 rows from row -1 on"},
		{"rows beyond the end", func(p *Piece) { p.Operands[0] = stored(func(o *Stored) { o.Total = 399 }) }, "region 0: 200 rows from row 200 on"},
		{"a region that is too short", func(p *Piece) { p.Operands[0] = stored(func(o *Stored) { o.Total = 999 }) }, "region r0 has 999 elements"},
		{"presence of no bool", func(p *Piece) { p.Operands[0] = stored(func(o *Stored) { o.Presence = true }) }, "region 0: whether values are present"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := gatherPiece(t, e)
			c.change(p)
			_, _, _, err := RunPiece(context.Background(), p, Options{Engine: e})
			var wrong *PieceError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got %v, expected %q", err, c.say)
			}
		})
	}
	p := gatherPiece(t, e)
	p.Operands[0] = stored(func(*Stored) {})
	var wrong *data.Error
	if _, _, _, err := RunPiece(context.Background(), p, Options{Engine: e}); !errors.As(err, &wrong) || wrong.Row != 150 {
		t.Errorf("a stored index: %v", err)
	}
	if _, _, _, err := RunPiece(context.Background(), gatherPiece(t, e), Options{Engine: e}); err != nil {
		t.Errorf("the good piece: %v", err)
	}
	if _, _, _, err := RunPiece(context.Background(), gatherPiece(t, e), Options{}); err == nil {
		t.Error("no engine is no error")
	}
}

func TestPieceOfBadBools(t *testing.T) {
	e := newEngine(t, engine.Wasm)
	c, err := e.Kernel(context.Background(), orKernel(10))
	if err != nil {
		t.Fatal(err)
	}
	p := &Piece{Kernel: c, Sizes: []int64{10, 1}, Hi: 1, Operands: []Operand{Inline{Bytes: []byte{0, 1, 1, 0, 2, 0, 0, 0, 0, 255}},
		Inline{Bytes: make([]byte, 80)}, Inline{Bytes: make([]byte, 80)}, Out{Count: 10}}}
	var wrong *PieceError
	if _, _, _, err := RunPiece(context.Background(), p, Options{Engine: e}); !errors.As(err, &wrong) || wrong.Region != 0 || !strings.Contains(wrong.Msg, "element 4 is no bool") {
		t.Error(err)
	}
}

// TestPieceThatMissesElements takes the first or last element of each operand
// away.
func TestPieceThatMissesElements(t *testing.T) {
	e := newEngine(t, engine.Wasm)
	for _, c := range []struct {
		name   string
		change func(p *Piece)
		want   MissingError
	}{
		{"first key", func(p *Piece) { p.Operands[0] = Inline{Bytes: bytesOf(t, keys(199, 10)), First: 201} }, MissingError{0, 200, 400, 201, 400}},
		{"last key", func(p *Piece) { p.Operands[0] = Inline{Bytes: bytesOf(t, keys(199, 10)), First: 200} }, MissingError{0, 200, 400, 200, 399}},
		{"table", func(p *Piece) { p.Operands[1] = Inline{Bytes: make([]byte, 72)} }, MissingError{1, 0, 10, 0, 9}},
		{"result", func(p *Piece) { p.Operands[2] = Out{First: 200, Count: 199} }, MissingError{2, 200, 400, 200, 399}},
		{"stored", func(p *Piece) {
			p.Operands[0] = Stored{Binding: Column(data.FromSlice(keys(199, 10)), 0), Origin: 201, Total: 1000}
		}, MissingError{0, 200, 400, 201, 400}},
	} {
		p := gatherPiece(t, e)
		c.change(p)
		_, _, _, err := RunPiece(context.Background(), p, Options{Engine: e})
		var missing *MissingError
		if !errors.As(err, &missing) || *missing != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	run, err := e.Kernel(context.Background(), runningKernel(10))
	if err != nil {
		t.Fatal(err)
	}
	p := &Piece{Kernel: run, Sizes: []int64{10, 1}, Hi: 1, Operands: []Operand{Inline{Bytes: make([]byte, 80)}, InOut{}, Out{Count: 10}}}
	var missing *MissingError
	if _, _, _, err := RunPiece(context.Background(), p, Options{Engine: e}); !errors.As(err, &missing) || missing.Region != 1 {
		t.Errorf("state: %v", err)
	}
}
