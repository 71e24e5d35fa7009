// Package daemon runs a node: it carries out what package node decides, with
// real connections, files, kernels and a clock.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/packages/trust"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/watch"
	"github.com/godwit-run/godwit/internal/run"
)

// Config is what a node is made of. The daemon owns the store, the membership
// and the transport from Start on, and closes them.
type Config struct {
	Name       string
	Store      *store.Store
	Control    control.Control
	Membership control.Membership
	// Rejoin joins again with what the store holds then, after a membership has ended. If it
	// is nil, the node stays without one.
	Rejoin func(context.Context) (control.Membership, error)
	// Dial makes the node's transport, which delivers to the handler.
	Dial    func(self catalog.Peer, names func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error)
	Limits  node.Limits
	Threads int
	// Long, if it is not nil, is told when kernels have been at work for longer than a
	// moment, and when that is over.
	Long func(bool)
	// Memory is the address space for data and kernels; at most 4 GiB.
	Memory int64
	// Codegen, if it is not nil, makes native code of kernels and of packages. It
	// stays its owner's to close.
	Codegen *codegen.Service
	Native  *Native // nil: packages are refused
	// ViewDeadline is how long a node works on without a sign that its membership goes on,
	// as while etcd has no majority; 15 minutes if zero.
	ViewDeadline time.Duration
	// Ledger keeps every revocation that the node has seen; nil for none.
	Ledger *trust.Ledger
	// Learned is told of each view that the node takes in; may be nil.
	Learned func(*catalog.View)
	// RepairAfter is how long a replica is missing before it is made again on another
	// node, this one perhaps; never if zero.
	RepairAfter time.Duration
	Scrub       Scrub
	Log         *slog.Logger
	// Machine is what the node runs on; what the process knows of it if nil. See Describe.
	Machine *machine.Machine
	// Latency is for how long all that the node sends is held back, to emulate a longer way; 0 for none.
	Latency time.Duration
	// Slow, if it is not nil, is called within the time of each piece: tests make a node slow.
	Slow func()
}

// Daemon is a running node.
type Daemon struct {
	cfg   Config
	self  catalog.Peer
	log   *slog.Logger
	start time.Time

	core  *node.Core // see drive
	drive *drive.Driver[node.Input, node.Effect]

	lives    *lives // is Config.Membership, too
	net      transport.Transport
	eng      *engine.Engine
	share    *engine.Share // of the processors
	rooms    *rooms        // of memory for results
	columns  *columns
	native   *native   // nil: packages are refused
	repairs  *repairs  // nil: no replicas are made here
	spare    sync.Pool // of *advancing
	recipes  recipes
	swiftly  atomic.Bool // parcels may be answered at once; see ready
	busy     atomic.Bool // some were asked for lately
	wanted   chan struct{}
	own      own
	machine  atomic.Pointer[machine.Machine] // that the node runs on
	metrics  *metrics
	scrub    *scrubber
	reserved reserved
	holding  sync.Mutex  // held while the cluster is told what is here
	later    atomic.Bool // somebody will publish what is here

	ctx    context.Context
	cancel context.CancelCauseFunc
	work   sync.WaitGroup
	stops  sync.Map // JobID → context.CancelFunc of jobs that may take long
	view   atomic.Pointer[catalog.View]
	writes atomic.Bool // a revocation is written back
	// certificates names those of peers, if the transport knows them.
	certificates atomic.Pointer[func(catalog.Peer) string]
	closed       sync.Once
	late         *late // nil unless Config.Latency is set
}

// tick is how often a node looks at its deadlines.
const tick = 20 * time.Millisecond

