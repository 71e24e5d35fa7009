package control

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What an examination says of files that were hurt in all ways.
func TestExamine(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "control")
	s := start(t, Config{Name: "one", Dir: dir, Peer: free(t)})
	c := s.Control()
	m := join(t, c, "a")
	for i := range 300 {
		check(t, m.Hold(within(t), Held{Set: uint32(i), Sum: [32]byte{1}}))
	}
	check(t, c.Close())
	check(t, s.Close())
	steps := 0
	step := func() { steps++ }
	check(t, examine(dir, true, step))
	if steps < 300 {
		t.Errorf("the examination gets on in %d steps", steps)
	}

	edit := func(path func(dir string) string, change func(b []byte) []byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			b, err := os.ReadFile(path(dir))
			check(t, err)
			check(t, os.WriteFile(path(dir), change(b), 0o600))
		}
	}
	log := func(dir string) string { return must[[]string](t)(segments(logDir(dir)))[0] }
	noise := func(from, to int) func([]byte) []byte {
		return func(b []byte) []byte {
			for i := from; i < min(to, len(b)); i++ {
				b[i] ^= byte(i*7 + 13)
			}
			return b
		}
	}
	var lost *LostError
	var damaged *DamageError
	isDamage := func(err error) bool { return errors.As(err, &damaged) }
	instead := func(path func(dir string) string, make func(path string) error) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			p := path(dir)
			check(t, os.RemoveAll(p))
			check(t, make(p))
		}
	}
	pipe := func(path string) error { return unix.Mkfifo(path, 0o600) }
	for _, tt := range []struct {
		name string
		hurt func(t *testing.T, dir string)
		ok   func(err error) bool
	}{
		{"nothing", func(*testing.T, string) {}, func(err error) bool { return err == nil }},
		{"no folder", func(t *testing.T, dir string) { check(t, os.RemoveAll(dir)) }, func(err error) bool { return errors.As(err, &lost) }},
		{"no log", func(t *testing.T, dir string) { check(t, os.RemoveAll(logDir(dir))) }, func(err error) bool { return errors.As(err, &lost) }},
		{"a log of noise", edit(log, noise(0, 1<<20)), func(err error) bool { return errors.As(err, &damaged) }},
		{"one byte of the log", edit(log, noise(5000, 5001)), func(err error) bool { return errors.As(err, &damaged) }},
		{"a log cut short", edit(log, func(b []byte) []byte { return b[:4096] }), func(err error) bool { return errors.As(err, &damaged) }},
		{"a database of noise", edit(database, noise(0, 1<<30)), func(err error) bool { return errors.As(err, &damaged) }},
		{"a database whose pages are noise", edit(database, noise(8192, 1<<30)), func(err error) bool { return errors.As(err, &damaged) }},
		{"a database cut to its first pages", edit(database, func(b []byte) []byte { return b[:8192] }), func(err error) bool { return errors.As(err, &damaged) }},
		{"a database that is a folder", instead(database, func(p string) error { return os.Mkdir(p, 0o700) }), isDamage},
		{"a database that is a pipe", instead(database, pipe), isDamage},
		{"a database that is a link", instead(database, func(p string) error { return os.Symlink("/dev/zero", p) }), isDamage},
		{"a log that is a pipe", instead(log, pipe), isDamage},
		{"a pipe instead of the log", instead(logDir, pipe), isDamage},
		{"a pipe instead of the snapshots", instead(func(dir string) string { return filepath.Dir(database(dir)) }, pipe), isDamage},
		{"a pipe among the snapshots", instead(func(dir string) string { return filepath.Join(filepath.Dir(database(dir)), "1-1.snap") }, pipe), isDamage},
		{"no database, but a log from the beginning", func(t *testing.T, dir string) { check(t, os.Remove(database(dir))) }, func(err error) bool { return err == nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hurt := t.TempDir()
			check(t, os.CopyFS(hurt, os.DirFS(dir)))
			tt.hurt(t, hurt)
			found := make(chan error, 1)
			go func() { found <- examine(hurt, true, func() {}) }()
			select {
			case err := <-found:
				t.Log(err)
				if !tt.ok(err) {
					t.Errorf("found %v", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("the examination hangs")
			}
		})
	}
	if err := examine(t.TempDir(), false, step); err != nil {
		t.Errorf("a new member: %v", err)
	}
}
