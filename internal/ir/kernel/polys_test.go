package kernel_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// TestPolys lists each polynomial once, those of nested blocks too.
func TestPolys(t *testing.T) {
	k, err := kernel.ParseText(`
kernel
size s0 1..9
size s1 1..9
region read i64 s0
sites 0
outer s0
grain 1
count s0
body o lo hi
  a = size s1
  b = positive s0
  c = if b {
    d = size s0*s1
    yield d
  } else {
    yield a
  }
  end`)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, p := range k.Polys() {
		got += p.String() + " "
	}
	if want := "s0 1 s1 s0*s1 "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
