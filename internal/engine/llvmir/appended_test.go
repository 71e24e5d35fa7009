package llvmir

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// TestAppendedRoom appends from counts on with which there is room for all elements, for some, or for none: places out of bounds are
// those that the stepper stores to.
func TestAppendedRoom(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, name := range []string{"filter", "filterrows"} {
			code, err := b.compile(parse(t, name))
			if err != nil {
				t.Fatal(err)
			}
			defer code.close()
			const slots = 5000
			for _, count := range []int64{0, 1, slots - 4096, slots - 4000, slots - 2000, slots - 1, slots, slots + 1, -1, -16, math.MinInt64, math.MaxInt64 - 5000, math.MaxInt64 - 4095, math.MaxInt64 - 4094, math.MaxInt64 - 903, math.MaxInt64 - 902, math.MaxInt64 - 1, math.MaxInt64} {
				c := caseOf(code.k, []int64{slots, 2}, 2)
				binary.LittleEndian.PutUint64(c.Regions[0], uint64(count))
				if err := code.agrees(t, c); err != nil {
					t.Errorf("%s from %d on: %v", name, count, err)
				}
			}
		}
	})
}

// TestAppendedTogether asks for the instructions by which lanes are appended.
func TestAppendedTogether(t *testing.T) {
	for _, c := range []struct {
		target   Target
		has, not string
	}{
		{Target{Arch: "amd64", VectorBytes: 64, Fma: true}, "avx512.mask.compress.v16f32", "!unpredictable"},
		{Target{Arch: "amd64", VectorBytes: 32, Fma: true}, "!unpredictable", "avx512"},
		{Target{Arch: "arm64", VectorBytes: 16}, "!unpredictable", "avx512"},
	} {
		text, err := Emit(parse(t, "filter"), c.target)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, c.has) || strings.Contains(text, c.not) {
			t.Errorf("%+v:\n%s", c.target, text)
		}
	}
}

// What only the elements need waits until some lane is appended; what may fault does not.
func TestAppendedEarly(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		before         int // loads of vectors before it is asked whether any lane is appended
	}{
		{"rows", "", "", 2},
		{"rows with a fault at a place that is computed", "v16 = eq i64 v15 v6", "v16 = eq i64 v15 v6\n    v22 = add i64 v7 v6\n    v23 = mul i64 v22 v22\n    v24 = gt i16 v12 v12\n    fault v24 site 0 at v23", 3},
		{"rows with a check", "v16 = eq i64 v15 v6", "v16 = eq i64 v15 v6\n    v22 = convert i16 u8 v11 site 0 at v7", 3},
	} {
		kernelText := strings.Replace(kernel.Text(parse(t, "filterrows")), c.old, c.new, 1)
		if c.new != "" {
			kernelText = strings.Replace(kernelText, "sites 0", "sites 1", 1)
		}
		k, err := kernel.ParseText(kernelText)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 32, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		head, _, found := strings.Cut(text, "llvm.vector.reduce.or")
		if n := strings.Count(head, "load <4 x "); !found || n != c.before {
			t.Errorf("%s: %d loads of vectors before the choice, expected %d", c.name, n, c.before)
		}
	}
}
