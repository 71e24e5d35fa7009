package regular

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Whatever lies there, no call waits, and all but a regular file is an error with its kind.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(path("file"), []byte("abc"), 0o600))
	must(t, os.Mkdir(path("directory"), 0o700))
	must(t, os.Symlink("file", path("symbolic link")))
	must(t, unix.Mkfifo(path("named pipe"), 0o600))
	l, err := net.Listen("unix", path("socket"))
	must(t, err)
	defer l.Close()
	must(t, os.Symlink("named pipe", path("linked pipe")))

	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range []string{"directory", "symbolic link", "named pipe", "socket"} {
			for how, open := range map[string]func() error{
				"read":  func() error { _, err := Read(path(name), 10); return err },
				"write": func() error { _, err := OpenFile(path(name), os.O_WRONLY|os.O_APPEND, 0); return err },
				"both":  func() error { _, err := OpenFile(path(name), os.O_RDWR|os.O_CREATE, 0o600); return err },
			} {
				var e *Error
				if err := open(); !errors.As(err, &e) || kind(e.Mode) != name {
					t.Errorf("%s, %s: %v", name, how, err)
				}
			}
		}
		if _, err := ReadLinked(path("linked pipe"), 10); !errors.As(err, new(*Error)) {
			t.Errorf("a link to a pipe: %v", err)
		}
		if b, err := ReadLinked(path("symbolic link"), 3); err != nil || string(b) != "abc" {
			t.Errorf("a link to a file: %q, %v", b, err)
		}
		if _, err := Read("/dev/null", 10); !errors.As(err, new(*Error)) {
			t.Errorf("a device: %v", err)
		}
		if b, err := Read(path("file"), 3); err != nil || string(b) != "abc" {
			t.Errorf("a file: %q, %v", b, err)
		}
		if _, err := Read(path("file"), 2); err == nil {
			t.Error("a file that is too long is read")
		}
		if _, err := Read(path("none"), 2); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no file: %v", err)
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("a call waits")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
