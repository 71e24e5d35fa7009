package run

import (
	"math"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
)

// TestPaces: a pass that goes over to native code tells what it would have taken on either tier; one that did not says nothing, and a
// slice in which the kernel went over belongs to neither.
func TestPaces(t *testing.T) {
	var p paces
	p.spent(engine.Wasm, engine.Wasm, 2*time.Millisecond, 200)
	if got := p.whole(engine.Wasm, 1000, 1); got != nil {
		t.Errorf("on one tier alone: %v", got)
	}
	p.spent(engine.Wasm, engine.Native, time.Second, 1)
	p.spent(engine.Native, engine.Native, 2*time.Millisecond, 400)
	p.spent(engine.Native, engine.Native, 2*time.Millisecond, 400)
	got := p.whole(engine.Wasm, 1000, 2)
	if len(got) != 2 || math.Abs(got[engine.Wasm]-5e-3) > 1e-12 || math.Abs(got[engine.Native]-2.5e-3) > 1e-12 {
		t.Errorf("1000 outer indices on two threads: %v, expected 5 ms and 2.5 ms", got)
	}
}
