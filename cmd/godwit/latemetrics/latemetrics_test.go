package latemetrics

import (
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
	if !prometheus.Unregister(two) || prometheus.Unregister(two) {
		t.Error("what waits could not be taken back once")
	}
	if len(late.waiting) == 0 {
		t.Error("nothing waits")
	}
	names, err := gathered()
	if err != nil || !names["one"] || names["two"] || !names["go_goroutines"] || len(late.waiting) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	if !prometheus.Unregister(one) {
		t.Error("what was gathered could not be taken back")
	}
	prometheus.MustRegister(two, counter("two", "of another meaning"))
	if names, err = gathered(); err == nil || !names["two"] {
		t.Errorf("%v, and no error for two meanings of a name", names)
	}
}
