package kerneltest

import (
	"strings"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

const carrying = `kernel
size s0 0..1000000
size s1 0..1000000
region readwrite KIND 1
region readwrite i64 1
region write KIND 3*s0
region write i64 s0
region read KIND s0
region read i64 s0
sites 2
outer s1
grain 3
count s0
state KIND r0
state i64 r1
body o lo hi s c
  zero = const i64 0
  one = const i64 1
  three = const i64 3
`

// Carrying are small kernels whose states add up: a scan beside a compaction of rows, a scan that faults, and a scan under conditions.
func Carrying() (list []*kernel.Kernel) {
	for _, text := range []string{
		// The greatest so far, and rows of three elements of what is chosen.
		`a d = for i in lo..hi, b f32 = s, e i64 = c {
			x = load r4 i
			w = load r5 i
			m = max f32 b x
			p = gt i64 w one
			n = if p {
				q = bound e < s0
				at = mul i64 q three
				for j in zero..three {
					k = add i64 at j
					store r2 k m
					yield
				}
				store r3 q w
				g = add i64 e one
				yield g
			} else {
				yield e
			}
			yield m n
		}
		end a d`,
		`a d = for i in lo..hi, b i16 = s, e i64 = c {
			x = load r4 i
			w = load r5 i
			m = add i16 b x site 0 at i
			n = mul i64 e w site 1 at i
			store r3 i n
			yield m n
		}
		end a d`,
		`a d = for i in lo..hi, b u8 = s, e i64 = c {
			x = load r4 i
			w = load r5 i
			p = lt i64 w i
			m = if p {
				n = for j in lo..i, f u8 = b {
					y = load r4 j
					g = xor u8 f y
					yield g
				}
				yield n
			} else {
				yield b
			}
			t = and i64 e w
			store r3 i t
			yield m t
		}
		end a d`,
	} {
		kind := map[int]string{0: "f32", 1: "i16", 2: "u8"}[len(list)]
		k, err := kernel.ParseText(strings.ReplaceAll(carrying, "KIND", kind) + text)
		if err != nil {
			panic(err)
		}
		list = append(list, k)
	}
	return list
}
