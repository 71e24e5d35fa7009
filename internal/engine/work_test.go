package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCaches reads the caches of a processor as the system describes them, and divides memory by them.
func TestCaches(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string][4]string{"index0": {"1", "48K", "0", "Data"}, "index1": {"1", "64K", "0", "Instruction"},
		"index2": {"2", "1024K", "0", "Unified"}, "index3": {"3", "32M", "0-3,8-11", "Unified"}} {
		d := filepath.Join(dir, name)
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		for i, file := range []string{"level", "size", "shared_cpu_list", "type"} {
			if err := os.WriteFile(filepath.Join(d, file), []byte(c[i]+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c := caches(dir); c != (levels{48 << 10, 1 << 20, 4 << 20}) {
		t.Errorf("caches of %+v", c)
	}
	if d := divide(levels{48 << 10, 16 << 20 / 8, 64 << 20}); d != (division{16 << 20, 1 << 20, 24 << 10}) {
		t.Errorf("divided as %+v", d)
	}
	if c := caches(t.TempDir()); c != (levels{}) {
		t.Errorf("caches that are not there have %+v", c)
	}
	if d := divide(levels{}); d.strip < leastStrip || d.block < leastBlock || d.near < leastNear {
		t.Errorf("divided as %+v", d)
	}
	for _, text := range []string{"", "K", "-1K", "many", "99999999999999999999G"} {
		if n := cacheSize(text); n != 0 {
			t.Errorf("%q is %d bytes", text, n)
		}
	}
}

// TestWork: runs at the same time have memory of their own, and memory that was given back is used again.
func TestWork(t *testing.T) {
	a, err := borrowWork(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := borrowWork(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.address() == b.address() || a.address()%64 != 0 || int64(len(a.bytes)) < a.strip+a.block {
		t.Errorf("%#x and %#x, %d bytes for %d + %d", a.address(), b.address(), len(a.bytes), a.strip, a.block)
	}
	a.giveBack()
	if c, err := borrowWork(0, nil); err != nil || c != a {
		t.Errorf("memory that was free is not used again; %v", err)
	} else {
		c.giveBack()
	}
	b.giveBack()
}

// TestHeld: a run finds what it has left in a piece, and nobody else does.
func TestHeld(t *testing.T) {
	code := &nativeCode{}
	var pieces []*work
	for n := range uint64(3) {
		w, err := borrowWork(n, code)
		if err != nil {
			t.Fatal(err)
		}
		w.held = left{n, code, 7}
		pieces = append(pieces, w)
	}
	for _, w := range pieces {
		w.giveBack()
	}
	for n := range uint64(3) {
		w, err := borrowWork(n, code)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(7)
		if n == 0 { // no run at all
			want = 0
		}
		if got := w.holds(n, code); got != want {
			t.Errorf("run %d finds %d, expected %d", n, got, want)
		}
		if w.holds(n+1, code) != 0 || w.holds(n, &nativeCode{}) != 0 {
			t.Errorf("others find what run %d has left", n)
		}
		w.giveBack()
	}
}
