package calibrate

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: an engine. Out: what memory takes, by how much of it is in use. Each point is a small program
// over so many bytes, less what the program takes where memory does not count.

const (
	sumSource = "fn f(x: &[f64; N]) -> f64 " + ranged + " { x.sum() }"
	addSource = "fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.map(|e| e + 0.5) }"
	// backwardSource needs all of x before it begins
	backwardSource = "fn f(x: &[f64; N]) -> f64 " + ranged + " { (0..N).map(|i| x[N - 1 - i]).sum() }"

	gatherSource = "fn f(v: &[f64; M], at: &[idx<M>; N]) -> f64 where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { at.map(|i| v[i]).sum() }"
	chaseSource  = "fn f(p: &[idx<M>; M], n: u32) -> idx<M> where M: Range<1, 1_000_000_000>, n: Range<0, 1_000_000> { let mut at = p[0]; for _ in 0..n { at = p[at]; } at }"
)

// accesses is how many a point of random memory is made of.
const accesses = 1 << 18

// chased is how many steps a chase has.
const chased = 50_000

// reading measures the curves of what is read, up to most bytes.
func (w *workbench) reading(ctx context.Context, m *machine.Memory, most int64) (err error) {
	defer w.clear()
	if m.Read, err = w.read(ctx, most); err != nil {
		return err
	}
	if m.Random, err = w.gather(ctx, most); err != nil {
		return err
	}
	if m.File, err = w.file(ctx, most); err != nil || w.threads > 1 {
		return err
	}
	m.Chase, err = w.chase(ctx, most)
	return err
}

// writing measures the curves of what is written.
func (w *workbench) writing(ctx context.Context, m *machine.Memory, most int64) (err error) {
	defer w.clear()
	m.Write, m.Fresh, err = w.write(ctx, most, m.Read)
	return err
}

// copying measures the curves of what is copied to where WebAssembly reaches it.
func (w *workbench) copying(ctx context.Context, m *machine.Memory, most int64) (err error) {
	defer w.clear()
	if m.Copy, err = w.copied(ctx, most, sumSource); err != nil {
		return err
	}
	m.Whole, err = w.copied(ctx, most, backwardSource)
	return err
}

// spread is the time of one of n parts. Others only ever make a pass longer, so the middle is that of the
// shorter half.
func spread(times []float64, n float64) machine.Spread {
	s := slices.Sorted(slices.Values(times))
	return machine.Spread{P10: s[0] / n, P50: s[len(s)/4] / n, P90: s[len(s)*3/4] / n}
}

// once times the longest launch of a program.
func (w *workbench) once(ctx context.Context, source string, in ...data.Source) ([]float64, error) {
	j, err := w.prepare(source, in...)
	if err != nil {
		return nil, err
	}
	times, err := w.times(ctx, j)
	if err != nil {
		return nil, err
	}
	return slices.MaxFunc(times, func(a, b []float64) int { return cmp.Compare(least(a), least(b)) }), nil
}

func (w *workbench) read(ctx context.Context, most int64) (c machine.Curve, err error) {
	for bytes := int64(256 << 10); bytes <= most; bytes *= 4 {
		src, err := w.source(argument{kind: "f64", n: bytes / 8})
		if err != nil {
			return nil, err
		}
		t, err := w.once(ctx, sumSource, src)
		if err != nil {
			return nil, err
		}
		c = append(c, machine.Point{At: float64(bytes), Time: spread(t, float64(bytes))})
		w.clear()
	}
	return rising(c), nil
}

const (
	mostWarm   = 16 << 20 // bytes of memory that was used before, which are written at most
	leastFresh = 64 << 20 // and of memory that nobody has touched
)

