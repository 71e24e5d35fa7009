package llvmir

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// TestHeld: a later slice of a run computes with the columns that an earlier one has left, whatever has become of the region
// meanwhile; not if it is told that there is nothing, if not all strips fit, or if each outer index has columns of
// its own.
func TestHeld(t *testing.T) {
	b := newBackend(t, 32)
	text, err := os.ReadFile("testdata/kernels/matmul.txt")
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Replace(string(text), "v16 = load r2 v15", "v99 = add i64 v15 v98\n        v16 = load r2 v99", 1)
	own = strings.Replace(own, "v5 = size s2", "v5 = size s2\n  v98 = mul i64 v0 v3", 1)
	for _, c := range []struct {
		name    string
		text    string
		columns int64
		told    bool
		want    bool
	}{
		{"one strip", string(text), 40, true, true},
		{"not told", string(text), 40, false, false},
		{"three strips, which fit", string(text), 600, true, true},
		{"more strips than fit", string(text), 2000, true, false},
		{"columns of an outer index", own, 40, true, false},
	} {
		k, err := kernel.ParseText(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		n, err := b.compile(k)
		if err != nil {
			t.Fatal(err)
		}
		args := caseOf(k, []int64{32, 2, 2000, c.columns}, 2)
		l := n.load(t, args)
		l.run(0, 1)
		if held := binary.NativeEndian.Uint64(l.block[n.lay.Held:]) != 0; held != (c.want || !c.told) {
			t.Errorf("%s: something is held: %v", c.name, held)
		}
		if !c.told {
			l.put(n.lay.Held, 0)
		}
		clear(l.regions[2])
		l.run(1, 2)
		rows := l.regions[1][len(l.regions[1])/2:]
		if kept := !bytes.Equal(rows, make([]byte, len(rows))); kept != c.want {
			t.Errorf("%s: computed with what was left: %v, expected %v", c.name, kept, c.want)
		}
		n.close()
	}
}
