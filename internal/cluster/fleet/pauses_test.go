package fleet

import (
	"testing"
	"time"
)

func TestPauses(t *testing.T) {
	p := &pauses{limit: Restarts, first: time.Second}
	now := time.Unix(0, 0)
	for i, want := range []time.Duration{1, 2, 4, 8, 16} {
		got, nth := p.next(now)
		if got != want*time.Second || nth != i+1 {
			t.Fatalf("pause %d is %v, the %d., expected %v s", i+1, got, nth, want)
		}
		now = now.Add(got + time.Second) // it runs for a second
	}
	if _, nth := p.next(now); nth != 0 {
		t.Fatal("it is started again a sixth time")
	}
	// Ten minutes after the first restart there may be one more, with the pause that its
	// number has.
	now = time.Unix(1, 0).Add(window)
	if got, nth := p.next(now); got != 16*time.Second || nth != Restarts {
		t.Fatalf("after ten minutes: pause %v, the %d.", got, nth)
	}
	if _, nth := p.next(now); nth != 0 {
		t.Fatal("two were forgotten at once")
	}
	p.forget()
	if got, nth := p.next(now); got != time.Second || nth != 1 {
		t.Fatalf("after an order: pause %v, the %d.", got, nth)
	}
	if _, nth := (&pauses{first: time.Second}).next(now); nth != 0 {
		t.Fatal("a limit of 0 starts it again")
	}
}
