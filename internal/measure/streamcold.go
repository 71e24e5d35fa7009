package measure

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// cold compares reading a file that is not in the page cache.
func (b *streams) cold(ctx context.Context, x array) error {
	t := b.opt.Threads
	if !slices.Contains(b.wanted(sumF32, "cold file"), t) {
		return nil
	}
	x.n = min(x.n, 1<<24) // 64 MiB
	if b.opt.Quick {
		x.n /= 2
	}
	x, err := b.generate(ctx, "cold", num.F32, x.n, 5)
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
	if err := b.give([]array{x}, inFile); err != nil {
		return err
	}
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