// Start begins to serve. The node is a member already.
func Start(ctx context.Context, cfg Config) (*Daemon, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.ViewDeadline <= 0 {
		cfg.ViewDeadline = ViewDeadline
	}
	here := cmp.Or(cfg.Machine, machine.Here())
	eng, err := engine.New(engine.Options{Memory: cfg.Memory, Codegen: cfg.Codegen, Promotion: here.Promotion(), Trial: here.Trial})
	if err != nil {
		return nil, err
	}
	lives := newLives(cfg.Membership, cfg.Rejoin)
	cfg.Membership = lives
	d := &Daemon{cfg: cfg, lives: lives, self: cfg.Membership.Peer(), log: cfg.Log, start: time.Now(), eng: eng, wanted: make(chan struct{}, 1)}
	d.share = engine.NewShare(cmp.Or(cfg.Threads, runtime.GOMAXPROCS(0)), cfg.Long)
	d.rooms = &rooms{size: run.MostResident}
	d.columns = newColumns(eng)
	d.native = newNative(&cfg)
	d.metrics = newMetrics(d)
	d.scrub = newScrubber(d)
	d.own.watch = watch.New()
	d.machine.Store(cmp.Or(cfg.Machine, machine.Here()))
	d.ctx, d.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	d.core = node.New(d.self, cfg.Limits)
	d.drive = &drive.Driver[node.Input, node.Effect]{Core: d.core, Now: d.now, Ctx: d.ctx, Offer: d.offer, Sends: d.sends, Do: d.do, Unsent: d.metrics.unsent,
		Lost: func(p catalog.Peer) node.Input { return &node.Gone{Peer: p} }}
	if cfg.Latency > 0 {
		d.late = newLate(cfg.Latency, func(to catalog.Peer, b []byte) error { return d.net.Send(to, b) }, d.Gone)
		d.work.Go(func() { d.late.run(d.ctx) })
	}
	d.repairs = newRepairs(d)
	d.recall() // before anybody connects, who would be asked for what is on the disk
	if d.net, err = cfg.Dial(d.self, d.nameOf, d); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.learnOwners()
	d.work.Go(d.watch)
	d.work.Go(func() { d.drive.Ticks(tick, &node.Tick{}) })
	d.work.Go(d.ready)
	if d.repairs != nil {
		d.work.Go(d.repairs.run)
		d.work.Go(func() { d.repairs.ask.Ticks(tick, &caller.Tick{}) })
	}
	d.work.Go(d.publish)
	if cfg.Rejoin != nil {
		d.work.Go(d.renew)
	}
	d.work.Go(d.scrub.run)
	d.tellDamaged()
	return d, nil
}

// Describe has the node plan for what it runs on, and tells the cluster.
func (d *Daemon) Describe(ctx context.Context, m *machine.Machine) error {
	text, err := m.Short()
	if err != nil {
		return err
	}
	d.machine.Store(m)
	return d.lives.Describe(ctx, string(text))
}

// Busy reports that pieces are at work, or requests in hand.
func (d *Daemon) Busy() bool { return d.own.running.Load() > 0 || d.status().Requests > 0 }

// Peer is the node's number.
func (d *Daemon) Peer() catalog.Peer { return d.self }

// View is the cluster as last heard of; without anything before the first time.
func (d *Daemon) View() *catalog.View {
	if v := d.view.Load(); v != nil {
		return v
	}
	return &catalog.View{}
}

// Renewed is when the control last confirmed that the node is a member.
func (d *Daemon) Renewed() time.Time { return d.lives.Renewed() }

// errStopping ends the jobs of a node that is closed. Who waits for them may ask another node.
var errStopping = errors.New("the node is stopping")

// Close ends the node and gives everything back.
func (d *Daemon) Close() error {
	var err error
	d.closed.Do(func() {
		d.cancel(errStopping)
		if d.net != nil {
			err = d.net.Close()
		}
		d.work.Wait()
		err = errors.Join(err, d.native.close())
		d.columns.close()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		err = errors.Join(err, d.cfg.Membership.Leave(ctx), d.eng.Close(), d.cfg.Store.Close())
	})
	return err
}

// nameOf is the name of a node that is alive.
func (d *Daemon) nameOf(p catalog.Peer) (string, bool) { return d.view.Load().Name(p) }

func (d *Daemon) offer(to catalog.Peer, b []byte, of *loan.Loan) error {
	if d.late != nil {
		return d.late.hold(to, b)
	}
	return transport.Lend(d.net, to, b, of)
}

func (d *Daemon) sends(to catalog.Peer, b []byte) { d.trace("sent", "to", to, b) }

func (d *Daemon) now() int64 { return time.Since(d.start).Microseconds() }

// watch takes in views until the node ends.
func (d *Daemon) watch() {
	for d.ctx.Err() == nil {
		views, err := d.cfg.Control.Watch(d.ctx)
		if err != nil { // the control has been lost since the node joined
			d.log.Warn("the catalogue cannot be watched; it is tried again", "reason", err)
			time.Sleep(tick)
			continue
		}
		for v := range views {
			d.learn(v)
		}
	}
}

// learn passes a view on, to the core and to the transport.
func (d *Daemon) learn(v *catalog.View) {
	v = d.remember(v)
	d.distrust(v) // first, so that nothing is allowed or refused by an older list
	d.compare(v)  // before anybody reads by it
	d.view.Store(v)
	d.cfg.Store.Committed(func(set uint32) bool { _, listed := v.Set(set); return listed })
	known := map[catalog.Peer]string{}
	for _, n := range v.Nodes {
		if n.Peer != d.self {
			known[n.Peer] = n.Address
		}
	}
	d.net.Know(known)
	d.lives.saw(v)
	d.columns.retain(v)
	d.drive.Step(&node.Learned{View: v})
	d.takeBack(v)
	d.repairs.learn(v)
	if d.cfg.Learned != nil {
		d.cfg.Learned(v)
	}
}

