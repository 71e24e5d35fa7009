package engine

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Where address space is limited, the arena is smaller, and everything works that fits.
func TestLimitedAddressSpace(t *testing.T) {
	if os.Getenv("GODWIT_TEST_LIMITED") != "" {
		e, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if n := e.Arena().Size(); n >= DefaultMemory || n < leastMemory {
			t.Errorf("an arena of %d bytes", n)
		}
		return
	}
	cmd := exec.Command("sh", "-c", `ulimit -v 3000000 && exec "$0" -test.run '^TestLimitedAddressSpace$' -test.v`, os.Args[0])
	cmd.Env = []string{"GODWIT_TEST_LIMITED=1"}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}
