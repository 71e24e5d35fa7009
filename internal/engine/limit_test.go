package engine

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// raced says that the race detector is built in, which needs terabytes of address space for itself.
var raced bool

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
		heap := make([]byte, 100<<20) // which the arena has left room for
		heap[len(heap)-1] = 1
		runtime.KeepAlive(heap)
		return
	}
	if raced {
		t.Skip("SKIPPED: the race detector needs more address space than there would be")
	}
	for kilobytes := 2_000_000; kilobytes <= 5_000_000; kilobytes += 250_000 {
		cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -v %d && exec "$0" -test.run '^TestLimitedAddressSpace$' -test.v`, kilobytes), os.Args[0])
		cmd.Env = []string{"GODWIT_TEST_LIMITED=1"}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%d kB: %v\n%s", kilobytes, err, out)
		}
	}
}
