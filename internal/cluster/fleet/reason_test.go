package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReason(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{"nothing", "\n\n", ""},
		{"the last line", "one\ntwo\n\n", "two"},
		{"nothing wrong", "time=1 level=WARN msg=slow\ntime=2 level=INFO msg=\"peer gone\"\n", "level=WARN msg=slow"},
		{"only what is usual", "time=2 level=INFO msg=\"peer gone\"\n", ""},
		{"an error before it", "time=1 level=ERROR msg=\"no disk\"\ntime=2 level=INFO msg=stopping\n", `level=ERROR msg="no disk"`},
		{"the last of two errors", "time=1 level=ERROR msg=a\ntime=2 level=ERROR msg=b\n", "level=ERROR msg=b"},
		{"the message that it ended with", "time=1 level=ERROR msg=a\nerror: the disk is full\n  help: make room\n", "error: the disk is full"},
		{"a panic, not its trace", "error: x\npanic: y\n\ngoroutine 1 [running]:\nmain.main()\n", "panic: y"},
		{"a long line", strings.Repeat("é", 400), strings.Repeat("é", lineShown) + "…"},
	} {
		if got := telling(c.log); got != c.want {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
}

// TestReasonOfThisLife takes nothing from an earlier life, and reads only the end of a log.
func TestReasonOfThisLife(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	old := "error: of the life before\n"
	if err := os.WriteFile(file, []byte(old+strings.Repeat("x\n", logTail)+"error: of this one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := reason(file, int64(len(old))); got != "error: of this one" {
		t.Errorf("found %q", got)
	}
	if got := reason(file, int64(len(old)+2*logTail+len("error: of this one\n"))); got != "" {
		t.Errorf("found %q in a life that has said nothing", got)
	}
	if got := reason(file+"none", 0); got != "" {
		t.Errorf("found %q in no file", got)
	}
}
