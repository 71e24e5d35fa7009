package site

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestMeasure: nodes of one machine measure one after the other, once; a node that was measured is described by that.
func TestMeasure(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	var measured, at atomic.Int64
	node := func(name string) *NodeConfig {
		return &NodeConfig{Dir: filepath.Join(dir, name), Calibrate: func(context.Context) (*machine.Machine, error) {
			if at.Add(1) > 1 {
				t.Error("two at the same time")
			}
			time.Sleep(50 * time.Millisecond)
			at.Add(-1)
			measured.Add(1)
			m := *machine.Default()
			m.Name, m.Measured = "measured", "2026-01-01T00:00:00Z"
			return &m, nil
		}}
	}
	done := make(chan error, 3)
	for _, name := range []string{"a", "b", "c"} {
		go func() {
			cfg := node(name)
			m, err := cfg.measure(t.Context())
			if err == nil && (m.Name != "measured" || cfg.machine() == nil || cfg.machine().Name != "measured" || cfg.described() == "") {
				err = errors.New(name + " is not described")
			}
			done <- err
		}()
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := measured.Load(); n != 1 {
		t.Errorf("the machine was measured %d times", n)
	}
	failing := node("elsewhere/d")
	failing.Calibrate = func(context.Context) (*machine.Machine, error) { return nil, errors.New("busy") }
	if _, err := failing.measure(t.Context()); err == nil || failing.machine() != nil || failing.described() != "" {
		t.Errorf("%v: it was not measured", err)
	}
}
