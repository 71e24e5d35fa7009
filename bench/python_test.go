package main

import (
	"slices"
	"testing"
)

// TestNumPyEnv: what makes OpenBLAS take another processor's kernels does not reach NumPy unless the environment is to be as given.
func TestNumPyEnv(t *testing.T) {
	for _, name := range slowing {
		t.Setenv(name, "Haswell")
		if v := name + "=Haswell"; slices.Contains(numPyEnv(1, false), v) || !slices.Contains(numPyEnv(1, true), v) {
			t.Errorf("%s: without %v, as given %v", name, numPyEnv(1, false), numPyEnv(1, true))
		}
	}
	if !slices.Contains(numPyEnv(2, false), "OPENBLAS_NUM_THREADS=2") {
		t.Error("OpenBLAS does not get two threads")
	}
}
