package engine

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// counts is r1[o] = 1 + what scratch memory holds, which becomes r1[o].
const counts = `
kernel
size s0 0..100000
region scratch i64 1
region write i64 s0
sites 0
outer s0
grain 1
count s0
body o lo hi
  zero = const i64 0
  one = const i64 1
  x = load r0 zero
  y = add i64 x one
  store r0 zero y
  store r1 o y
  end`

// TestScratchOfEachIndex: however outer indices are cut and whoever runs them, none
// sees what another one left in scratch memory.
func TestScratchOfEachIndex(t *testing.T) {
	k, err := kernel.ParseText(counts)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	for _, tier := range []Tier{Wasm, Stepper} {
		e := newEngine(t, tier)
		c, err := e.Kernel(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		s, b, err := e.Alloc(8 * n)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Arena().Free(s)
		check := func(how string, err error) {
			for i := range n {
				if got := binary.LittleEndian.Uint64(b[8*i:]); err != nil || got != 1 {
					t.Fatalf("%s, %s: outer index %d has counted %d, expected 1 (%v)", tier, how, i, got, err)
				}
			}
			clear(b)
		}
		bases := []int64{0, s.Off}
		_, err = c.Once(t.Context(), []int64{n}, nil, bases, 0, n)
		check("once", err)
		p := NewPool(2)
		defer p.Close()
		_, err = e.Run(t.Context(), p, c, &Args{Sizes: []int64{n}, Bases: slices.Clone(bases), Faults: noFaults(0)}, 0, n)
		check("on two workers", err)
	}
}
