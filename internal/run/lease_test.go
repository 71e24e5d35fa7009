package run

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine/mem"
)

// A run asks at its end whether its leases are still its own: a process that was stopped
// hears too late that somebody wrote to a file.
func TestLeasesAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 3*mem.Page), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	told := make(chan struct{})
	l, err := mem.TakeLease(f, func() { close(told) })
	if err != nil {
		t.Skip("SKIPPED: no leases here:", err)
	}
	r := &memory{leases: []*mem.Lease{l}}
	if err := r.unchanged(); err != nil {
		t.Errorf("nobody wrote: %v", err)
	}
	cut := exec.Command("sh", "-c", "printf 0123456789 > "+path)
	if err := cut.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Fatal("the lease was not broken")
	}
	changed := (*data.ChangedError)(nil)
	if err := r.unchanged(); !errors.As(err, &changed) || changed.Path != path {
		t.Errorf("somebody writes: %v", err)
	}
	l.Close()
	if err := cut.Wait(); err != nil {
		t.Fatal(err)
	}
}
