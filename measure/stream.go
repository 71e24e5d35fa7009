package measure

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/num"
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

// streams is the stream benchmark with its inputs.
type streams struct {
	*session
	rt     *godwit.Runtime
	limits map[int]Number // memory bandwidth by threads
}

func stream(ctx context.Context, s *session) error {
	b := &streams{session: s, rt: godwit.NewRuntime(), limits: map[int]Number{}}
	defer b.rt.Close()
	big, half, small := int64(1<<28), int64(1<<26), int64(1<<24)
	if s.opt.Quick {
		big, half, small = 1<<25, 1<<23, 1<<21
	}
	x, err := s.generate("x", num.F32, big, 1)
	if err != nil {
		return err
	}
	for _, t := range s.threads() {
		if b.limits[t], err = s.bandwidth(t, x.region); err != nil {
			return err
		}
	}
	y, err := s.generate("y", num.F32, half, 2)
	if err != nil {
		return err
	}
	for _, op := range []operation{sumF32, filteredF32} {
		if err := b.files(ctx, op, x); err != nil {
			return err
		}
	}
	if err := b.memory(ctx, x, y, small); err != nil {
		return err
	}
	if err := b.dots(ctx, half); err != nil {
		return err
	}
	return b.cold(ctx, y)
}

// dots replaces the f32 arrays by two of f64.
func (b *streams) dots(ctx context.Context, n int64) error {
	x, err := b.generate("x64", num.F64, n, 3)
	if err != nil {
		return err
	}
	y, err := b.generate("y64", num.F64, n, 4)
	if err != nil {
		return err
	}
	if err := b.files(ctx, dotF64, x, y); err != nil {
		return err
	}
	return inMemory[float64](ctx, b, dotF64, nil, x, y)
}

// files compares an operation on files in the page cache.
func (b *streams) files(ctx context.Context, op operation, in ...array) error {
	f, err := function(op.source)
	if err != nil {
		return err
	}
	if err := b.give(in, false); err != nil {
		return err
	}
	args := godwit.Args{}
	for i, a := range in {
		args[operands[i]] = godwit.File(a.path)
	}
	for _, t := range b.threads() {
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
func (b *streams) give(in []array, copied bool) error {
	if b.peer == nil {
		return nil
	}
	for i, a := range in {
		var err error
		if copied {
			err = b.peer.hold(i, a.region)
		} else {
			err = b.peer.file(i, a.region)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *streams) contest(op operation, where string, threads int, in []array) Contest {
	c := Contest{Name: fmt.Sprintf("%s, %s, %s", op.name, where, count(threads)), Unit: "GB/s", Limit: b.limits[threads]}
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

// memory compares operations on f32 arrays that both sides hold.
func (b *streams) memory(ctx context.Context, x, y array, small int64) error {
	for _, op := range []operation{sumF32, filteredF32} {
		if err := inMemory[float32](ctx, b, op, nil, x); err != nil {
			return err
		}
	}
	x.n, x.bytes = y.n, y.bytes
	axpy := []string{"axpy:fresh", "axpy:stream,fresh"}
	if err := inMemory[float32](ctx, b, axpyF32, axpy, x, y); err != nil {
		return err
	}
	x.n, x.bytes = small, 4*small
	return inMemory[float32](ctx, b, softmaxF32, []string{"softmax:keep,fresh", "softmax:fresh"}, x)
}

// inMemory compares an operation on arrays in memory. The reference tries
// the variants named; where there are some, the operation makes an array,
// for which both sides take fresh memory.
func inMemory[T float32 | float64](ctx context.Context, b *streams, op operation, variants []string, in ...array) error {
	f, err := function(op.source)
	if err != nil {
		return err
	}
	args := godwit.Args{}
	for i, a := range in {
		if args[operands[i]], err = load[T](a); err != nil {
			return err
		}
	}
	if err := b.give(in, true); err != nil {
		return err
	}
	read, bytes := number, int64(0)
	if len(variants) == 0 {
		variants = []string{op.peer}
	} else {
		read, bytes = checksum, in[0].bytes
	}
	if op.peer == "softmax" { // its input is read twice, as the maximum comes first
		bytes += in[0].bytes
	}
	var list []form
	for _, v := range variants {
		list = append(list, form{v, "ram:256"}, form{v, "ram:1024"}, form{v, "ram:4096"})
	}
	for _, t := range b.threads() {
		c := b.contest(op, "memory", t, in)
		c.Bytes += bytes
		c.Ours = Call(f, args, read, godwit.WithRuntime(b.rt), godwit.WithThreads(t))
		if err := b.against(&c, list, t, in[0].n); err != nil {
			return err
		}
		if err := b.session.hold(ctx, c); err != nil {
			return err
		}
	}
	if b.peer == nil {
		return nil
	}
	return b.peer.drop(0, 1)
}

// cold compares reading a file that is not in the page cache.
func (b *streams) cold(ctx context.Context, x array) error {
	x.n = min(x.n, 1<<24) // 64 MiB
	if b.opt.Quick {
		x.n /= 2
	}
	x, err := b.generate("cold", num.F32, x.n, 5)
	if err != nil {
		return err
	}
	if !canForget(x.path) {
		b.note("Nothing was read from the disk: " + filepath.Dir(x.path) + " is in memory, or this system cannot drop a file from memory.")
		return nil
	}
	f, err := function(sumF32.source)
	if err != nil {
		return err
	}
	if err := b.give([]array{x}, false); err != nil {
		return err
	}
	t := b.opt.Threads
	c := b.contest(sumF32, "cold file", t, []array{x})
	c.Before, c.Limit = func() error { return forget(x.path) }, unknown
	c.Ours = Call(f, godwit.Args{"x": godwit.File(x.path)}, number, godwit.WithRuntime(b.rt), godwit.WithThreads(t))
	list := []form{{"sum", "read:1024"}, {"sum", "advise:16384"}, {"sum", "direct:4096"}}
	if err := b.against(&c, list, t, x.n); err != nil {
		return err
	}
	if c.Limit, err = b.disk(t, x); err != nil {
		return err
	}
	return b.session.hold(ctx, c)
}

// disk is the GB/s of reading past the page cache, at best.
func (b *streams) disk(threads int, x array) (Number, error) {
	best := unknown
	if b.peer == nil {
		return best, nil
	}
	for range 5 {
		d, _, err := b.peer.run(form{"touch", "direct:8192"}, threads, x.bytes/8)
		if err != nil {
			b.note("The disk's own speed is not known: " + err.Error() + ".")
			return unknown, nil
		}
		if r := rate(x.bytes, d); !best.Known() || r > best {
			best = r
		}
	}
	return best, nil
}
