package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// A pipe that nobody writes to is no argument, and nobody waits for it.
func TestPipeAsArgument(t *testing.T) {
	dir := t.TempDir()
	program, pipe := filepath.Join(dir, "sum.gw"), filepath.Join(dir, "v.csv")
	write(t, program, "pub fn total(v: [i64; n]) -> i64 { v.sum() }\n")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- execute(t.Context(), []string{"run", program, "v=" + pipe}, &out, &errs)
	}()
	select {
	case code := <-ended:
		if code != exitFailed || !strings.Contains(errs.String(), "not a regular file") {
			t.Errorf("it ended with %d and said %s%s", code, out.String(), errs.String())
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for a writer")
	}
}

// A program may come through a pipe, as from <(command).
func TestProgramFromPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "sum.gw")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { _ = os.WriteFile(pipe, []byte("fn total(v: &[i64; N]) -> i64 { v.sum() }\n"), 0o600) }()
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"run", pipe, "v=[1, 2, 3]"}, &out, &errs); code != 0 || out.String() != "6\n" {
		t.Errorf("it ended with %d and said %s%s", code, out.String(), errs.String())
	}
}

// A node, or the caller's timer, may notice first that a deadline has passed. What ended at another
// limit is not said to be the flag's.
func TestLate(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	away := &caller.Error{Reason: parcel.Expired, Node: 1, Name: "n1", Shard: -1, Detail: "no answer"}
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		limit time.Duration
		err   error
		want  string
	}{
		{"a node's", t.Context(), time.Second, away, "the deadline of 1s has passed (--deadline): node n1: deadline passed: no answer"},
		{"the context's and a node's", over, time.Second, fmt.Errorf("%w: %w", &deadlineError{limit: time.Second}, away), "the deadline of 1s has passed (--deadline): node n1: deadline passed: no answer"},
		{"a node's without the flag", t.Context(), 0, away, "a request to nodes ends after 10m0s if nothing else is said: give it more time with --deadline"},
		{"the context's", over, time.Second, context.DeadlineExceeded, "the deadline of 1s has passed (--deadline)"},
		{"another one's", t.Context(), time.Second, context.DeadlineExceeded, context.DeadlineExceeded.Error()},
		{"no deadline's", over, time.Second, os.ErrNotExist, os.ErrNotExist.Error()},
	} {
		if got := late(tt.ctx, tt.limit, tt.err).Error(); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// The help of a deadline says what it is if it is not given.
func TestDeadlineHelp(t *testing.T) {
	for _, name := range []string{"run", "send"} {
		cmd, _, err := newRoot().Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if usage := cmd.Flags().FlagUsages(); !regexp.MustCompile(`--deadline.*\(default [0-9n]`).MatchString(usage) {
			t.Errorf("%s:\n%s", name, usage)
		}
	}
}
