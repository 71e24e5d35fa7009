package godwit

import (
	"slices"
	"sync"

	"github.com/godwit-run/godwit/cluster"
	"github.com/godwit-run/godwit/engine"
)

// Engines lists the names that WithEngine takes.
var Engines = []string{"auto", "wasm", "interp"}

// options of a call: those of its runtime, then its own.
type options struct {
	threads  int
	engine   string
	runtime  *Runtime
	progress func(done, total int64)
	cluster  *Cluster
	strategy Strategy
}

// Option is a choice for a Runtime or for one call.
type Option func(*options)

// WithThreads limits how many threads work at once; by default as many as
// GOMAXPROCS says.
func WithThreads(n int) Option { return func(o *options) { o.threads = n } }

// WithEngine chooses how to run: "wasm" compiles kernels to machine code,
// "interp" interprets the program slowly, "auto" takes the fastest there is.
// All give the same bits.
func WithEngine(name string) Option { return func(o *options) { o.engine = name } }

// WithRuntime makes a call use a runtime other than the shared one. Options
// that follow take precedence over the runtime's.
func WithRuntime(r *Runtime) Option { return func(o *options) { o.runtime = r } }

// WithProgress is told now and then how many rows are done. Calls do not
// overlap.
func WithProgress(f func(done, total int64)) Option { return func(o *options) { o.progress = f } }

// WithCluster lets a call use the data sets of a cluster, and run beside them.
func WithCluster(c *Cluster) Option { return func(o *options) { o.cluster = c } }

// WithStrategy chooses where launches over data sets run; [Auto] by default.
func WithStrategy(s Strategy) Option { return func(o *options) { o.strategy = s } }

// Runtime holds the memory that kernels work in and the kernels compiled so
// far. It is safe for concurrent use. Both are made at the first call.
type Runtime struct {
	opts []Option

	mu     sync.Mutex
	eng    *engine.Engine
	users  sync.WaitGroup
	closed bool
}

// NewRuntime makes a runtime of its own. The options hold for all its calls.
func NewRuntime(opts ...Option) *Runtime { return &Runtime{opts: opts} }

// shared serves the calls that name no runtime.
var shared = NewRuntime()

// Close waits for the calls in progress and gives the memory back.
func (r *Runtime) Close() error {
	r.mu.Lock()
	r.closed = true
	eng := r.eng
	r.eng = nil
	r.mu.Unlock()
	r.users.Wait()
	if eng == nil {
		return nil
	}
	return eng.Close()
}

// acquire gives the engine until release is called.
func (r *Runtime) acquire() (eng *engine.Engine, release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil, badOption("the runtime is closed")
	}
	if r.eng == nil {
		if r.eng, err = engine.New(engine.Options{Tier: engine.Wasm}); err != nil {
			return nil, nil, err
		}
	}
	r.users.Add(1)
	return r.eng, r.users.Done, nil
}

func optionsOf(opts []Option) (options, error) {
	own := options{runtime: shared}
	for _, f := range opts {
		f(&own)
	}
	o := options{engine: "auto"}
	for _, f := range own.runtime.opts {
		f(&o)
	}
	for _, f := range opts {
		f(&o)
	}
	o.runtime = own.runtime
	if o.threads <= 0 {
		o.threads = defaultThreads()
	}
	if o.strategy != "" && !slices.Contains(cluster.Strategies, o.strategy) {
		return o, badOption("there is no strategy `%s`; the strategies are %v", o.strategy, cluster.Strategies)
	}
	for _, name := range Engines {
		if o.engine == name {
			return o, nil
		}
	}
	return o, badOption("there is no engine `%s`; the engines are auto, wasm and interp", o.engine)
}