// write gives the time of a byte written beside one that is read: to memory that was used before, and to pages that come from the system.
func (w *workbench) write(ctx context.Context, most int64, read machine.Curve) (warm, fresh machine.Curve, err error) {
	for bytes := int64(256 << 10); bytes <= min(most, mostWarm); bytes *= 4 {
		p, err := w.written(ctx, bytes, read)
		if err != nil {
			return nil, nil, err
		}
		warm = append(warm, p)
	}
	w.keep = true
	defer func() { w.keep, w.kept = false, nil }()
	p, err := w.written(ctx, min(most, leastFresh), read)
	return rising(warm), machine.Curve{p}, err
}

// written is the time of a byte of so many written, each beside one that is read.
func (w *workbench) written(ctx context.Context, bytes int64, read machine.Curve) (machine.Point, error) {
	defer w.clear()
	src, err := w.source(argument{kind: "f64", n: bytes / 8})
	if err != nil {
		return machine.Point{}, err
	}
	t, err := w.once(ctx, addSource, src)
	if err != nil {
		return machine.Point{}, err
	}
	s, less := spread(t, float64(bytes)), read.At(float64(2*bytes)).P50
	s.P10, s.P50, s.P90 = max(s.P10-less, s.P10/8), max(s.P50-less, s.P50/8), max(s.P90-less, s.P90/8)
	return machine.Point{At: float64(bytes), Time: s}, nil
}

// copied is what a byte of a caller's memory takes more than one of the engine's.
func (w *workbench) copied(ctx context.Context, most int64, source string) (c machine.Curve, err error) {
	for bytes := int64(64 << 10); bytes <= most/2; bytes *= 8 {
		src, err := w.source(argument{kind: "f64", n: bytes / 8})
		if err != nil {
			return nil, err
		}
		raw, _ := src.Raw(0)
		own := data.FromBytes("x", src.Columns(), bytes/8, [][]byte{slices.Clone(raw.Bytes)}, nil)
		here, err := w.once(ctx, source, src)
		if err != nil {
			return nil, err
		}
		there, err := w.once(ctx, source, own)
		if err != nil {
			return nil, err
		}
		s, less := spread(there, float64(bytes)), spread(here, float64(bytes)).P50
		s.P10, s.P50, s.P90 = max(s.P10-less, s.P10/8), max(s.P50-less, s.P50/8), max(s.P90-less, s.P90/8)
		c = append(c, machine.Point{At: float64(bytes), Time: s})
		w.clear()
	}
	return c, nil
}

func (w *workbench) gather(ctx context.Context, most int64) (c machine.Curve, err error) {
	return w.gatherBy(ctx, most, 4)
}

// scatteredBy is how many times as large as the one before the arrays are with which scattered asks.
const scatteredBy = 64

// scattered is how many times as long as in a curve an access waits beyond the first cache: the middle of some sizes, by their logarithms.
func (w *workbench) scattered(ctx context.Context, than machine.Curve, most int64) (float64, error) {
	c, err := w.gatherBy(ctx, most, scatteredBy)
	if err != nil {
		return 0, err
	}
	sum, n := 0.0, 0.0
	for _, p := range c[1:] {
		own, other := p.Time.P50-c[0].Time.P50, than.At(p.At).P50-than.At(c[0].At).P50
		if own > 0 && other > 0 {
			sum, n = sum+math.Log(own/other), n+1
		}
	}
	if n == 0 {
		return 1, nil
	}
	return min(max(1, math.Exp(sum/n)), mostScattered), nil
}

// mostScattered is more than any processor has accesses under way.
const mostScattered = 64

// gatherBy is gather with arrays that are so many times as large as the one before.
func (w *workbench) gatherBy(ctx context.Context, most, by int64) (c machine.Curve, err error) {
	for bytes := int64(16 << 10); bytes <= most; bytes *= by {
		v, err := w.source(argument{kind: "f64", n: bytes / 8})
		if err != nil {
			return nil, err
		}
		at, err := w.source(argument{kind: "u32", n: accesses, below: bytes / 8})
		if err != nil {
			return nil, err
		}
		t, err := w.once(ctx, gatherSource, v, at)
		if err != nil {
			return nil, err
		}
		c = append(c, machine.Point{At: float64(bytes), Time: spread(t, accesses)})
		w.clear()
	}
	return rising(c), nil
}

