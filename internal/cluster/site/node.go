package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/control/remote"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/stream"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/packages/worker"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// NodeConfig is what `godwit node` is told.
type NodeConfig struct {
	Name      string // the host's name if empty
	Dir       string // gets data/ and control/
	Identity  string // directory of the node's identity; identity/ in Dir if empty
	Listen    string
	Advertise string // Listen if empty
	NoRings   bool   // peers on this machine use streams, too
	Fabric    string // see ucx.Parse; none if empty
	Metrics   string // none if empty
	TTL       time.Duration
	// ViewDeadline is how long the node works on without etcd; daemon.ViewDeadline if 0.
	ViewDeadline time.Duration
	Memory       bool
	// Far stands for far memory: data lies in memory, of at most Size bytes (of all data; half of the machine's if 0), and the
	// cluster stores there what is loaded as far, and nothing else.
	Far     bool
	Size    int64
	Latency time.Duration        // see daemon.Config
	Ready   func(*daemon.Daemon) // called when the node takes parcels; may be nil
	Threads int
	Limits  node.Limits
	// RepairAfter is how long a replica is missing before it is made again; never if 0.
	RepairAfter time.Duration
	Log         *slog.Logger
	Reserve     int64 // bytes of the disk that stay free: see store.Options
	Scrub       daemon.Scrub

	// Children compile kernels natively and run packages.
	Children Children
	// Native runs packages that the cluster's list of trust allows; never by default.
	Native      bool
	Unconfined  bool     // see worker.Options
	Exports     []string // libraries whose functions packages may look up
	RegionBytes int64    // of what packages are granted; 1 GiB if 0
	WorkerBytes int64    // of what workers of packages hold together; see worker.Options

	// Calibrate measures the machine, which takes some seconds; nil for never.
	Calibrate func(context.Context) (*machine.Machine, error)

	// Clock is the wall clock, by which certificates are judged and nothing else; time.Now
	// if nil.
	Clock func() time.Time
	// Authority is the directory of the cluster's authority, if this node is to renew
	// certificates.
	Authority string

	// Etcd are the endpoints of an etcd cluster. With ControlClient, ControlPeer and
	// ControlMembers this node has a member of it, in a process beside it.
	Etcd           []string
	ControlClient  string
	ControlPeer    string
	ControlMembers map[string]string
	// ControlFormed says that these members exist, so that one without records does not begin
	// others beside theirs.
	ControlFormed bool
}

// DefaultLimits suit a machine with a few GiB to spare.
func DefaultLimits() node.Limits {
	return node.Limits{
		Parcels: 4096, Bytes: 512 << 20, Steps: parcel.UsualSteps, Turns: 4096, Codes: 1024,
		Jobs: 2 * runtime.GOMAXPROCS(0), Spare: 16, Retry: 20_000, RegionBytes: 1 << 40,
		CodeBytes: 256 << 20, Calls: 32,
		ClientParcels: 1024, ClientBytes: 128 << 20, ClientKernels: 256,
	}
}

// RunNode runs a node until the context ends. When its membership is lost it joins again.
func RunNode(ctx context.Context, cfg NodeConfig) (err error) {
	if err := cfg.complete(); err != nil {
		return err
	}
	if err := Descriptors(NodeDescriptors); err != nil {
		return err
	}
	keys, err := cfg.keys()
	if err != nil {
		return err
	}
	ctl, stop, err := cfg.control(keys.id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ctl.Close(), stop()) }()
	compiler := cfg.compiler()
	if compiler != nil {
		defer func() { err = errors.Join(err, compiler.Close()) }()
	}
	d, err := cfg.start(ctx, keys, ctl, compiler)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	end, err := cfg.serveMetrics(d)
	if err != nil {
		return err
	}
	defer end()
	go cfg.describe(ctx, d)
	go identity.Keep(ctx, keys.id, keys.renewer(d), cfg.Log)
	cfg.Log.Info("node is ready", "name", cfg.Name, "number", d.Peer(), "address", cfg.Advertise, "limits", fmt.Sprintf("%+v", cfg.Limits))
	if cfg.Ready != nil {
		cfg.Ready(d)
	}
	<-ctx.Done()
	cfg.Log.Info("node is stopping")
	return nil
}

