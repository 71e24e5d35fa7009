package llvmir

import (
	"fmt"
	"strings"
	"testing"
)

// TestPastTheCaches compares runs whose stores go past the caches with others,
// of slots that end in the middle of a group, cut where a slice may end.
func TestPastTheCaches(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		b.past = 4 << 10
		for _, slots := range []int64{100, 1 << 10, 1<<10 + 1, 5000, 1<<14 - 3, 1 << 14} {
			outer := (slots + 4095) / 4096
			for _, name := range []string{"axpy", "storedsum"} {
				if err := b.agree(t, caseOf(parse(t, name), []int64{slots, outer}, outer), outer/2); err != nil {
					t.Errorf("%s of %d slots: %v", name, slots, err)
				}
			}
		}
	})
}

func TestWhichStoresGoPastTheCaches(t *testing.T) {
	for _, c := range []struct {
		kernel string
		arch   string
		past   bool
	}{
		{"axpy", "amd64", true},
		{"axpy", "arm64", false},
		{"storedsum", "amd64", true},
		{"storedsum", "arm64", false},
		{"sum", "amd64", false},       // stores one number a leaf
		{"histogram", "amd64", false}, // reads what it writes
	} {
		text, err := Emit(parse(t, c.kernel), Target{Arch: c.arch, VectorBytes: 32})
		if err != nil {
			t.Fatal(err)
		}
		for _, sign := range []string{"!nontemporal", "@llvm.x86.sse.sfence()", fmt.Sprint(pastCaches / 4)} {
			if strings.Contains(text, sign) != c.past {
				t.Errorf("%s for %s has %q: %v, expected %v", c.kernel, c.arch, sign, !c.past, c.past)
			}
		}
	}
}
