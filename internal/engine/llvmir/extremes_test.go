package llvmir

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// TestExtremesOfStrangeFloats folds zeros of both signs, infinities and NaNs of both signs, with any
// payload, each alone among others and among those that the extreme is to be told from.
func TestExtremesOfStrangeFloats(t *testing.T) {
	negative, zeros := math.Float32bits(-3), []uint32{0x80000000, 0}
	specials := []uint32{0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0xffffffff, 1, 0x80000001, 0x7f7fffff, 0xff7fffff}
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, op := range []string{"max", "min"} {
			text := strings.ReplaceAll(kernel.Text(parse(t, "max")), "max f32", op+" f32")
			k, err := kernel.ParseText(text)
			if err != nil {
				t.Fatal(err)
			}
			n, err := b.compile(k)
			if err != nil {
				t.Fatal(err)
			}
			check := func(fill uint32, special []uint32, length, at int64) {
				sizes, outer := leaves(length)
				c := caseOf(k, sizes, outer)
				for i := range length {
					binary.LittleEndian.PutUint32(c.Regions[0][4*i:], fill)
				}
				for i, x := range special {
					binary.LittleEndian.PutUint32(c.Regions[0][4*(at+int64(i)):], x)
				}
				if err := n.agrees(t, c); err != nil {
					t.Errorf("%s of %d times %x with %x from %d on: %v", op, length, fill, special, at, err)
				}
			}
			for _, length := range []int64{5, 64, 300} {
				for _, fill := range []uint32{negative, negative &^ (1 << 31), zeros[0], zeros[1], 0xff800000, 0x7f800000} {
					check(fill, nil, length, 0)
					check(fill, zeros, length, length-2)
					for _, s := range specials {
						check(fill, []uint32{s}, length, length-1)
						check(fill, []uint32{s}, length, 2)
					}
				}
			}
			n.close()
		}
	})
}

// TestSignalingNaN takes the lesser and the greater of a NaN of any kind and a number that was an integer, in lanes and one by one.
func TestSignalingNaN(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, op := range []string{"min", "max"} {
			for _, args := range []string{"v5 v4", "v4 v5"} {
				for _, kind := range []string{"f32", "f64"} {
					k, err := kernel.ParseText(strings.NewReplacer("OP", op, "ARGS", args, "KIND", kind).Replace(`kernel
size s0 0..1099511627776
size s1 0..1099511627776
region read KIND s0
region write KIND s0
sites 0
outer s1
grain 4096
count s0
body v0 v1 v2
  for v3 in v1..v2 {
    v4 = load r0 v3
    v5 = convert i64 KIND v3
    v6 = OP KIND ARGS
    store r1 v3 v6
    yield
  }
  end
`))
					if err != nil {
						t.Fatal(err)
					}
					n, err := b.compile(k)
					if err != nil {
						t.Fatal(err)
					}
					for _, length := range []int64{1, 7, 31, 300} {
						sizes, outer := leaves(length)
						c := caseOf(k, sizes, outer)
						for i := range length {
							if kind == "f32" {
								binary.LittleEndian.PutUint32(c.Regions[0][4*i:], []uint32{0x7f800001, 0xff812345, 0x7fc00000, 0xffc00000, 0x80000000, 0x40000000}[i%6])
							} else {
								binary.LittleEndian.PutUint64(c.Regions[0][8*i:], []uint64{0x7ff0000000000001, 0xfff0000000012345, 0x7ff8000000000000, 0xfff8000000000000, 1 << 63, 1 << 62}[i%6])
							}
						}
						if err := n.agrees(t, c); err != nil {
							t.Errorf("%s %s of %d %s: %v", op, args, length, kind, err)
						}
					}
					n.close()
				}
			}
		}
	})
}