// spread lets Go run more threads than there are processors while kernels are at work for
// long. Go would have goroutines that answer wait for a kernel in WebAssembly for up to
// 10 ms, each time that one hands over to another; the operating system gives a thread
// that wakes up its turn at once. At other times threads that look for work are too dear.
func spread(procs int) func(bool) {
	return func(long bool) {
		if long {
			runtime.GOMAXPROCS(min(8*procs, procs+32))
		} else {
			runtime.GOMAXPROCS(procs)
		}
	}
}

func (cfg *NodeConfig) complete() error {
	if _, err := cfg.fabric(); err != nil {
		return fmt.Errorf("--fabric: %w", err)
	}
	if cfg.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		cfg.Name = host
	}
	if cfg.Identity == "" {
		cfg.Identity = filepath.Join(cfg.Dir, "identity")
	}
	if cfg.Advertise == "" {
		cfg.Advertise = cfg.Listen
	}
	if cfg.Limits == (node.Limits{}) {
		cfg.Limits = DefaultLimits()
	}
	if cfg.Threads <= 0 {
		cfg.Threads = runtime.GOMAXPROCS(0)
	}
	if cfg.RegionBytes <= 0 {
		cfg.RegionBytes = 1 << 30
	}
	if err := cfg.Agrees(); err != nil {
		return err
	}
	if cfg.Native && len(cfg.Children.Worker) == 0 {
		return errors.New("there is no program for workers, which run packages")
	}
	if len(cfg.Etcd) == 0 && cfg.ControlClient == "" {
		return errors.New("a node needs --etcd, the endpoints of etcd, or --control, to have a member of it")
	}
	if cfg.ControlClient != "" && len(cfg.Children.Control) == 0 {
		return errors.New("there is no program for the member of etcd: name an etcd that runs elsewhere with --etcd")
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	return nil
}

// Agrees reports flags of a node that do not go together.
func (cfg *NodeConfig) Agrees() error {
	if !cfg.Native && (cfg.Unconfined || len(cfg.Exports) > 0) {
		return errors.New("--unconfined and --export are about packages, which a node runs only with --native")
	}
	if cfg.Size > 0 && !cfg.Memory && !cfg.Far {
		return errors.New("--size is for nodes that keep data in memory: give --far or --memory, too")
	}
	return nil
}

// control connects with etcd, the node's own member first, which it starts.
func (cfg *NodeConfig) control(id *identity.Identity) (control.Control, func() error, error) {
	opt := control.Options{TTL: cfg.TTL, Log: cfg.Log, Oversee: true}
	endpoints, stop := cfg.Etcd, func() error { return nil }
	if cfg.ControlClient != "" {
		member := control.Supervise(cfg.Children.Control, control.Config{
			Dir: filepath.Join(cfg.Dir, "control"), Name: cfg.Name, Client: cfg.ControlClient, Peer: cfg.ControlPeer,
			Cluster: cfg.ControlMembers, Formed: cfg.ControlFormed, Identity: cfg.Identity, Ledger: cfg.ledger(),
			Options: control.Options{TTL: cfg.TTL, Log: cfg.Log},
		})
		endpoints, stop = append([]string{cfg.ControlClient}, endpoints...), member.Close
		opt.Discover = true
	}
	ctl, err := control.Dial(endpoints, id.Client(""), opt)
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return ctl, stop, nil
}

func (cfg *NodeConfig) data() string { return filepath.Join(cfg.Dir, "data") }

