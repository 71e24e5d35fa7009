package wasm

import (
	"context"
	"sync"
	"testing"
)

// TestInstancesCloseAtOnce is for the race detector.
func TestInstancesCloseAtOnce(t *testing.T) {
	f, err := newBench(t).rt.Compile(context.Background(), chasing())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			in, err := f.Instance(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			if err := in.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
