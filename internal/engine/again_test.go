package engine

import (
	"testing"
)

// TestHoldAgain: a kernel that was held is held again while its engine knows it, and not once it was forgotten, nor by another engine.
func TestHoldAgain(t *testing.T) {
	e, other := newEngine(t, Wasm), newEngine(t, Wasm)
	k := squares()
	c := held(t, e, k)
	c.Release()
	if !e.HoldAgain(c) {
		t.Fatal("a kernel that is there cannot be held again")
	}
	if !c.held() {
		t.Error("it is not held")
	}
	if other.HoldAgain(c) {
		t.Error("another engine holds it")
	}
	e.Forget(c.Hash)
	if e.HoldAgain(c) {
		t.Error("a kernel that was forgotten is held anew")
	}
	c.Release()
	if e.HoldAgain(c) {
		t.Error("a kernel that is closed is held")
	}
}
