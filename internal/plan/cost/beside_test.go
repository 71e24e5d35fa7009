package cost_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/cost"
)

// taken is a kernel that loads where it has come to, of which only what comes next varies.
const taken = `
kernel
size s0 1..1000000
region read i64 s0
sites 0
outer 1
grain 1
count 1
body o lo hi
  n = size s0
  zero = const i64 0
  one = const i64 1
  two = const i64 2
  a = for i in zero..n, c i64 = zero {
    at = bound c < s0
    x = load r0 at
    some = lt i64 x two
    step = convert bool i64 some
    NEXT
    yield next
  }
end`

// TestBeside: what goes on by one at most, as data says, passes a region by in order; what jumps as data says does not.
func TestBeside(t *testing.T) {
	for next, want := range map[string]cost.Pattern{
		"next = add i64 c step":                       cost.InOrder,
		"up = add i64 c one\n next = sub i64 up step": cost.InOrder,
		"less = sub i64 at one\n low = max i64 less zero\n next = select i64 some low at": cost.InOrder,
		"next = add i64 c x":                              cost.Chased,
		"twice = add i64 c c\n next = add i64 twice step": cost.Chased,
		"next = select i64 some x c":                      cost.Chased,
		"next = add i64 x step":                           cost.Chased,
	} {
		k, err := kernel.ParseText(strings.Replace(taken, "NEXT", next, 1))
		if err != nil {
			t.Fatal(err)
		}
		safe, err := verify.Check(k)
		if err != nil {
			t.Fatal(err)
		}
		m := cost.Of(safe, []int64{1000}, cost.Given{}, llvmir.Target{Arch: "amd64", VectorBytes: 16}.Engine())
		if len(m.Touches) != 1 || m.Touches[0].Pattern != want {
			t.Errorf("%s: %+v", next, m.Touches)
		}
	}
}
