// Package codegentest lets tests compile to native code: the test binary is LLVM's
// child process, too.
package codegentest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/codegen"
)

// child marks the process that LLVM runs in.
const child = "GODWIT_TEST_CODEGEN_CHILD"

// startLimit is for a child on a busy machine.
const startLimit = 30 * time.Second

// Main is for TestMain: it runs the tests, or is the child.
func Main(m interface{ Run() int }) int {
	if os.Getenv(child) == "" {
		os.Setenv(child, "1")
		return m.Run()
	}
	if err := codegen.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Start gives a service that keeps objects in dir, or nowhere, and whether LLVM is
// there.
func Start(dir string) (s *codegen.Service, ok bool, err error) {
	s = codegen.New(codegen.Options{Program: []string{os.Args[0]}, Dir: dir})
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	switch _, err := s.Info(ctx); {
	case err == nil:
		return s, true, nil
	case errors.Is(err, codegen.ErrMissing):
		return s, false, nil
	default:
		_ = s.Close()
		return nil, false, err
	}
}

// Service is what Start gives, for one test; without LLVM the test is skipped.
func Service(t testing.TB, dir string) *codegen.Service {
	t.Helper()
	s, ok, err := Start(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if !ok {
		t.Skip("SKIPPED: no native code: libLLVM 19 is not installed (Debian: libllvm19)")
	}
	return s
}
