package engine

import (
	"context"
	"testing"
)

// TestHoldAgain: a kernel that was held is held again while its engine knows it, and not once it was forgotten, nor by another engine.
func TestHoldAgain(t *testing.T) {
	e, other := newEngine(t, Wasm), newEngine(t, Wasm)
	k := squares()
	n, err := NameOf(k)
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Hold(context.Background(), k, n)
	if err != nil {
		t.Fatal(err)
	}
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
	e.Forget(n.ID)
	if e.HoldAgain(c) {
		t.Error("a kernel that was forgotten is held anew")
	}
	c.Release()
	if e.HoldAgain(c) {
		t.Error("a kernel that is closed is held")
	}
}
