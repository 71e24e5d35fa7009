package measure

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// operation is one of the programs of the stream benchmark with what the
// reference calls it.
type operation struct {
	name, source string
	peer         string
	kinds        []num.Kind // of the operands x and y
	tolerance    float64    // per element
}

var (
	sumF32 = operation{"sum f32", `
fn f(x: &[f32; N] @ Disk) -> f32 @ RAM where N: Range<1, 10_000_000_000> { x.sum() }`,
		"sum", []num.Kind{num.F32}, 1e-7}
	filteredF32 = operation{"filtered sum f32", `
fn f(x: &[f32; N] @ Disk) -> f32 @ RAM where N: Range<1, 10_000_000_000> { x.filter(|v| v > 0.25).sum() }`,
		"filtered", []num.Kind{num.F32}, 1e-6}
	dotF64 = operation{"dot f64", `
fn f(x: &[f64; N] @ Disk, y: &[f64; N] @ Disk) -> f64 @ RAM where N: Range<1, 10_000_000_000> { x.dot(y) }`,
		"dot", []num.Kind{num.F64, num.F64}, 1e-15}
	axpyF32 = operation{"axpy f32", `
fn f(x: &[f32; N], y: &[f32; N]) -> [f32; N] @ RAM where N: Range<1, 10_000_000_000> { x * 1.5 + y }`,
		"axpy", []num.Kind{num.F32, num.F32}, 1e-6}
	softmaxF32 = operation{"softmax f32", `
fn f(x: &[f32; N]) -> [f32; N] @ RAM where N: Range<1, 10_000_000_000> { x.softmax() }`,
		"softmax", []num.Kind{num.F32}, 1e-9}
)

// streams is the stream benchmark.
type streams struct {
	*session
	rt     *godwit.Runtime
	held   *residents
	limits map[int]Number // memory bandwidth by threads
	only   *regexp.Regexp // names of rows
}

// wanted are the numbers of threads whose rows are asked for.
func (b *streams) wanted(op operation, where string) []int {
	return slices.DeleteFunc(b.threads(), func(t int) bool { return !b.only.MatchString(rowName(op, where, t)) })
}

func rowName(op operation, where string, threads int) string {
	return fmt.Sprintf("%s, %s, %s", op.name, where, count(threads))
}

func stream(ctx context.Context, s *session) error {
	service, err := s.codegen(ctx)
	if err != nil {
		return err
	}
	code := engine.Options{}
	if service != nil {
		defer service.Close()
		code = engine.Options{Tier: engine.Native, Codegen: service}
	}
	rt, err := s.runtime(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	held, err := newResidents(code)
	if err != nil {
		return err
	}
	defer held.close()
	only, err := regexp.Compile(s.opt.Only)
	if err != nil {
		return err
	}
	b := &streams{session: s, rt: rt, held: held, limits: map[int]Number{}, only: only}
	big, half, small := int64(1<<28), int64(1<<26), int64(1<<24)
	if s.opt.Quick {
		big, half, small = 1<<25, 1<<23, 1<<21
	}
	x, err := s.generate(ctx, "x", num.F32, big, 1)
	if err != nil {
		return err
	}
	for _, t := range s.threads() {
		if b.limits[t], err = s.bandwidth(t, x.region); err != nil {
			return err
		}
	}
	y, err := s.generate(ctx, "y", num.F32, half, 2)
	if err != nil {
		return err
	}
	for _, op := range []operation{sumF32, filteredF32} {
		if err := b.files(ctx, op, x); err != nil {
			return err
		}
	}
	if err := b.saved(ctx, y); err != nil {
		return err
	}
	if err := b.memories(ctx, x, y, small); err != nil {
		return err
	}
	if err := b.dots(ctx, half); err != nil {
		return err
	}
	return b.cold(ctx, y)
}

// dots replaces the f32 arrays by two of f64.
func (b *streams) dots(ctx context.Context, n int64) error {
	x, err := b.generate(ctx, "x64", num.F64, n, 3)
	if err != nil {
		return err
	}
	y, err := b.generate(ctx, "y64", num.F64, n, 4)
	if err != nil {
		return err
	}
	if err := b.files(ctx, dotF64, x, y); err != nil {
		return err
	}
	if err := b.memory(ctx, dotF64, false, []string{"dot"}, x, y); err != nil {
		return err
	}
	return goSlices[float64](ctx, b, dotF64, x, y)
}

// files compares an operation on files in the page cache.
func (b *streams) files(ctx context.Context, op operation, in ...array) error {
	threads := b.wanted(op, "file")
	if len(threads) == 0 {
		return nil
	}
	f, err := function(op.source)
	if err != nil {
		return err
	}
	if err := b.give(in, inFile); err != nil {
		return err
	}
	args := godwit.Args{}
	for i, a := range in {
		args[operands[i]] = godwit.File(a.path)
	}
	for _, t := range threads {
		c := b.contest(op, "file", t, in)
		c.Ours = Call(f, args, number, godwit.WithRuntime(b.rt), godwit.WithThreads(t))
		if err := b.against(&c, forms(op.peer), t, in[0].n); err != nil {
			return err
		}
		if err := b.session.hold(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// operands are the names of parameters.
var operands = []string{"x", "y"}

// give has the reference open files, or hold copies of them.
func (b *streams) give(in []array, how lies) error {
	if b.peer == nil {
		return nil
	}
	for i, a := range in {
		if err := b.peer.slot(how, i, a.region); err != nil {
			return err
		}
	}
	return nil
}

func (b *streams) contest(op operation, where string, threads int, in []array) Contest {
	c := Contest{Name: rowName(op, where, threads), Unit: "GB/s", Limit: b.limits[threads]}
	for _, a := range in {
		c.Bytes += a.bytes
	}
	c.Tolerance = op.tolerance * float64(in[0].n)
	return c
}

func count(threads int) string {
	if threads == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", threads)
}

// against makes the fastest of several forms of the C code the reference.
func (b *streams) against(c *Contest, list []form, threads int, n int64) error {
	if b.peer == nil {
		return nil
	}
	f, err := b.peer.best(list, threads, n, c.Before)
	if err != nil {
		return err
	}
	c.Against = "C " + f.op + " " + f.how
	c.Reference = b.peer.runner(f, threads, n)
	return nil
}
