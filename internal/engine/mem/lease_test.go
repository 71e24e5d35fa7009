package mem

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func leaseFile(t *testing.T) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 3*Page), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestLeaseHoldsOffTruncation(t *testing.T) {
	f := leaseFile(t)
	told := make(chan struct{})
	l, err := TakeLease(f, func() { close(told) })
	if err != nil {
		t.Skip("SKIPPED: no leases here:", err)
	}
	other, err := TakeLease(leaseFile(t), func() { t.Error("a lease on another file was broken") })
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	// truncate(1) opens files such that it fails instead of waiting.
	cut := exec.Command("sh", "-c", "printf 0123456789 > "+f.Name())
	if err := cut.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Fatal("the lease was not broken")
	}
	if st, err := f.Stat(); err != nil || st.Size() != l.Size() || l.Size() != 3*Page {
		t.Errorf("the file has %d bytes while its lease is held (%v)", st.Size(), err)
	}
	l.Close()
	if err := cut.Wait(); err != nil {
		t.Fatal(err)
	}
	if st, _ := f.Stat(); st.Size() != 10 {
		t.Errorf("the file has %d bytes after the lease", st.Size())
	}
}

func TestNoLeaseOnAFileOpenForWriting(t *testing.T) {
	f := leaseFile(t)
	w, err := os.OpenFile(f.Name(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if l, err := TakeLease(f, func() {}); err == nil {
		l.Close()
		t.Error("a lease was given")
	}
}
