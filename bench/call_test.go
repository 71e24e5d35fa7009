package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// A turn makes all calls of all goroutines, and a call that fails ends it.
func TestEach(t *testing.T) {
	var calls atomic.Int64
	if _, _, err := each(3, func() error { calls.Add(1); return nil })(context.Background()); err != nil || calls.Load() != 3*manyCalls {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
	wrong := errors.New("wrong")
	if _, _, err := each(3, func() error { return wrong })(context.Background()); !errors.Is(err, wrong) {
		t.Errorf("the error is %v", err)
	}
}
