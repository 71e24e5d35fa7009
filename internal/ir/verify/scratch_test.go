package verify_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestCarries: which kernels need their scratch memory cleared for each outer index.
func TestCarries(t *testing.T) {
	const head = `
kernel
size s0 1..100
region read i64 s0
region scratch i64 s0
region write i64 s0
sites 0
outer s0
grain 1
count s0
body o lo hi
  n = size s0
  zero = const i64 0
  one = const i64 1
`
	const fill = "for i in zero..n {\n store r1 i o\n yield\n }\n"
	for _, c := range []struct {
		name, body string
		carries    bool
	}{
		{"a load of what another index may have stored", "x = load r1 o\n store r1 o one\n store r2 o x", true},
		{"a store of the same element before is not looked for", "store r1 o one\n x = load r1 o\n store r2 o x", true},
		{"everything is stored first", fill + "x = load r1 o\n store r2 o x", false},
		{"all but one element", strings.Replace(fill, "zero..n", "one..n", 1) + "x = load r1 o\n store r2 o x", true},
		{"a loop that may stop", strings.Replace(strings.Replace(fill, "zero..n", "zero..n stop", 1), "yield", "b = gt i64 i one\n yield b", 1) + "x = load r1 o\n store r2 o x", true},
		{"everything is stored later", "x = load r1 o\n" + fill + "store r2 o x", true},
		{"everything is stored in one of two branches", "b = gt i64 o one\n if b {\n" + fill + "yield\n } else {\n yield\n }\n x = load r1 o\n store r2 o x", true},
		{"no load", fill, false},
	} {
		k, err := kernel.ParseText(head + c.body + "\nend")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		s, err := verify.Check(k)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if s.Carries != c.carries {
			t.Errorf("%s: carries %v, expected %v", c.name, s.Carries, c.carries)
		}
		// Clearing is work: 100 elements for each outer index.
		if n := s.Outer.Eval([]int64{100}); c.carries && n < 100 {
			t.Errorf("%s: an outer index takes %d steps, clearing included", c.name, n)
		}
	}
}