// Receive implements transport.Handler.
func (d *Daemon) Receive(from catalog.Peer, b []byte) {
	d.trace("received", "from", from, b)
	if !d.repairs.takes(from, b) {
		d.drive.Step(&node.Received{From: from, Bytes: b, Owners: d.certificateOf()})
	}
}

// Gone implements transport.Handler.
func (d *Daemon) Gone(p catalog.Peer, err error) {
	if d.ctx.Err() != nil {
		return
	}
	level := slog.LevelInfo
	if p >= catalog.FirstClient { // clients come and go
		level = slog.LevelDebug
	}
	d.log.Log(d.ctx, level, "peer gone", "peer", p, "reason", err)
	d.drive.Step(&node.Gone{Peer: p})
	d.repairs.gone(p)
}

// do carries out one effect. What it gives back is to be fed to the core. Short jobs run here and
// now: to hand one to another thread takes longer than most of them.
func (d *Daemon) do(e node.Effect) node.Input {
	switch e := e.(type) {
	case *node.Send:
		return d.drive.Send(e.To, e.Bytes, e.Loan)
	case *node.Start:
		return d.begin(e)
	case *node.Stop:
		if stop, ok := d.stops.Load(e.Job); ok {
			stop.(context.CancelFunc)()
		}
	case *node.Alarm:
		time.AfterFunc(time.Duration(e.After)*time.Microsecond, func() {
			if d.ctx.Err() == nil {
				d.drive.Step(&node.Tick{})
			}
		})
	case *node.Forget:
		d.eng.Forget(e.ID)
		d.native.forget(e.ID)
	}
	return nil
}

// begin runs a job: here if it is short, otherwise on its own goroutine.
func (d *Daemon) begin(e *node.Start) node.Input {
	if e.Small && d.short(e.Work) {
		in := d.finish(d.ctx, e)
		if _, walk := e.Work.(*node.Advance); walk {
			// Parcels that have arrived meanwhile may bring states of the same walk: those
			// that go on then travel together.
			runtime.Gosched()
		}
		return in
	}
	ctx, cancel := context.WithTimeout(d.ctx, time.Duration(e.Left)*time.Microsecond)
	d.stops.Store(e.Job, cancel)
	d.work.Go(func() {
		defer cancel()
		claim := d.claim(e)
		in := d.finish(withOwner(withClaim(ctx, claim), e.Owner), e)
		claim.Leave()
		in.End().Used = claim.Used().Microseconds()
		d.stops.Delete(e.Job)
		if claim.Lowered() { // what comes of it must not run on this thread
			d.work.Go(func() { d.drive.Step(in) })
		} else {
			d.drive.Step(in)
		}
	})
	return nil
}

// finish runs a job to its end.
func (d *Daemon) finish(ctx context.Context, e *node.Start) (in node.Finished) {
	end := node.Ended{Job: e.Job}
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("bug: a job panicked", "work", fmt.Sprintf("%T", e.Work), "panic", p)
			in = &node.Failed{Ended: node.Ended{Job: e.Job}, Err: &node.WorkError{Reason: parcel.Internal, Detail: fmt.Sprint(p)}}
		}
	}()
	err := d.outdated(e.Work)
	if err == nil {
		in, err = d.perform(ctx, e, &end.Timing)
	}
	if err != nil {
		in = &node.Failed{Err: err}
	}
	*in.End() = end
	return in
}

// perform does the work of a job, and says what it took.
func (d *Daemon) perform(ctx context.Context, e *node.Start, took *parcel.Timing) (in node.Finished, err error) {
	switch w := e.Work.(type) {
	case *node.Compile:
		return d.compile(ctx, w, took)
	case *node.Install:
		return &node.Compiled{}, d.named(ctx, d.install(ctx, w, took))
	case *node.Native:
		in, err = d.runNative(ctx, e.Owner, w, took)
		return in, d.named(ctx, err)
	}
	start := time.Now()
	if w, walk := e.Work.(*node.Advance); walk {
		in, err = d.advance(ctx, w)
	} else {
		var a *parcel.Answer
		a, err = d.answer(ctx, e)
		in = &node.Answered{Answer: a}
	}
	err = d.named(ctx, err)
	took.Run = uint32(time.Since(start).Microseconds())
	return in, err
}

// answer does work that ends with an answer.
func (d *Daemon) answer(ctx context.Context, e *node.Start) (*parcel.Answer, error) {
	switch w := e.Work.(type) {
	case *node.Compute:
		return d.compute(ctx, w)
	case *node.Collect:
		return d.collect(ctx, w.Gather)
	case *node.Keep:
		return d.keep(ctx, e, w)
	case *node.Copy:
		return d.copyPart(w.Part)
	case *node.Report:
		return d.inquired(e, w.Inquiry)
	}
	return nil, fmt.Errorf("no such work: %T", e.Work)
}
