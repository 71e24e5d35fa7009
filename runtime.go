package godwit

import (
	"errors"
	"os"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
	"github.com/godwit-run/godwit/internal/run"
)

// Engines lists the names that WithEngine takes.
var Engines = []string{"auto", "native", "wasm", "interp"}

// options of a call: those of its runtime, then its own.
type options struct {
	threads  int
	engine   string
	runtime  *Runtime
	progress func(done, total int64)
	cluster  *Cluster
	strategy Strategy
	compiler compiler
	kernels  int64 // bytes that they may take
	file     data.Target
	predict  bool
	plan     *int   // the number of the one to carry out; nil for the best
	shared   bool   // steps have all threads whether they pay or not
	whyNot   string // the strategy that a reason is wanted for
	machine  string // the file that describes it
	// given is what the file describes; nil if there is none: then this machine is known already,
	// and what was chosen for it.
	given *machine.Machine
	// measured is this machine as a node of it has measured it; nil unless nobody else has.
	measured *machine.Machine
	// spoolFrom is the size from which on a column of the result goes to the file as it comes; for tests.
	spoolFrom int64
}

// Option is a choice for a Runtime or for one call.
type Option func(*options)

// WithThreads limits how many threads work at once; by default, and for 0, as many as
// GOMAXPROCS says. More than eight times as many are never used.
func WithThreads(n int) Option { return func(o *options) { o.threads = n } }

// WithEngine chooses how to run: "wasm" compiles kernels to machine code in this
// process, "native" waits for LLVM's code (see WithCompiler), "interp" interprets
// the program slowly, "auto" begins with wasm and goes over to native code where
// that pays. All give the same bits.
func WithEngine(name string) Option { return func(o *options) { o.engine = name } }

// compiler says how to reach LLVM.
type compiler struct {
	dir     string
	command []string
}

// WithCompiler lets the runtime have native code made by libLLVM 19. LLVM runs in a
// child process, for which command is started: it must call ServeCompiler, as
// `godwit codegen-child` does. Objects are kept in dir; with "" they are not.
// Without this option kernels run as WebAssembly. It holds for a whole Runtime, so
// give it to NewRuntime.
func WithCompiler(dir string, command ...string) Option {
	return func(o *options) { o.compiler = compiler{dir, command} }
}

// WithKernelMemory limits the bytes that the compiled kernels of a runtime take. The least recently used
// ones that no call uses are dropped to stay within, and compiled again when they are wanted. By default, and
// for 0, they may take 1/256 of the memory that is free when the first kernel is compiled, but at least 16 MiB and at most
// 1 GiB. It holds for a whole Runtime, so give it to NewRuntime.
func WithKernelMemory(bytes int64) Option { return func(o *options) { o.kernels = bytes } }

// ServeCompiler is what a process started by WithCompiler does until its standard
// input ends.
func ServeCompiler() error { return codegen.Serve(os.Stdin, os.Stdout) }

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

// WithFile has a call write its result to a file, in the format of the extension, or to a folder parted by columns, as WriteFile
// does. A large result goes there as it comes, and is never in memory as a whole. The file appears under
// its name when it is complete. The Result then has a type but no values.
func WithFile(path string, by ...string) Option {
	return func(o *options) { o.file = data.Target{Path: path, By: by} }
}

// Runtime holds the memory that kernels work in and the kernels compiled so
// far. It is safe for concurrent use. Both are made at the first call. A Runtime that
// nobody uses any more is closed when it is collected; the zero Runtime has no options.
type Runtime struct {
	opts     []Option
	made     sync.Once
	defaults options // that opts ask for, once it is made
	*workshop
}

// workshop is what a Runtime has to give back. It does not know its Runtime, so that this can be
// collected.
type workshop struct {
	mu      sync.Mutex
	engines map[string]*engine.Engine // by WithEngine's name: "auto", "wasm", "native"
	codegen *codegen.Service          // nil without WithCompiler
	kernels *engine.Shelf             // of all engines
	seen    *seen.Memory              // what launches took
	users   sync.WaitGroup
	closed  bool
}

// NewRuntime makes a runtime of its own. The options hold for all its calls.
func NewRuntime(opts ...Option) *Runtime {
	r := &Runtime{opts: opts}
	r.shop()
	return r
}

