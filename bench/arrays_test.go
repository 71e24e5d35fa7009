package main

import (
	"errors"
	"testing"
)

// TestArrays holds every operation's result to NumPy's, and sees that a wrong one is found.
func TestArrays(t *testing.T) {
	dir := t.TempDir()
	p, err := startPython(t.Context(), "numpy", numPyEnv(1, false), dir, "arrays.py", answering(arraysScript))
	if errors.Is(err, errNoNumPy) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	s := &shelf{python: p, dir: dir}
	if err := s.fill(30, 41); err != nil {
		t.Fatal(err)
	}
	check := func(op operation) error {
		f, args, err := s.program(op)
		if err != nil {
			return err
		}
		return s.compare(t.Context(), op, f, args, nil)
	}
	for _, op := range operations {
		if err := check(op); err != nil {
			t.Errorf("%s: %v", op.name, err)
		}
	}
	for _, wrong := range []string{"x - y", "(x + y)[1:]", "x + y + 1e-12"} {
		op := operations[0]
		op.numpy = wrong
		if check(op) == nil {
			t.Errorf("%s was taken for the sum", wrong)
		}
	}
}
