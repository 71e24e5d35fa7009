package kernel_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// appender keeps elements of one region in another, of which only the loop varies.
const appender = `
kernel
size s0 1..1000000
size s1 1..1000000
region read i64 s0
region write i64 s0
region readwrite i64 1
sites 0
outer s1
grain 4096
count s0
state i64 r2
body o lo hi n
  zero = const i64 0
  one = const i64 1
  two = const i64 2
  LOOP
  end last
`

const kept = `
  last = for i in lo..hi, c i64 = n {
    x = load r0 i
    keep = gt i64 x zero
    next = add i64 c one
    to = if keep {
      at = bound c < s0
      store r1 at x
      yield next
    } else {
      yield c
    }
    yield to
  }`

// TestAppends tells kernels that store every element below their count from such as leave some, store elsewhere or count otherwise.
func TestAppends(t *testing.T) {
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(kept) }
	for _, c := range []struct {
		name, loop string
		want       bool
	}{
		{"what is kept", kept, true},
		{"what is left out", replace("yield next\n    } else {\n      yield c", "yield c\n    } else {\n      yield next"), false},
		{"every second place", replace("add i64 c one", "add i64 c two"), false},
		{"one place", replace("bound c < s0", "bound zero < s0"), false},
		{"the place of the row", replace("bound c < s0", "bound i < s0"), false},
		{"from another count on", replace("c i64 = n", "c i64 = one"), false},
		{"the count falls", replace("yield to\n", "less = sub i64 to one\n yield less\n"), false},
		{"counted twice", replace("yield to\n", "more = add i64 to one\n yield more\n"), false},
		{"another is left out", replace("store r1 at x\n", "odd = lt i64 x two\n if odd {\n store r1 at x\n yield\n } else {\n yield\n }\n"), false},
		{"two at a time", replace("store r1 at x\n", "store r1 at x\n store r1 at x\n"), false},
		{"all of them", "last = for i in lo..hi, c i64 = n {\n x = load r0 i\n at = bound c < s0\n store r1 at x\n next = add i64 c one\n yield next\n }", true},
		{"none", "last = for i in lo..hi, c i64 = n {\n x = load r0 i\n next = add i64 c one\n yield next\n }", false},
		{"on both sides", replace("yield c\n", "other = bound c < s0\n store r1 other zero\n yield next\n"), true},
		{"one for each of two", replace("yield to\n", "place = bound to < s0\n store r1 place x\n more = add i64 to one\n yield more\n"), false},
	} {
		k, err := kernel.ParseText(strings.Replace(appender, "LOOP", c.loop, 1))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if state, got := kernel.Appends(k, 1); got != c.want || state != 0 {
			t.Errorf("%s: %v, by state %d", c.name, got, state)
		}
		if _, got := kernel.Appends(k, 0); got {
			t.Errorf("%s: appends to what it reads", c.name)
		}
	}
}
