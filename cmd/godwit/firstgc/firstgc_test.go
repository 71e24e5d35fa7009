package firstgc

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestLater shows that only the first collection waits.
func TestLater(t *testing.T) {
	now := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "150")
	later()
	if got := now(); got != 100 {
		t.Errorf("with GOGC set, the percentage becomes %d", got)
	}
	t.Setenv("GOGC", "")
	later()
	if got := now(); got != percent {
		t.Errorf("at the start it is %d", got)
	}
	for end := time.Now().Add(time.Minute); now() != 100; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("after the first collection it is %d", now())
		}
	}
}
