package fleet

import (
	"os/exec"
	"testing"
)

// TestPanicIsNoMisuse: a wrong command line is not tried again. A panic, which Go's runtime ends with
// the same exit code, is.
func TestPanicIsNoMisuse(t *testing.T) {
	cmd := exec.Command("sh", "-c", "exit 2")
	err := cmd.Run()
	for why, want := range map[string]bool{
		"error: unknown flag: --nodse": true,
		"":                             true,
		"panic: runtime error: index out of range [3]":   false,
		"fatal error: concurrent map read and map write": false,
	} {
		l := &life{process: cmd.Process, err: err, why: why}
		if got := l.misused(); got != want {
			t.Errorf("%q: misused is %v, expected %v", why, got, want)
		}
	}
	if l := (&life{process: cmd.Process, err: exec.Command("sh", "-c", "exit 1").Run()}); l.misused() {
		t.Error("any failure is taken for a wrong command line")
	}
}
