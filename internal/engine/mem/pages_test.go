package mem

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The least that a group or one around it has left counts; file pages that could be dropped
// are not used.
func TestAvailable(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "outer", "inner")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(root, "cgroup", "1:name=old:/elsewhere\n0::/outer/inner\n")
	left := func() int64 { return ofGroup(filepath.Join(root, "cgroup"), root) }
	if n := left(); n != math.MaxInt64 {
		t.Errorf("without limits: %d", n)
	}
	put(inner, "memory.max", "max\n")
	put(inner, "memory.current", "7\n")
	put(filepath.Dir(inner), "memory.max", "1000\n")
	put(filepath.Dir(inner), "memory.current", "900\n")
	put(filepath.Dir(inner), "memory.stat", "anon 5\ninactive_file 300\n")
	if n := left(); n != 400 {
		t.Errorf("with a limit around: %d, expected 400", n)
	}
	put(inner, "memory.max", "10\n")
	if n := left(); n != 3 {
		t.Errorf("with a limit of its own: %d, expected 3", n)
	}
	old := filepath.Join(root, "memory", "old")
	if err := os.MkdirAll(old, 0o755); err != nil {
		t.Fatal(err)
	}
	put(root, "cgroup", "4:cpu,memory:/old\n0::/outer\n")
	put(old, "memory.limit_in_bytes", "50\n")
	put(old, "memory.usage_in_bytes", "49\n")
	put(old, "memory.stat", "inactive_file 3\ntotal_inactive_file 20\n")
	if n := left(); n != 21 {
		t.Errorf("by the first version: %d, expected 21", n)
	}
	put(root, "meminfo", "MemTotal: 9 kB\nMemAvailable:   4 kB\n")
	if n := ofMachine(filepath.Join(root, "meminfo")); n != 4096 {
		t.Errorf("the machine has %d, expected 4096", n)
	}
	if n := Available(); n <= 0 {
		t.Errorf("this machine has %d", n)
	}
}
