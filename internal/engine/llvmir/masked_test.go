package llvmir

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// TestMasked: the last slots of a leaf are loaded under a mask where the processor has it and a load is of consecutive numbers,
// of whatever length the leaf is; nothing behind the last is read, where the test's memory ends.
func TestMasked(t *testing.T) {
	for _, c := range []struct {
		kernel string
		width  int
		want   bool
	}{{"dot", 64, true}, {"dot", 32, true}, {"dot", 16, false}, {"max", 64, false}, {"pick", 64, false}} {
		text, err := Emit(parse(t, c.kernel), Target{Arch: "amd64", VectorBytes: c.width})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text, "@llvm.masked.load"); got != c.want {
			t.Errorf("%s with vectors of %d bytes: masked is %v", c.kernel, c.width, got)
		}
	}
	fused := strings.ReplaceAll(kernel.Text(parse(t, "dot")), "add f32 {", "muladd f32 {")
	k, err := kernel.ParseText(fused)
	if err != nil {
		t.Fatal(err)
	}
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, k := range []*kernel.Kernel{parse(t, "dot"), parse(t, "filteredmean"), k} {
			n, err := b.compile(k)
			if err != nil {
				t.Fatal(err)
			}
			for length := int64(1); length < 70; length++ {
				sizes, outer := leaves(length)
				if err := n.agrees(t, caseOf(k, sizes, outer)); err != nil {
					t.Errorf("%d slots: %v", length, err)
				}
			}
			n.close()
		}
	})
}
