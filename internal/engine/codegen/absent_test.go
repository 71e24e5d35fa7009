package codegen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// TestAbsent: that there is no library is found out once, kept for later processes, and looked for again when the file is there.
func TestAbsent(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "none.so")
	t.Setenv(llvm.Env, file)
	service := func() *Service {
		s := New(Options{Program: []string{"/usr/bin/env", role + "=child", os.Args[0]}, Dir: dir})
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first := service()
	if first.Absent() {
		t.Error("it is said to be absent before anybody has looked")
	}
	if first.Look(ctx); !first.Absent() {
		t.Error("it is not absent")
	}
	if !service().Absent() {
		t.Error("a later process does not know")
	}
	if err := os.WriteFile(file, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if service().Absent() {
		t.Error("there is a file now, and nobody has looked at it")
	}
}

// TestNoChild: nobody expects native code of a program that cannot be started, and it is tried nevertheless.
func TestNoChild(t *testing.T) {
	program := filepath.Join(t.TempDir(), "child")
	s := New(Options{Program: []string{program}})
	defer s.Close()
	if s.Absent() {
		t.Error("it is said to be absent before anybody has started it")
	}
	if _, err := s.Info(t.Context()); !errors.Is(err, ErrCrashed) {
		t.Errorf("%v of a program that is not there", err)
	}
	if !s.Absent() {
		t.Error("it is not absent")
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Info(t.Context()); err == nil || s.Absent() {
		t.Errorf("%v of a program that can be started; absent: %v", err, s.Absent())
	}
}
