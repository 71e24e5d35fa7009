package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// divided is r1[o] = 100 / r0[o] by way of a scratch region, which is added to
// and so shows whether it was zero.
func divided() *kernel.Kernel {
	n := size.Var("s0")
	b, o, _, _ := kernel.NewBuilder(&kernel.Kernel{
		Sizes: []kernel.Size{{Lo: 0, Hi: 1 << 30}},
		Regions: []kernel.Region{
			{Elem: num.I64, Len: n}, {Elem: num.I64, Len: n, Access: kernel.Scratch}, {Elem: num.I64, Len: n, Access: kernel.Write},
		},
		Sites: 2, Outer: n, Grain: size.Const(1), Count: n,
	})
	b.Site, b.At = 1, o
	q := b.Checked(num.Div, b.Int(100), b.Load(0, o))
	b.Store(1, o, b.Wrap(num.Add, q, b.Load(1, o)))
	b.Store(2, o, b.Load(1, o))
	return b.Finish()
}

func TestOnce(t *testing.T) {
	ctx := context.Background()
	for _, tier := range []Tier{Wasm, Stepper} {
		e := newEngine(t, tier)
		c, err := e.Kernel(ctx, divided())
		if err != nil {
			t.Fatal(err)
		}
		s, b, err := e.Alloc(64)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Arena().Free(s)
		bases := []int64{s.Off, 0, s.Off + 32}
		for turn, in := range [][4]int64{{1, 2, 3, 4}, {5, 0, 7, 0}, {9, 10, 11, 12}} {
			for i, v := range in {
				binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
			}
			faults, err := c.Once(ctx, []int64{4}, nil, bases, 0, 4)
			if err != nil {
				t.Fatal(err)
			}
			if turn == 1 != (faults != nil) || faults != nil && faults[1] != 1 {
				t.Errorf("%s: %v has the faults %v", tier, in, faults)
			}
			for i, v := range in {
				if got := int64(binary.LittleEndian.Uint64(b[32+8*i:])); v != 0 && got != 100/v {
					t.Errorf("%s: 100 / %d = %d", tier, v, got)
				}
			}
		}
		if now := c.code.Load(); len(now.idle) > 0 || now.last.Load() == nil {
			t.Errorf("%s: %d more instances than one for runs one after the other", tier, len(now.idle))
		}
	}
}

func TestOnceStopsWithItsContext(t *testing.T) {
	e := newEngine(t, Wasm)
	c, err := e.Kernel(context.Background(), squares())
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := e.Alloc(1 << 29)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Arena().Free(s)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Once(ctx, []int64{1 << 26}, nil, []int64{s.Off}, 0, 1<<26); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// BenchmarkOnce is the whole overhead: the kernel does nothing.
func BenchmarkOnce(b *testing.B) {
	e := newEngine(b, Wasm)
	ctx := context.Background()
	c, err := e.Kernel(ctx, squares())
	if err != nil {
		b.Fatal(err)
	}
	s, _, err := e.Alloc(8)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Arena().Free(s)
	sizes, bases := []int64{1}, []int64{s.Off}
	b.Run("thread", func(b *testing.B) {
		th, err := c.code.Load().code.Thread(ctx)
		if err != nil {
			b.Fatal(err)
		}
		defer th.Close()
		for b.Loop() {
			if err := th.Run(ctx, &Args{Sizes: sizes, Bases: bases}, 0, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("once", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Once(ctx, sizes, nil, bases, 0, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("job", func(b *testing.B) {
		p := NewPool(1)
		defer p.Close()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := e.Run(ctx, p, c, &Args{Sizes: sizes, Bases: bases}, 0, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}
