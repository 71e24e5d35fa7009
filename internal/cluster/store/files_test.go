package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filesOf is how many descriptors this process has of files in a directory.
func filesOf(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	check(t, err)
	for _, e := range list {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, dir) && strings.HasSuffix(to, ".arrow") {
			n++
		}
	}
	return n
}

// However many shards are stored or found at start, few of them have their files open, and all
// can be read, at once if need be.
func TestFewFilesOpen(t *testing.T) {
	const shards, files = 30, 4
	dir := t.TempDir()
	s := open(t, dir, Options{Files: files})
	list := make([]File, shards)
	for i := range list {
		f, b := numbers(t, 1, uint32(i), int64(i), int64(i)+10)
		put(t, s, f, b)
		list[i] = f
	}
	few := func(when string) {
		t.Helper()
		if n := filesOf(t, dir); n > files {
			t.Errorf("%s: %d files are open, expected at most %d", when, n, files)
		}
	}
	few("stored")
	check(t, s.Close())
	s = open(t, dir, Options{Files: files})
	few("at start")
	var all []*Shard
	for i := range list {
		h, err := s.Shard(1, uint32(i))
		check(t, err)
		all = append(all, h)
	}
	for i, h := range all {
		if n, err := first(h.Source); n != int64(i) || err != nil {
			t.Errorf("shard %d begins with %d, %v", i, n, err)
		}
	}
	if n := filesOf(t, dir); n != shards {
		t.Errorf("%d shards are read, %d files are open", shards, n)
	}
	check(t, s.Drop(1, 0)) // readable until it is released
	if n, err := first(all[0].Source); n != 0 || err != nil {
		t.Errorf("the dropped shard begins with %d, %v", n, err)
	}
	for _, h := range all {
		check(t, h.Release())
	}
	few("released")
	check(t, s.Scrub(t.Context(), Scrubbing{Report: func(f File, err error) {
		if err != nil {
			t.Errorf("the scrub found %v", err)
		}
	}}))
	few("scrubbed")
	check(t, s.Close())
	if n := filesOf(t, dir); n != 0 {
		t.Errorf("%d files are open after the end", n)
	}
}

// What happened to a file while it was closed is found when it is opened or read again.
func TestDamagedWhileClosed(t *testing.T) {
	f, b := numbers(t, 1, 0, 5, 2000)
	_, other := numbers(t, 1, 0, 7, 2002)
	for name, damage := range map[string]func(path string) error{
		"missing": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+"2", other, 0o600), os.Rename(path+"2", path))
		},
		"the same number": func(path string) error { // perhaps
			return errors.Join(os.Remove(path), os.WriteFile(path, other, 0o600))
		},
		"written":   func(path string) error { return os.WriteFile(path, other, 0o600) },
		"cut":       func(path string) error { return os.Truncate(path, 100) },
		"directory": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir(), Options{Files: 1})
			put(t, s, f, b)
			n, nb := numbers(t, 2, 0, 0, 5)
			put(t, s, n, nb) // closes the other
			if k := filesOf(t, s.dir); k != 1 {
				t.Fatalf("%d files are open", k)
			}
			check(t, damage(s.path(f.key())))
			_, err := ways["fill"](s, f)
			bad := refused[*DamageError](t, err)
			check(t, s.SetAside(1, 0, bad))
			if len(s.Damaged()) != 1 {
				t.Errorf("set aside: %+v", s.Damaged())
			}
		})
	}
}

// Shards in memory cannot be closed: one too many is refused.
func TestFilesInMemory(t *testing.T) {
	s := open(t, t.TempDir(), Options{Files: 1, Memory: true})
	for i := range uint32(2) {
		f, b := numbers(t, 1, i, 0, 5)
		put(t, s, f, b)
	}
	f, b := numbers(t, 1, 2, 0, 5)
	if err := s.Put("owner", f, 0, b); err == nil || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("found %v", err)
	}
	check(t, s.Drop(1, 0))
	put(t, s, f, b)
}

// A file that is whole, with a description and sums that fit it, may be another shard's.
func TestExpect(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	f, b := numbers(t, 1, 0, 0, 50)
	other, ob := numbers(t, 6, 0, 100, 150)
	put(t, s, f, b)
	put(t, s, other, ob)
	check(t, s.Close())
	for _, ext := range []string{"arrow", "json", "sums"} {
		from, err := os.ReadFile(filepath.Join(dir, "sets/6/0."+ext))
		check(t, err)
		check(t, os.WriteFile(filepath.Join(dir, "sets/1/0."+ext), from, 0o600))
	}
	s = open(t, dir, Options{})
	check(t, s.Expect(6, 0, other.Sum))
	check(t, s.Expect(3, 0, f.Sum)) // not here
	err := refused[*DamageError](t, s.Expect(1, 0, f.Sum))
	check(t, s.SetAside(1, 0, err))
	if d := s.Damaged(); len(d) != 1 || !strings.Contains(d[0].Reason, "another file") {
		t.Errorf("set aside: %+v", d)
	}
}
