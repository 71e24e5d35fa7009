package main

import (
	"context"

	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
)

const (
	sumSource      = `fn f(x: &[f32; N]) -> f32 where N: Range<1, 10_000_000_000> { x.sum() }`
	dotSource      = `fn f(x: &[f64; N], y: &[f64; N]) -> f64 where N: Range<1, 10_000_000_000> { x.dot(y) }`
	axpySource     = `fn f(x: &[f32; N], y: &[f32; N]) -> [f32; N] where N: Range<1, 10_000_000_000> { x * 1.5 + y }`
	filteredSource = `fn f(x: &[f32; N]) -> f32 where N: Range<1, 10_000_000_000> { x.filter(|v| v > 0.25).mean() }`
	softmaxSource  = `fn f(x: &[f32; N]) -> [f32; N] where N: Range<1, 10_000_000_000> { x.softmax() }`
)

// stream has operations that do little with each element, over arrays that are
// far larger than the caches; the limit is the memory's bandwidth.
func stream(ctx context.Context, c choices) (*measure.Report, error) {
	b, err := newBench(ctx, c, "stream")
	if err != nil {
		return nil, err
	}
	defer b.close()
	n := int64(1 << 26) // 256 MiB of f32
	if c.quick {
		n = 1 << 24
	}
	tasks, err := b.streamTasks(n)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if err := b.hold(ctx, t, c.numbers()...); err != nil {
			return nil, err
		}
	}
	b.note("The limit is reading memory with as many threads, measured beside every row; operands are arrays of %d MiB.", n>>18)
	return b.finish(), nil
}

func (b *bench) streamTasks(n int64) ([]task, error) {
	x, err := b.random(num.F32, 1, n)
	if err != nil {
		return nil, err
	}
	y, err := b.random(num.F32, 2, n)
	if err != nil {
		return nil, err
	}
	x64, err := b.random(num.F64, 3, n/2)
	if err != nil {
		return nil, err
	}
	y64, err := b.random(num.F64, 4, n/2)
	if err != nil {
		return nil, err
	}
	// Measured for every row again, as other work comes and goes.
	limit := func(threads int) (measure.Number, error) { return b.bandwidth(threads, x) }
	size, f := 4*n, float64(n)
	return []task{
		{"sum f32", sumSource, "sum", []operand{x}, n, "GB/s", size, 1e-3 + 1e-9*f, 0, limit},
		{"dot f64", dotSource, "dot", []operand{x64, y64}, n / 2, "GB/s", 2 * size, 1e-15 * f, 0, limit},
		{"axpy f32", axpySource, "axpy", []operand{x, y}, n, "GB/s", 3 * size, 1e-6, 0, limit},
		{"filtered mean f32", filteredSource, "filtered", []operand{x}, n, "GB/s", size, 0, 1e-5, limit},
		// The maximum has to be known before anything is written.
		{"softmax f32", softmaxSource, "softmax", []operand{x}, n, "GB/s", 3 * size, 0, 1e-5, limit},
	}, nil
}
