package store

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// oddities are what may lie in a file's place.
var oddities = map[string]func(t *testing.T, path string){
	"pipe": func(t *testing.T, path string) { check(t, unix.Mkfifo(path, 0o600)) },
	"socket": func(t *testing.T, path string) {
		short := filepath.Join(os.TempDir(), filepath.Base(t.TempDir())+".sock") // its name has a limit
		l, err := net.Listen("unix", short)
		check(t, err)
		t.Cleanup(func() { l.Close() })
		check(t, os.Rename(short, path))
	},
	"directory": func(t *testing.T, path string) { check(t, os.MkdirAll(filepath.Join(path, "full"), 0o700)) },
	"link":      func(t *testing.T, path string) { check(t, os.Symlink("/dev/zero", path)) },
}

// inTime fails where something waits.
func inTime(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: it waits", what)
	}
}

// Whatever lies in the place of a shard's files, at start and in a scrub: the replica is set
// aside or mended, nothing waits, and the shard can be stored again.
func TestOddShards(t *testing.T) {
	f, b := numbers(t, 1, 0, 0, 500)
	for kind, make := range oddities {
		for _, ext := range []string{".arrow", ".json", ".sums"} {
			for _, when := range []string{"start", "scrub"} {
				t.Run(kind+ext+" at "+when, func(t *testing.T) {
					dir := t.TempDir()
					s := open(t, dir, Options{})
					put(t, s, f, b)
					path := filepath.Join(s.setDir(1), "0"+ext)
					check(t, os.Remove(path))
					make(t, path)
					inTime(t, when, func() {
						if when == "start" {
							check(t, s.Close())
							s = open(t, dir, Options{})
							return
						}
						check(t, s.Scrub(t.Context(), Scrubbing{Report: func(_ File, err error) {
							if (err != nil) != (ext == ".arrow") {
								t.Errorf("found %v", err)
							}
							if err != nil {
								check(t, s.SetAside(1, 0, err))
							}
						}}))
					})
					aside := ext == ".arrow" || ext == ".json" && when == "start"
					if here := len(s.Shards()) == 1; here == aside {
						t.Fatalf("it is here: %v; set aside: %+v", here, s.Damaged())
					}
					put(t, s, f, b)
					if got, err := ways["part"](s, f); err != nil || string(got) != string(b) {
						t.Error(err)
					}
					check(t, s.Close())
					if s = open(t, dir, Options{}); len(s.Shards()) != 1 || len(s.Damaged()) > 0 {
						t.Errorf("after a start are here %v, set aside %v", s.Shards(), s.Damaged())
					}
					check(t, s.Drop(1, 0))
				})
			}
		}
	}
}

// The same of everything else that a store opens: an error or nothing, in time.
func TestOddFiles(t *testing.T) {
	f, b := numbers(t, 1, 0, 0, 500)
	code := []byte("code")
	for kind, make := range oddities {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, Options{})
			check(t, s.KeepCode(code))
			check(t, os.Remove(s.code.path(kernel.Hash(code))))
			make(t, s.code.path(kernel.Hash(code)))
			make(t, s.knownPath())
			make(t, s.uploadPath(f.key()))
			inTime(t, "use", func() {
				if _, ok := s.Code(kernel.Hash(code)); ok {
					t.Error("it is code")
				}
				if _, err := s.Known(); !errors.As(err, new(*regular.Error)) {
					t.Errorf("what is known: %v", err)
				}
				check(t, s.SetKnown([]byte("{}")))
				put(t, s, f, b)
			})
			check(t, s.Close())
			for _, name := range []string{"identity", "lock"} {
				path := filepath.Join(dir, name)
				check(t, os.Rename(path, path+".kept"))
				make(t, path)
				inTime(t, "start", func() {
					if _, err := Open(dir, Options{}); !errors.As(err, new(*regular.Error)) {
						t.Errorf("%s: %v", name, err)
					}
				})
				check(t, os.RemoveAll(path))
				check(t, os.Rename(path+".kept", path))
			}
			make(t, filepath.Join(dir, "uploads", "x"))
			make(t, filepath.Join(dir, "sets", "1", "9.arrow"))
			make(t, filepath.Join(dir, "sets", "1", whole.Temporary+"1"))
			inTime(t, "start", func() { s = open(t, dir, Options{}) })
			if len(s.Shards()) != 1 {
				t.Errorf("here are %v", s.Shards())
			}
			if _, err := os.Lstat(filepath.Join(dir, "uploads", "x")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("what was arriving is there")
			}
		})
	}
}
