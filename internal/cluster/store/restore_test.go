package store

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// A shard whose description is damaged or missing at start comes back with the facts of the
// records, if its file is what they say; otherwise the file stays to be looked at.
func TestRestore(t *testing.T) {
	f, b := numbers(t, 1, 0, 0, 2000)
	other := f
	other.Sum[0] ^= 1
	shifted := f
	shifted.Hi++
	for name, c := range map[string]struct {
		spoil   string
		records File
		back    bool
	}{
		"flipped":       {"description flipped", f, true},
		"missing":       {"description missing", f, true},
		"another file":  {"description missing", other, false},
		"other rows":    {"description missing", shifted, false},
		"another cause": {"flip middle", f, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, Options{Verify: true})
			put(t, s, f, b)
			check(t, s.Close())
			damages[c.spoil](t, s, f.key(), b)
			if c.spoil == "flip middle" {
				check(t, os.Remove(s.sumsPath(f.key())))
			}
			s = open(t, dir, Options{})
			d := s.Damaged()
			if len(d) != 1 || d[0].Undescribed != strings.HasPrefix(c.spoil, "description") || len(s.Shards()) != 0 {
				t.Fatalf("damaged are %+v", d)
			}
			err := s.Restore(c.records)
			if (err == nil) != c.back {
				t.Fatal(err)
			}
			if err := s.Restore(c.records); !errors.Is(err, ErrNotHere) {
				t.Errorf("the second time: %v", err)
			}
			used, _ := s.Usage()
			if !c.back {
				if _, err := os.Stat(d[0].Path); err != nil || used != 0 || len(s.uploads) != 0 {
					t.Errorf("%v; %d bytes are in use", err, used)
				}
				put(t, s, f, b) // a copy from elsewhere
				return
			}
			if used != f.Bytes {
				t.Errorf("%d bytes are in use", used)
			}
			if got, err := ways["part"](s, f); err != nil || string(got) != string(b) {
				t.Error(err)
			}
			check(t, s.Close())
			if s = open(t, dir, Options{}); len(s.Shards()) != 1 || s.Shards()[0] != f {
				t.Errorf("after a start %v is here", s.Shards())
			}
		})
	}
}

// While a shard comes back, nobody stores it, and it may be dropped.
func TestRestoreIsAlone(t *testing.T) {
	f, b := numbers(t, 1, 0, 7, 2007)
	dir := t.TempDir()
	s := open(t, dir, Options{})
	put(t, s, f, b)
	check(t, s.Close())
	check(t, os.Remove(s.sidecar(f.key())))
	s = open(t, dir, Options{})
	u, path, err := s.beginRestore(f)
	check(t, err)
	if err := s.Put(Itself, f, 0, b); !errors.As(err, new(*BusyError)) {
		t.Errorf("it is stored meanwhile: %v", err)
	}
	check(t, s.Drop(1, 0))
	if _, err := s.restore(&u.File, path); err == nil {
		t.Error("what was dropped comes back")
	}
	if used, _ := s.Usage(); used != 0 {
		t.Errorf("%d bytes are in use", used)
	}
}

// Usage is how many bytes shards take, arriving ones included, and how many they
// may; -1 if that cannot be told.
func (s *Store) Usage() (used, limit int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, err := s.limit()
	if err != nil {
		limit = -1
	}
	return s.used, limit
}
