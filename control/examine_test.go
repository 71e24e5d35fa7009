package control

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
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
	check(t, examine(dir, true))

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
		{"a database that is a folder", func(t *testing.T, dir string) {
			check(t, os.Remove(database(dir)))
			check(t, os.Mkdir(database(dir), 0o700))
		}, func(err error) bool { return errors.As(err, new(*fs.PathError)) }},
		{"no database, but a log from the beginning", func(t *testing.T, dir string) { check(t, os.Remove(database(dir))) }, func(err error) bool { return err == nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hurt := t.TempDir()
			check(t, os.CopyFS(hurt, os.DirFS(dir)))
			tt.hurt(t, hurt)
			err := examine(hurt, true)
			t.Log(err)
			if !tt.ok(err) {
				t.Errorf("found %v", err)
			}
		})
	}
	if err := examine(t.TempDir(), false); err != nil {
		t.Errorf("a new member: %v", err)
	}
}