// chase follows one cycle through all of an array.
func (w *workbench) chase(ctx context.Context, most int64) (c machine.Curve, err error) {
	for bytes := int64(16 << 10); bytes <= most; bytes *= 4 {
		n := bytes / 4
		k, b, err := w.array("u32", n)
		if err != nil {
			return nil, err
		}
		cycle(b)
		p := data.FromBytes("p", []data.Column{{Kind: k, Stored: "u32"}}, n, [][]byte{b}, nil)
		count := data.FromSlice([]uint32{chased})
		t, err := w.once(ctx, chaseSource, p, count)
		if err != nil {
			return nil, err
		}
		c = append(c, machine.Point{At: float64(bytes), Time: spread(t, chased)})
		w.clear()
	}
	return rising(c), nil
}

// cycle writes a permutation that is one cycle: that of a linear congruential generator of full period
// (Hull and Dobell). The length is a power of two.
func cycle(b []byte) {
	n := uint32(len(b) / 4)
	for i := range n {
		binary.LittleEndian.PutUint32(b[4*i:], (1_664_525*i+1_013_904_223)&(n-1))
	}
}

// file sums a file that was just written, so that the system has it in memory, in each way that there is. The
// curve is that of the best.
func (w *workbench) file(ctx context.Context, most int64) (c machine.Curve, err error) {
	folder, err := os.MkdirTemp("", "godwit-calibrate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	for bytes := int64(1 << 20); bytes <= max(1<<20, most/4); bytes *= 16 {
		path := filepath.Join(folder, fmt.Sprintf("%d.npy", bytes))
		if err := writeNumbers(path, bytes/8); err != nil {
			return nil, err
		}
		src, err := data.Open(path)
		if err != nil {
			return nil, err
		}
		best, err := w.fileWays(ctx, src, float64(bytes))
		src.Close()
		os.Remove(path)
		if err != nil {
			return nil, err
		}
		c = append(c, machine.Point{At: float64(bytes), Time: best})
	}
	return rising(c), nil
}

// fileWays sums a file of so many bytes in each way, and gives the time of the best for a byte.
func (w *workbench) fileWays(ctx context.Context, src data.Source, bytes float64) (best machine.Spread, err error) {
	var took [len(w.ways)]machine.Spread
	var ways [len(w.ways)]float64
	for i := range took {
		w.ways = [len(w.ways)]float64{1, 1, 1}
		w.ways[i] = 0.5
		t, err := w.once(ctx, sumSource, src)
		if err != nil {
			return best, err
		}
		took[i] = spread(t, bytes)
		ways[i] = took[i].P50
		if i == 0 || ways[i] < best.P50 {
			best = took[i]
		}
	}
	w.ways = ways
	return best, nil
}

func writeNumbers(path string, n int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", n)
	if _, err := fmt.Fprintf(f, "\x93NUMPY\x01\x00\x76\x00%-117s\n", head); err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for left := 8 * n; left > 0; left -= int64(len(block)) {
		if _, err := f.Write(block[:min(int64(len(block)), left)]); err != nil {
			return err
		}
	}
	return f.Close()
}

// rising takes out what noise says: more memory does not make a byte faster.
func rising(c machine.Curve) machine.Curve {
	for i := len(c) - 2; i >= 0; i-- {
		c[i].Time.P50 = min(c[i].Time.P50, c[i+1].Time.P50)
		c[i].Time.P10 = min(c[i].Time.P10, c[i].Time.P50)
		c[i].Time.P90 = max(c[i].Time.P90, c[i].Time.P50)
	}
	return c
}

// lower is c where it is below o, and o elsewhere.
func lower(c, o machine.Curve) machine.Curve {
	for i := range c {
		if t := o.At(c[i].At); t.P50 < c[i].Time.P50 {
			c[i].Time = t
		}
	}
	return c
}
