package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log is cut while somebody has it open; so many earlier parts stay, and no more.
func TestRotate(t *testing.T) {
	t.Parallel()
	const size = 100
	path := filepath.Join(t.TempDir(), "log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(b)
	}
	step := func(text string) {
		t.Helper()
		if _, err := log.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := rotate(path, size); err != nil {
			t.Fatal(err)
		}
	}
	step("short\n")
	if read(path) != "short\n" || read(path+".1") != "" {
		t.Error("a short log was cut")
	}
	for _, mark := range []string{"a", "b", "c", "d"} {
		step(strings.Repeat(mark, 2*size+50))
	}
	if read(path) != "" {
		t.Errorf("there is %q in the log", read(path))
	}
	for i, mark := range []string{"d", "c", "b"} {
		if got := read(earlier(path, i+1)); got != strings.Repeat(mark, 2*size) {
			t.Errorf("part %d: %q", i+1, got)
		}
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 1+logsKept {
		t.Errorf("there are %v", left)
	}
	step("on\n")
	if read(path) != "on\n" {
		t.Errorf("who has it open wrote on as %q", read(path))
	}
}

// The reason why a node ended is found in a log that was cut since the node began.
func TestReasonAfterRotation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("error: no disk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := reason(path, 1<<20); got != "error: no disk" {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(path, []byte(`msg="n1 waits for a majority"`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := waitingFor(path, 1<<20); got != "n1 waits for a majority" {
		t.Errorf("%q", got)
	}
}

// The fleet looks at its nodes' logs and its own.
func TestFleetRotates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := &Fleet{opt: Options{Log: filepath.Join(dir, "up.log")}, nodes: []*keeper{{dir: dir}}}
	for _, path := range []string{logOf(dir), f.opt.Log} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, logSize); err != nil { // sparse
			t.Fatal(err)
		}
	}
	f.rotate()
	for _, path := range []string{logOf(dir), f.opt.Log} {
		now, err := os.Stat(path)
		old, oerr := os.Stat(earlier(path, 1))
		if err != nil || oerr != nil || now.Size() != 0 || old.Size() != logSize {
			t.Errorf("%s: %v, %v", path, err, oerr)
		}
	}
}
