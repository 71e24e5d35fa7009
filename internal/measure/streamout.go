package measure

import (
	"context"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: two files in the page cache. Out: how long the shell's user waits for a third that is made of them. Both sides write
// a new file beside the one that is there, wait for the disk and rename it.

// saved compares an operation whose result goes to a file.
func (b *streams) saved(ctx context.Context, y array) error {
	op := axpyF32
	threads := b.wanted(op, "to a file")
	if len(threads) == 0 {
		return nil
	}
	x, err := b.generate(ctx, "x of y's length", num.F32, y.n, 6)
	if err != nil {
		return err
	}
	f, err := function(op.source)
	if err != nil {
		return err
	}
	if err := b.give([]array{x, y}, inFile); err != nil {
		return err
	}
	theirs, ours := b.path("theirs"), b.path("ours.npy")
	if b.peer != nil {
		if err := b.peer.save(theirs); err != nil {
			return err
		}
	}
	whole := func(*godwit.Result) ([]float64, error) {
		r, err := column(ours, "")
		if err != nil {
			return nil, err
		}
		v, err := load[float32](array{r, num.F32, y.n})
		return []float64{weighted(v)}, err
	}
	args := godwit.Args{"x": godwit.File(x.path), "y": godwit.File(y.path)}
	for _, t := range threads {
		c := b.contest(op, "to a file", t, []array{x, y})
		c.Bytes += op.written(x.bytes)
		c.Ours = Call(f, args, whole, godwit.WithRuntime(b.rt), godwit.WithThreads(t), godwit.WithFile(ours))
		if err := b.against(&c, forms(op.peer+":save"), t, x.n); err != nil {
			return err
		}
		if err := b.session.hold(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
