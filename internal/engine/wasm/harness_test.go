package wasm

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// bench is a runtime over an arena of its own.
type bench struct {
	arena *mem.Arena
	rt    *Runtime
	// inStep has walks go on in step.
	inStep bool
}

func newBench(tb testing.TB) *bench {
	tb.Helper()
	arena, err := mem.NewArena(4 << 30)
	if err != nil {
		tb.Fatal(err)
	}
	rt, err := NewRuntime(context.Background(), arena)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = rt.Close(context.Background())
		_ = arena.Close()
	})
	return &bench{arena: arena, rt: rt}
}

// loaded is a case with its regions in the arena.
type loaded struct {
	b     *bench
	c     *kerneltest.Case
	spans []mem.Span
	args  *Args
}

func (b *bench) load(c *kerneltest.Case) (*loaded, error) {
	l := &loaded{b: b, c: c, args: &Args{Sizes: c.Sizes, Scalars: c.Scalars, Faults: stepper.NewFaults(c.Kernel.Sites), InStep: b.inStep}}
	for i, n := range c.Lens() {
		span, err := b.arena.Alloc(n * int64(c.Kernel.Regions[i].Elem.Size()))
		if err != nil {
			return nil, err
		}
		copy(b.arena.Bytes(span.Off, span.Len), c.Regions[i])
		l.spans = append(l.spans, span)
		l.args.Bases = append(l.args.Bases, span.Off)
	}
	return l, nil
}

func (l *loaded) region(i int) []byte {
	return l.b.arena.Bytes(l.spans[i].Off, int64(len(l.c.Regions[i])))
}

func (l *loaded) free() {
	for _, s := range l.spans {
		l.b.arena.Free(s)
	}
}

// clearScratch gives scratch regions their zeros.
func (l *loaded) clearScratch() {
	for i, r := range l.c.Kernel.Regions {
		if r.Access == kernel.Scratch {
			clear(l.b.arena.Bytes(l.spans[i].Off, l.spans[i].Len))
		}
	}
}

// canonical gives all NaNs one form.
func canonical(k num.Kind, b []byte) []byte {
	out := bytes.Clone(b)
	column.CanonicalNaN(k, out)
	return out
}

// agree runs a case here, cut at the given outer indices, and by the
// stepper, cut alike, and compares everything they wrote.
func (b *bench) agree(c *kerneltest.Case, cuts ...int64) error {
	ctx := context.Background()
	c = c.Spoil()
	f, err := b.rt.Compile(ctx, c.Kernel)
	if err != nil {
		return err
	}
	defer f.Close(ctx)
	in, err := f.Instance(ctx)
	if err != nil {
		return err
	}
	defer in.Close(ctx)
	l, err := b.load(c)
	if err != nil {
		return err
	}
	defer l.free()
	want := c.Clone()
	ref := &stepper.Args{Sizes: c.Sizes, Scalars: c.Scalars, Regions: want.Regions, Faults: stepper.NewFaults(c.Kernel.Sites)}
	lo := int64(0)
	for _, hi := range append(cuts, c.Outer) {
		if _, err := stepper.Run(c.Kernel, ref, lo, hi); err != nil {
			return fmt.Errorf("stepper: %w", err)
		}
		l.clearScratch()
		if err := in.Run(ctx, l.args, lo, hi); err != nil {
			return err
		}
		lo = hi
	}
	return l.compare(want.Regions, ref.Faults)
}

func (l *loaded) compare(want [][]byte, faults []int64) error {
	for i, r := range l.c.Kernel.Regions {
		got, want := canonical(r.Elem, l.region(i)), canonical(r.Elem, want[i])
		if bytes.Equal(got, want) {
			continue
		}
		n := r.Elem.Size()
		for j := 0; j < len(got); j += n {
			if !bytes.Equal(got[j:j+n], want[j:j+n]) {
				return fmt.Errorf("region %d (%s) element %d is %x, want %x", i, r.Elem, j/n, got[j:j+n], want[j:j+n])
			}
		}
	}
	for i, f := range faults {
		if l.args.Faults[i] != f {
			return fmt.Errorf("fault at site %d is %d, want %d", i, l.args.Faults[i], f)
		}
	}
	return nil
}
