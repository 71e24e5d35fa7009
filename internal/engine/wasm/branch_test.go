package wasm

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

// parted is a kernel that branches on a comparison of a constant with some bits of an element.
const parted = `
kernel
size s0 1..1000
region read %[2]s s0
region write %[2]s s0
sites 0
outer s0
grain 1
count s0
body o lo hi
  x = load r0 o
  zero = const %[2]s 0
  one = const %[2]s 1
  bits = const %[2]s 7
  store r1 o zero
  some = and %[2]s x bits
  c = %[1]s %[2]s %[3]s
  if c {
    store r1 o one
    yield
  } else {
    yield
  }
  end`

// TestConstantsInBranches: a branch goes by a comparison with 0, and with other constants, whichever side they are on.
func TestConstantsInBranches(t *testing.T) {
	b := newBench(t)
	for _, kind := range []string{"i32", "u32", "i64", "u64"} {
		for _, op := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
			for _, args := range []string{"zero some", "some zero", "one some", "some one"} {
				text := fmt.Sprintf(parted, op, kind, args)
				k, err := kernel.ParseText(text)
				if err != nil {
					t.Fatal(err)
				}
				size := k.Regions[0].Elem.Size()
				in := make([]byte, 16*size)
				for i := range 16 {
					if size == 8 {
						binary.LittleEndian.PutUint64(in[8*i:], uint64(i))
					} else {
						binary.LittleEndian.PutUint32(in[4*i:], uint32(i))
					}
				}
				c := &kerneltest.Case{Name: op, Kernel: k, Sizes: []int64{16}, Regions: [][]byte{in, make([]byte, len(in))}, Outer: 16}
				if err := b.agree(c); err != nil {
					t.Errorf("%s %s of %s: %v", op, args, kind, err)
				}
			}
		}
	}
}