// compiler makes native code; nil if there is no program for its child.
func (cfg *NodeConfig) compiler() *codegen.Service {
	if len(cfg.Children.Codegen) == 0 {
		return nil
	}
	s := cfg.Children.compiler(store.CompiledDir(cfg.data()), cfg.Log)
	if cfg.Native {
		s.Warm()
	}
	return s
}

func (cfg *NodeConfig) native() *daemon.Native {
	if !cfg.Native {
		return nil
	}
	workers := worker.New(worker.Options{Program: cfg.Children.Worker, Unconfined: cfg.Unconfined, Memory: cfg.WorkerBytes, Log: cfg.Log})
	workers.Warm()
	return &daemon.Native{Workers: workers, Exports: cfg.Exports, RegionBytes: cfg.RegionBytes, Emulated: cfg.Children.Emulated}
}

// start opens the data and joins.
func (cfg *NodeConfig) start(ctx context.Context, keys *keys, ctl control.Control, compiler *codegen.Service) (*daemon.Daemon, error) {
	st, err := store.Open(cfg.data(), store.Options{Memory: cfg.Memory || cfg.Far, Bytes: cfg.Size, Reserve: cfg.Reserve})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	join := func(ctx context.Context) (control.Membership, error) {
		return ctl.Join(ctx, control.Member{Name: cfg.Name, Address: cfg.Advertise, Metrics: cfg.Metrics, Arch: runtime.GOARCH, Machine: cfg.described(), Far: cfg.Far, Secret: st.Identity(), Held: daemon.Holding(st)})
	}
	m, err := cfg.join(ctx, join)
	if err != nil {
		return nil, errors.Join(err, st.Close(), l.Close())
	}
	fabric, err := cfg.fabric()
	if err != nil {
		return nil, errors.Join(err, st.Close(), l.Close())
	}
	service := remote.New(remote.Config{Control: ctl, Identity: keys.id, Authority: keys.authority, Fresh: keys.fresh, Renewal: control.Options{TTL: cfg.TTL}.Renewal(), Log: cfg.Log})
	d, err := daemon.Start(ctx, daemon.Config{
		Name: cfg.Name, Store: st, Control: ctl, Membership: m, Rejoin: join, Limits: cfg.Limits, Threads: cfg.Threads, ViewDeadline: cfg.ViewDeadline, Log: cfg.Log,
		Codegen: compiler, Native: cfg.native(), Ledger: keys.ledger, Scrub: cfg.Scrub, RepairAfter: cfg.RepairAfter, Learned: service.Learn,
		Long: spread(runtime.GOMAXPROCS(0)), Machine: cfg.machine(), Latency: cfg.Latency,
		Dial: func(self catalog.Peer, names func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return stream.New(stream.Options{Self: self, Identity: keys.id, Listener: l, NameOf: names, Services: service.Register, Rings: !cfg.NoRings, Fabric: fabric, Address: cfg.Advertise, Log: cfg.Log}, h)
		},
	})
	if err == nil {
		keys.node.Store(d)
	}
	return d, err
}

// fabric is what the operator trusts.
func (cfg *NodeConfig) fabric() (*ucx.Trusted, error) {
	if cfg.Fabric == "" {
		return nil, nil
	}
	return ucx.Parse(cfg.Fabric)
}

// sayWaiting is after what time a node says what it waits for.
const sayWaiting = time.Second

// join waits for the control as long as nobody answers: its members may be starting, too.
func (cfg *NodeConfig) join(ctx context.Context, join func(context.Context) (control.Membership, error)) (control.Membership, error) {
	waiting := time.AfterFunc(sayWaiting, func() {
		cfg.Log.Warn("the node waits for etcd: a majority of its members has to answer; see that their nodes run", "endpoints", cfg.Etcd, "own member", cfg.ControlClient)
	})
	defer waiting.Stop()
	for {
		m, err := join(ctx)
		if err == nil || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return m, err
		}
		cfg.Log.Warn("the control does not answer; the node goes on trying to join", "reason", err)
	}
}
