package main

import (
	"os/exec"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestFar has every walk give the bits of C, in both forms, with a small table.
func TestFar(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("SKIPPED: no C compiler is installed (Debian: gcc)")
	}
	lib, err := loadFar(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rt := godwit.NewRuntime(godwit.WithEngine("wasm"), godwit.WithThreads(2))
	defer rt.Close()
	for _, task := range farTasks {
		in := task.input(1<<16, true)
		for _, form := range farForms {
			if _, err := task.contest(t.Context(), lib, rt, in, form); err != nil {
				t.Errorf("%s, %s: %v", task.about, form.about, err)
			}
		}
	}
}
