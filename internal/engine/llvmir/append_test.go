package llvmir

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// appendHeader has s0 keys, as many places for them, and counts of 16 digits; v5 is a key, v7 its digit and v8 the digit's count.
const appendHeader = `kernel
size s0 1..1000000
region read i64 s0
region readwrite i64 16
region readwrite i64 2*s0
sites 0
outer 1
grain s0
count s0
body v0 v1 v2
  v3 = const i64 15
  v4 = const i64 1
  v20 = const i64 2
  v21 = size s0
  for v6 in v1..v2 {
    v5 = load r0 v6
    v7 = and i64 v5 v3
    v8 = load r1 v7
`

// appends are bodies of such loops, with how many stores ask for the line behind their own.
var appends = []struct {
	name, body string
	asks       int
}{
	{"the next place of a digit", `v9 = add i64 v8 v4
    store r1 v7 v9
    v10 = bound v8 < s0
    store r2 v10 v5
    yield
  }
end`, 1},
	{"in a half, with one stored twice", `v9 = add i64 v4 v8
    store r1 v7 v9
    v10 = bound v8 < s0
    v11 = add i64 v10 v21
    store r2 v10 v5
    store r2 v11 v6
    yield
  }
end`, 2},
	{"a count alone", `v9 = add i64 v8 v4
    store r1 v7 v9
    yield
  }
end`, 0},
	{"two places farther", `v9 = add i64 v8 v20
    store r1 v7 v9
    v10 = bound v8 < s0
    store r2 v10 v5
    yield
  }
end`, 0},
	{"the count of another digit goes up", `v9 = add i64 v8 v4
    v12 = xor i64 v7 v4
    v13 = and i64 v12 v3
    store r1 v13 v9
    v10 = bound v8 < s0
    store r2 v10 v5
    yield
  }
end`, 0},
	{"a place that is no count", `v9 = add i64 v8 v4
    store r1 v7 v9
    v10 = bound v6 < s0
    store r2 v10 v5
    yield
  }
end`, 0},
}

func appendKernel(t testing.TB, body string) *kernel.Kernel {
	t.Helper()
	k, err := kernel.ParseText(appendHeader + "    " + body + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Check(k); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestAppendAsks: stores to the next place of one of several runs ask for the line behind it, and no other stores do.
func TestAppendAsks(t *testing.T) {
	for _, c := range appends {
		k := appendKernel(t, c.body)
		for _, target := range []Target{{Arch: "amd64", VectorBytes: 16}, {Arch: "amd64", VectorBytes: 64, Fma: true}, {Arch: "arm64"}} {
			if n := len(newEmitter(k, target, usual).appends); n != c.asks {
				t.Errorf("%s: %d stores, expected %d", c.name, n, c.asks)
			}
			text, err := Emit(k, target)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(text, "call void @llvm.prefetch.p0("); (n > 0) != (c.asks > 0) || c.asks > 0 && n%c.asks != 0 {
				t.Errorf("%s, vectors of %d bytes: the text asks %d times, for %d stores", c.name, target.VectorBytes, n, c.asks)
			}
		}
	}
}

// TestAppendAgrees: asking changes no bits, up to the last place, behind which there is nothing to ask for.
func TestAppendAgrees(t *testing.T) {
	b := newBackend(t, 64)
	for _, c := range appends {
		k := appendKernel(t, c.body)
		for _, n := range []int64{1, 7, 8, 9, 500, 4096} {
			keys, places := make([]byte, 8*n), make([]byte, 16*n)
			for i := range n {
				keys[8*i] = byte(i * i * 7)
			}
			one := &kerneltest.Case{Name: c.name, Kernel: k, Sizes: []int64{n}, Regions: [][]byte{keys, make([]byte, 8*16), places}, Outer: 1}
			if err := b.agree(t, one); err != nil {
				t.Errorf("%s, %d keys: %v", c.name, n, err)
			}
		}
	}
}
