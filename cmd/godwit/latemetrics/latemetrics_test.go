package latemetrics

import (
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// What was registered is gathered, once, and what was taken back is not; what cannot be registered is told then.
func TestLate(t *testing.T) {
	late, ok := prometheus.DefaultGatherer.(*registry)
	if !ok || prometheus.DefaultRegisterer != prometheus.Registerer(late) {
		t.Fatalf("the default is %T", prometheus.DefaultGatherer)
	}
	gathered := func() (names map[string]bool, err error) {
		list, err := prometheus.DefaultGatherer.Gather()
		names = map[string]bool{}
		for _, f := range list {
			names[f.GetName()] = true
		}
		return names, err
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	one, two := counter("one", "first"), counter("two", "second")
	prometheus.MustRegister(one, two)
	if err := prometheus.Register(one); err != nil {
		t.Fatal(err)
	}
	if len(late.waiting) == 0 {
		t.Error("nothing waits")
	}
	prometheus.MustRegister(counter("one", "of another meaning"))
	if !prometheus.Unregister(two) || prometheus.Unregister(two) {
		t.Error("what waits could not be taken back once")
	}
	names, err := gathered()
	if err == nil || !names["one"] || names["two"] || !names["go_goroutines"] || len(late.waiting) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	// From now on as without the package: who registers what is there hears of it, and counts into that.
	var again prometheus.AlreadyRegisteredError
	if err := prometheus.Register(counter("one", "first")); !errors.As(err, &again) || again.ExistingCollector != prometheus.Collector(one) {
		t.Errorf("registered again: %v", err)
	}
	if !prometheus.Unregister(counter("one", "first")) {
		t.Error("what is there could not be taken back by a collector like it")
	}
}

// After the start what waits is handed on before anything else is registered.
func TestStarted(t *testing.T) {
	r := &registry{all: prometheus.NewRegistry()}
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "early"})
	r.MustRegister(c)
	defer func(old *registry) { late = old }(late)
	late = r
	Started()
	if len(r.waiting) != 1 {
		t.Fatalf("%d wait: nobody has asked", len(r.waiting))
	}
	var again prometheus.AlreadyRegisteredError
	if err := r.Register(prometheus.NewCounter(prometheus.CounterOpts{Name: "early"})); !errors.As(err, &again) || again.ExistingCollector != prometheus.Collector(c) {
		t.Errorf("registered twice: %v", err)
	}
}
