package regular

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A file, a link to one and a pipe that is written to are read whole; a pipe to which nobody writes, or
// no more, is an error when patience ends.
func TestReadGiven(t *testing.T) {
	old := patience
	patience = 300 * time.Millisecond
	defer func() { patience = old }()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	text := strings.Repeat("abc", 50_000) // more than a pipe holds
	must(t, os.WriteFile(path("file"), []byte(text), 0o640))
	must(t, os.Symlink("file", path("link")))
	for _, name := range []string{"file", "link"} {
		if b, mode, err := ReadGiven(path(name), 1<<20); err != nil || string(b) != text || mode != 0o640 {
			t.Errorf("%s: %d bytes, %v, %v", name, len(b), mode, err)
		}
	}
	for _, name := range []string{"written", "slow", "full"} {
		must(t, unix.Mkfifo(path(name), 0o600))
		go func() {
			if f, err := os.OpenFile(path(name), os.O_WRONLY, 0); err == nil {
				_, _ = f.WriteString(text[:10])
				if name == "slow" {
					time.Sleep(10 * patience)
				}
				_, _ = f.WriteString(text[10:])
				_ = f.Close()
			}
		}()
	}
	must(t, unix.Mkfifo(path("silent"), 0o600))
	if b, _, err := ReadGiven(path("written"), 1<<20); err != nil || string(b) != text {
		t.Errorf("a pipe: %d bytes, %v", len(b), err)
	}
	if _, _, err := ReadGiven(path("full"), 1000); err == nil || !strings.Contains(err.Error(), "1000") {
		t.Errorf("a pipe with too much: %v", err)
	}
	for _, name := range []string{"slow", "silent"} {
		began := time.Now()
		_, _, err := ReadGiven(path(name), 1<<20)
		if silent := (*SilentError)(nil); !errors.As(err, &silent) || time.Since(began) > 9*patience {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
	}
}
