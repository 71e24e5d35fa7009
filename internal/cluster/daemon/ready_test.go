package daemon

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// TestReadyRests: a node to which no parcel comes that may be answered at once does not look, every tick, whether it might be; the next one has it look
// again, as often as that happens.
func TestReadyRests(t *testing.T) {
	before := swiftRest
	swiftRest = 30 * time.Millisecond
	t.Cleanup(func() { swiftRest = before })
	ctx, cancel := context.WithCancelCause(context.Background())
	d := &Daemon{cfg: Config{ViewDeadline: time.Hour}, lives: newLives(&fake{renewed: time.Now()}, nil), log: slog.New(slog.DiscardHandler), ctx: ctx, wanted: make(chan struct{}, 1)}
	done := make(chan struct{})
	go func() { d.ready(); close(done) }()
	becomes := func(want bool, meanwhile func()) {
		t.Helper()
		for until := time.Now().Add(10 * time.Second); d.swiftly.Load() != want; time.Sleep(time.Millisecond) {
			if meanwhile(); time.Now().After(until) {
				t.Fatalf("parcels may be answered at once: %v after ten seconds", !want)
			}
		}
	}
	nothing := func() {}
	walk := (&parcel.Header{Kind: parcel.Walk}).Append(nil, nil)
	ask := func() { d.Swift(1, walk, nil) }
	becomes(true, nothing)
	for range 3 {
		becomes(false, nothing)
		time.Sleep(3 * tick)
		if d.swiftly.Load() {
			t.Fatal("it looks again, though nothing came")
		}
		ask() // once is enough
		becomes(true, nothing)
		for end := time.Now().Add(4 * swiftRest); time.Now().Before(end); time.Sleep(time.Millisecond) { // while they come, it goes on
			d.busy.Store(true)
			if !d.swiftly.Load() {
				t.Fatal("it rests while parcels come")
			}
		}
	}
	cancel(nil)
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("it does not end")
	}
	if d.swiftly.Load() {
		t.Error("parcels may be answered at once after the end")
	}
}
