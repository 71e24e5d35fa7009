//go:build !static

package object

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

// protection is what the system says of the mapping at an address: "r-xp".
func protection(t *testing.T, a uintptr) string {
	t.Helper()
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		var how string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &how); n == 3 && from <= a && a < to {
			return how
		}
	}
	t.Fatalf("nothing is mapped at %#x", a)
	return ""
}
