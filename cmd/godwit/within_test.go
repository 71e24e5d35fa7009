package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The deadline of a run holds from its start to its end, also while a file that is an argument
// does not open: nobody writes to this one.
func TestDeadlineOfFiles(t *testing.T) {
	dir := t.TempDir()
	program, pipe := filepath.Join(dir, "sum.gw"), filepath.Join(dir, "v.csv")
	write(t, program, "pub fn total(v: [i64; n]) -> i64 { v.sum() }\n")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // whoever still waits gets the file's end
		if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil {
			f.Close()
		}
	})
	var out, errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- execute(t.Context(), []string{"run", program, "v=" + pipe, "--deadline", "100ms"}, &out, &errs)
	}()
	select {
	case code := <-ended:
		if code != exitFailed || !strings.Contains(errs.String(), "the deadline of 100ms has passed") {
			t.Errorf("it ended with %d and said %s%s", code, out.String(), errs.String())
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on beyond its deadline")
	}
}
