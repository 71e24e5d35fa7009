// Package latemetrics has metrics registered when somebody first asks for them.
//
// In: the start of a process, before packages that register metrics there: Go initialises packages in the order of their
// paths once what they import is ready. Out: prometheus's default registry, which waits. Invariant: who gathers from it gets what has been
// registered, as without this package.
//
// The catalogue's server registers a hundred metrics at the start of each process, for nobody in most. Each takes a goroutine, and four
// changes of thread, since Go holds what it initialises to one thread: a fifth of the time of a short command.
package latemetrics

import (
	"errors"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

func init() {
	if all, ok := prometheus.DefaultRegisterer.(*prometheus.Registry); ok {
		late := &registry{all: all}
		prometheus.DefaultRegisterer, prometheus.DefaultGatherer = late, late
	}
}

// registry hands on what waits when it is asked what it has. Errors of registering come then.
type registry struct {
	all     *prometheus.Registry
	mu      sync.Mutex
	waiting []prometheus.Collector
}

func (r *registry) Register(c prometheus.Collector) error {
	r.MustRegister(c)
	return nil
}

func (r *registry) MustRegister(list ...prometheus.Collector) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, list...)
}

func (r *registry) Unregister(c prometheus.Collector) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.waiting, c); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
		return true
	}
	return r.all.Unregister(c)
}

func (r *registry) Gather() ([]*dto.MetricFamily, error) {
	late := r.hand()
	list, err := r.all.Gather()
	return list, errors.Join(late, err)
}

// hand registers what waits. What has been registered already is no error, since its second registration would have been refused by itself.
func (r *registry) hand() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.waiting {
		var again prometheus.AlreadyRegisteredError
		if e := r.all.Register(c); e != nil && !errors.As(e, &again) {
			err = errors.Join(err, e)
		}
	}
	r.waiting = nil
	return err
}