// shop is the workshop, which is made when it is first wanted.
func (r *Runtime) shop() *workshop {
	r.made.Do(func() {
		o := options{engine: "auto"}
		o.take(r.opts)
		r.defaults = o
		r.workshop = &workshop{engines: map[string]*engine.Engine{}, kernels: engine.NewShelf(o.kernels), seen: seen.New(o.compiler.memory())}
		if len(o.compiler.command) > 0 {
			r.codegen = codegen.New(codegen.Options{Program: o.compiler.command, Dir: o.compiler.dir})
		}
		// Calls in progress are waited for, which other cleanups must not.
		runtime.AddCleanup(r, func(w *workshop) { go func() { _ = w.close() }() }, r.workshop)
	})
	return r.workshop
}

// shared serves the calls that name no runtime.
var shared = NewRuntime()

// Close waits for the calls in progress and gives the memory back. Closing again does nothing.
func (r *Runtime) Close() error {
	if r == nil {
		return nil
	}
	return r.shop().close()
}

func (r *workshop) close() error {
	r.mu.Lock()
	r.closed = true
	engines, service := r.engines, r.codegen
	r.engines, r.codegen = nil, nil
	r.mu.Unlock()
	r.users.Wait()
	var err error
	for _, e := range engines {
		err = errors.Join(err, e.Close())
	}
	if service != nil {
		err = errors.Join(err, service.Close())
	}
	_ = r.seen.Save() // without it later predictions are cold
	return err
}

// rented is how long a kernel has run in earlier processes for want of native code.
func (r *workshop) rented(id kernel.ID) time.Duration { return time.Duration(r.seen.Rented(id)) }

// acquire gives the engine of a name until users.Done is called.
func (r *workshop) acquire(name string) (eng *engine.Engine, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, badOption("the runtime is closed")
	}
	eng = r.engines[name]
	if eng == nil {
		opt := engine.Options{Tier: engine.Wasm, Codegen: r.codegen, Shelf: r.kernels, Promotion: machine.Here().Promotion(), Rented: r.rented, Trial: machine.Here().Trial}
		switch {
		case name == "wasm":
			opt.Codegen, opt.Trial = nil, nil
		case name == "native" && r.codegen == nil:
			return nil, badOption("there is no native engine without WithCompiler")
		case name == "native":
			opt.Tier = engine.Native
		}
		if eng, err = engine.New(opt); err != nil {
			return nil, err
		}
		r.engines[name] = eng
	}
	r.users.Add(1)
	return eng, nil
}

// take follows the options in order; a nil one says nothing.
func (o *options) take(opts []Option) {
	for _, f := range opts {
		if f != nil {
			f(o)
		}
	}
}

// follow notes what a call's options say, those of its runtime first; false if it has none.
func (o *options) follow(opts []Option) (ok bool) {
	p := drafts.Get().(*options)
	p.runtime = shared
	p.take(opts)
	if r := p.runtime; r != nil {
		r.shop()
		*p = r.defaults
		p.take(opts)
		p.runtime, ok = r, true
	}
	*o = *p
	*p = options{}
	drafts.Put(p)
	return ok
}

// drafts are options that functions are at work on: what these are given is not on a stack.
var drafts = sync.Pool{New: func() any { return new(options) }}

// read notes what a call's options say.
func (o *options) read(opts []Option) error {
	if len(opts) == 0 && len(shared.opts) == 0 {
		*o = options{engine: "auto", runtime: shared, threads: run.Threads(0)}
		return nil
	}
	if !o.follow(opts) {
		return badOption("WithRuntime: the Runtime is nil; NewRuntime makes one")
	}
	if o.threads < 0 {
		return badOption("WithThreads(%d): use 1 or more, or 0 for as many as GOMAXPROCS says", o.threads)
	}
	if o.kernels < 0 {
		return badOption("WithKernelMemory(%d): use a number of bytes, or 0 for the default", o.kernels)
	}
	o.threads = run.Threads(o.threads)
	if o.strategy != "" && !slices.Contains(cluster.Strategies, o.strategy) {
		return badOption("there is no strategy `%s`; the strategies are %v", o.strategy, cluster.Strategies)
	}
	if !slices.Contains(Engines, o.engine) {
		return badOption("there is no engine `%s`; the engines are auto, native, wasm and interp", o.engine)
	}
	if err := o.explicable(); err != nil {
		return err
	}
	if o.machine != "" {
		var err error
		if o.given, err = machine.Load(o.machine); err != nil {
			return &InputError{Text: err.Error(), Help: "godwit calibrate writes such a file", Err: err}
		}
		if here := machine.Here(); reflect.DeepEqual(o.given, here) {
			o.given = here // what was seen is seen on it
		}
	}
	return nil
}
