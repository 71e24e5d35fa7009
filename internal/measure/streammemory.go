package measure

import (
	"context"
	"slices"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/front/compile"
)

// memories compares operations on f32 arrays that both sides hold.
func (b *streams) memories(ctx context.Context, x, y array, small int64) error {
	if err := goSlices[float32](ctx, b, sumF32, x); err != nil {
		return err
	}
	if err := b.memory(ctx, sumF32, false, []string{"sum"}, x); err != nil {
		return err
	}
	if err := b.memory(ctx, filteredF32, false, []string{"filtered"}, x); err != nil {
		return err
	}
	x.n, x.bytes = y.n, y.bytes
	if err := b.memory(ctx, axpyF32, false, []string{"axpy:fresh", "axpy:stream,fresh"}, x, y); err != nil {
		return err
	}
	if err := b.memory(ctx, axpyF32, true, []string{"axpy", "axpy:stream"}, x, y); err != nil {
		return err
	}
	x.n, x.bytes = small, 4*small
	if err := b.memory(ctx, softmaxF32, false, []string{"softmax:keep,fresh", "softmax:fresh"}, x); err != nil {
		return err
	}
	return b.memory(ctx, softmaxF32, true, []string{"softmax:keep", "softmax"}, x)
}

// memory compares an operation on arrays in memory. The reference tries all
// its variants; where the operation makes an array, both sides take fresh
// memory for it, or both that of the run before.
func (b *streams) memory(ctx context.Context, op operation, again bool, variants []string, in ...array) error {
	where := "memory"
	if again {
		where = "memory again"
	}
	threads := b.wanted(op, where)
	if len(threads) == 0 {
		return nil
	}
	args := compile.Args{}
	defer b.held.drop()
	for i, a := range in {
		src, err := b.held.load(a)
		if err != nil {
			return err
		}
		args[operands[i]] = compile.Table{Source: src}
	}
	if err := b.give(in, inHugePages); err != nil {
		return err
	}
	for _, t := range threads {
		c := b.contest(op, where, t, in)
		c.Bytes += op.written(in[0].bytes)
		var err error
		if c.Ours, err = b.held.runner(op.source, args, t, again); err != nil {
			return err
		}
		if err := b.against(&c, inRAM(variants), t, in[0].n); err != nil {
			return err
		}
		if err := b.session.hold(ctx, c); err != nil {
			return err
		}
	}
	return b.take(in)
}

// goSlices compares an operation on slices of Go.
func goSlices[T float32 | float64](ctx context.Context, b *streams, op operation, in ...array) error {
	t := b.opt.Threads
	if !slices.Contains(b.wanted(op, "Go slices"), t) {
		return nil
	}
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
	if err := b.give(in, inPlainPages); err != nil {
		return err
	}
	c := b.contest(op, "Go slices", t, in)
	c.Ours = Call(f, args, number, godwit.WithRuntime(b.rt), godwit.WithThreads(t))
	if err := b.against(&c, inRAM([]string{op.peer}), t, in[0].n); err != nil {
		return err
	}
	if err := b.session.hold(ctx, c); err != nil {
		return err
	}
	return b.take(in)
}

// written is what an operation moves besides reading each operand of so many
// bytes once: the result, and for softmax the operand again, as the maximum
// has to be known first.
func (op operation) written(bytes int64) int64 {
	switch op.peer {
	case "axpy":
		return bytes
	case "softmax":
		return 2 * bytes
	}
	return 0
}

// inRAM are the ways to cut work on memory into blocks.
func inRAM(variants []string) (list []form) {
	for _, v := range variants {
		list = append(list, form{v, "ram:256"}, form{v, "ram:1024"}, form{v, "ram:4096"})
	}
	return list
}

// take has the reference drop what it was given.
func (b *streams) take(in []array) error {
	for i := range in {
		if b.peer == nil {
			break
		}
		if err := b.peer.drop(i); err != nil {
			return err
		}
	}
	return nil
}
