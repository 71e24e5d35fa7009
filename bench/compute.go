package main

import (
	"context"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
)

const (
	expSource       = `fn f(x: &[f32; N]) -> [f32; N] where N: Range<1, 10_000_000_000> { x.map(|v| v.exp()) }`
	histogramSource = `fn f(x: &[f32; N]) -> [i64; 64] where N: Range<1, 10_000_000_000> {
    x.histogram::<64>(|v| ((v * 32.0 + 32.0).clamp(0.0, 63.0)) as i64)
}`
	kmeansSource = `fn f(x: &[[f32; 8]; N], y: &[[f32; 8]; 16]) -> [[f32; 8]; 16] where N: Range<1, 1_000_000_000> {
    let nearest = x.map(|p| y.argmin(|q| q.zip(p).map(|(a, b)| (a - b) * (a - b)).sum()));
    x.group_by::<16>(nearest).mean()
}`
	rollingSource = `record Band { mean: f64, deviation: f64 }
fn f(x: &[f64; N]) -> [Band; N - 19] where N: Range<20, 10_000_000_000> {
    x.window::<20>().map(|w| {
        let mean = w.mean();
        Band { mean, deviation: (w.map(|v| (v - mean) * (v - mean)).sum() / 20.0).sqrt() }
    })
}`
)

// fusedText is a program of one function that may round as the reference does, whose products and sums are one instruction.
func fusedText(source string) string { return strings.Replace(source, "fn f(", "#[fused]\nfn f(", 1) }

func matmulOf(kind num.Kind, fused bool) string {
	source := `fn f(x: &[T; N, K], y: &[T; K, M]) -> [T; N, M]
where N: Range<1, 100_000>, K: Range<1, 100_000>, M: Range<1, 100_000> { x.matmul(y) }`
	if fused {
		source = fusedText(source)
	}
	return strings.ReplaceAll(source, "T;", kind.String()+";")
}

// compute has operations that do much with each element, over arrays that fit
// into the caches; where their operations can be counted, the limit is the
// processor's peak.
func compute(ctx context.Context, c choices) (*measure.Report, error) {
	b, err := newBench(ctx, c, "compute")
	if err != nil {
		return nil, err
	}
	defer b.close()
	limit := func(threads int) (measure.Number, error) { return b.peak("peak fused", threads) }
	tasks, err := b.computeTasks(1<<20, limit)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if !b.wants(t.name) {
			continue
		}
		if err := b.hold(ctx, t, c.numbers()...); err != nil {
			return nil, err
		}
	}
	sizes := []int64{512, 2048}
	if c.quick {
		sizes = sizes[:1]
	}
	if err := b.products(ctx, sizes); err != nil {
		return nil, err
	}
	return b.finish(), b.notePeaks(limit)
}

// wants reports that an operation is to be measured.
func (c choices) wants(name string) bool { return c.only == nil || c.only.MatchString(name) }

// notePeaks says what the limit is.
func (b *bench) notePeaks(fused func(int) (measure.Number, error)) error {
	one, err := fused(1)
	if err != nil || !one.Known() {
		return err
	}
	apart, err := b.peak("peak apart", 1)
	if err != nil {
		return err
	}
	b.note("The limit of GFLOP/s is measured beside every row: fused multiply-adds on registers, %.1f with one thread. Where a function is not #[fused], a product is rounded before it is added; multiplications and additions apart reach %.1f.", float64(one), float64(apart))
	return nil
}

func (b *bench) computeTasks(n int64, peak func(int) (measure.Number, error)) ([]task, error) {
	x, err := b.random(num.F32, 1, n)
	if err != nil {
		return nil, err
	}
	points, windows := n/16, n/4 // 2 MiB each, if n is 1 << 20
	p, err := b.random(num.F32, 2, points, 8)
	if err != nil {
		return nil, err
	}
	s, err := b.random(num.F64, 3, windows+19)
	if err != nil {
		return nil, err
	}
	return []task{
		{"exp map f32", expSource, "exp", []operand{x}, n, "Gelem/s", n, 0, 1e-6, nil},
		{"softmax f32", softmaxSource, "softmax", []operand{x}, n, "Gelem/s", n, 0, 1e-5, nil},
		{"exp map f32, fused", fusedText(expSource), "exp", []operand{x}, n, "Gelem/s", n, 0, 1e-6, nil},
		{"softmax f32, fused", fusedText(softmaxSource), "softmax", []operand{x}, n, "Gelem/s", n, 0, 1e-5, nil},
		{"histogram f32, 64 buckets", histogramSource, "histogram", []operand{x}, n, "Gelem/s", n, 0, 0, nil},
		{"k-means step f32, 8 dimensions, 16 centres", kmeansSource, "kmeans", []operand{p, p.first(16)}, points, "GFLOP/s", points * 16 * 3 * 8, 1e-4, 0, peak},
		{"k-means step f32, 8 dimensions, 16 centres, fused", fusedText(kmeansSource), "kmeans", []operand{p, p.first(16)}, points, "GFLOP/s", points * 16 * 3 * 8, 1e-4, 0, peak},
		{"rolling mean and deviation f64, window 20", rollingSource, "rolling", []operand{s}, windows, "GFLOP/s", windows * 4 * 20, 1e-12, 0, f64Peak(peak)},
		{"rolling mean and deviation f64, window 20, fused", fusedText(rollingSource), "rolling", []operand{s}, windows, "GFLOP/s", windows * 4 * 20, 1e-12, 0, f64Peak(peak)},
	}, nil
}

// f64Peak is half of that of f32, as vectors hold half as many.
func f64Peak(f32 func(int) (measure.Number, error)) func(int) (measure.Number, error) {
	return func(threads int) (measure.Number, error) {
		n, err := f32(threads)
		return n / 2, err
	}
}
