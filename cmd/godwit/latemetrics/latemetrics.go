// Package latemetrics has metrics registered when somebody first asks for them.
//
// In: the start of a process, before packages that register metrics there: Go initialises packages in the order of their
// paths once what they import is ready. Out: prometheus's default registry, which waits until then. Invariant: from Started on, and from the
// first question on, all is as without this package.
//
// The catalogue's server registers a hundred metrics at the start of each process, for nobody in most. Each takes a goroutine, and four
// changes of thread, since Go holds what it initialises to one thread: a fifth of the time of a short command.
package latemetrics

import (
	"errors"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

var late *registry // nil where the default was not prometheus's own

func init() {
	if all, ok := prometheus.DefaultRegisterer.(*prometheus.Registry); ok {
		late = &registry{all: all}
		prometheus.DefaultRegisterer, prometheus.DefaultGatherer = late, late
	}
}

// Started says that all packages are initialised: who registers from now on hears at once what is wrong.
func Started() {
	if late != nil {
		late.mu.Lock()
		late.started = true
		late.mu.Unlock()
	}
}

// registry hands on what waits when it is first asked or told anything after the start. What is wrong with what waited comes with what it
// has.
type registry struct {
	all     *prometheus.Registry
	mu      sync.Mutex
	started bool
	waiting []prometheus.Collector
	wrong   error // with what waited
}

func (r *registry) Register(c prometheus.Collector) error {
	if r.wait(c) {
		return nil
	}
	return r.all.Register(c)
}

func (r *registry) MustRegister(list ...prometheus.Collector) {
	if !r.wait(list...) {
		r.all.MustRegister(list...)
	}
}

// wait has collectors wait before the start.
func (r *registry) wait(list ...prometheus.Collector) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started {
		r.hand()
		return false
	}
	r.waiting = append(r.waiting, list...)
	return true
}

func (r *registry) Unregister(c prometheus.Collector) bool {
	r.mu.Lock()
	r.hand()
	r.mu.Unlock()
	return r.all.Unregister(c)
}

func (r *registry) Gather() ([]*dto.MetricFamily, error) {
	r.mu.Lock()
	r.hand()
	wrong := r.wrong
	r.mu.Unlock()
	list, err := r.all.Gather()
	return list, errors.Join(wrong, err)
}

// hand registers what waits; nothing waits from then on. What has been registered already is no error, since its second registration would have been
// refused by itself. r.mu is held.
func (r *registry) hand() {
	r.started = true
	for _, c := range r.waiting {
		var again prometheus.AlreadyRegisteredError
		if e := r.all.Register(c); e != nil && !errors.As(e, &again) {
			r.wrong = errors.Join(r.wrong, e)
		}
	}
	r.waiting = nil
}
