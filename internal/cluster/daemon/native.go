package daemon

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
	"github.com/godwit-run/godwit/internal/packages/worker"
)

// Native is what a node needs to run packages. A node without it runs none.
type Native struct {
	Workers     *worker.Pool // the daemon closes it
	Exports     []string     // libraries whose functions packages may look up
	RegionBytes int64        // of all regions that packages are granted
	Emulated    bool         // workers run under an emulator, for the report
}

// native is what a node knows of packages.
type native struct {
	loader  Loader
	workers *worker.Pool
	regions *regions

	mu        sync.Mutex
	trust     trust.List
	installed map[kernel.ID]*installed
}

// installed is a package that may run as long as the list of trust permits it.
type installed struct {
	id      kernel.ID // of all its bytes, as parcels name it
	content pack.ID
	signer  ed25519.PublicKey
	form    pack.Form // of the section that was chosen
	program *worker.Program
}

func newNative(cfg *Config) *native {
	if cfg.Native == nil {
		return nil
	}
	return &native{
		loader:  Loader{Codegen: cfg.Codegen, Exports: cfg.Native.Exports},
		workers: cfg.Native.Workers, regions: newRegions(cfg.Native.RegionBytes),
		installed: map[kernel.ID]*installed{},
	}
}

func (n *native) close() error {
	if n == nil {
		return nil
	}
	err := n.workers.Close()
	n.regions.close()
	return err
}

// errNoNative says what an operator has to do.
var errNoNative = refused("this node runs no packages: its operator must start it with --native and trust the key that signed the package, with godwit trust add")

// install checks a package, compiles it and starts its worker.
func (d *Daemon) install(ctx context.Context, w *node.Install, t *parcel.Timing) error {
	n := d.native
	if n == nil {
		return errNoNative
	}
	start := time.Now()
	p, err := pack.Decode(w.Bytes)
	if err != nil {
		return refused("%v", err)
	}
	// The view may not have come yet in the first moments of the node.
	if err := d.heard(ctx, func(*catalog.View) bool { return true }); err != nil {
		return err
	}
	if err := d.allowed(ctx, p); err != nil {
		return err
	}
	checked := time.Since(start)
	program, form, compiling, err := n.loader.Program(ctx, p)
	if err != nil {
		return unusable(err)
	}
	program.ID = w.ID.String() // all of it, with the signer: two packages may have one name
	loading := time.Now()
	if _, err := n.workers.Load(ctx, program); err != nil {
		return unusable(err)
	}
	content, err := p.ID()
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.installed[w.ID] = &installed{w.ID, content, p.Signer, form, program}
	n.mu.Unlock()
	t.Verify, t.Compile = micros(checked+time.Since(loading)), micros(compiling)
	d.keepCode(w.ID, w.Bytes)
	return nil
}

// allowed says whether a package may be installed. Of a key that has just been added
// to the list others may have heard first.
func (d *Daemon) allowed(ctx context.Context, p *pack.Package) error {
	err := d.native.trusts().Allows(p)
	for until := time.Now().Add(newKey); errors.Is(err, trust.ErrStranger) && time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
		err = d.native.trusts().Allows(p)
	}
	if err != nil {
		return refused("%v", err)
	}
	return nil
}

// newKey is how long a node waits for news of a key that it does not know.
const newKey = 500 * time.Millisecond

func micros(d time.Duration) uint32 { return uint32(min(d.Microseconds(), 1<<32-1)) }

// unusable is why a package cannot run here, unless it is only late.
func unusable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return refused("%v", err)
}

func (n *native) trusts() trust.List {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.trust
}

// permits says whether a package may still run.
func (n *native) permits(i *installed) error {
	if err := n.trusts().Permits(i.program.Name, i.content, i.signer); err != nil {
		return refused("%v", err)
	}
	return nil
}

// learn takes in who is trusted now, and ends the workers of packages that may not
// run any more. It gives these.
func (n *native) learn(list trust.List) (ended []kernel.ID, err error) {
	n.mu.Lock()
	// What was once revoked stays so, even if an older list comes back.
	merged, err := n.trust.Merge(list)
	if err == nil {
		n.trust = merged
	}
	all := make([]*installed, 0, len(n.installed))
	for _, i := range n.installed {
		all = append(all, i)
	}
	n.mu.Unlock()
	for _, i := range all {
		if n.permits(i) != nil {
			n.workers.Drop(i.program.ID)
			ended = append(ended, i.id)
		}
	}
	return ended, err
}

// distrust passes on to the core which packages may not run any more.
func (d *Daemon) distrust(v *catalog.View) {
	if d.native == nil {
		return
	}
	ended, err := d.native.learn(v.Trust)
	if err != nil {
		d.log.Error("the list of trust was not taken over", "reason", err)
	}
	for _, id := range ended {
		d.log.Warn("a package may not run any more", "package", id.Short())
		d.drive.Step(&node.Withdraw{ID: id})
	}
	d.native.regions.retain(v)
}

// forget ends the worker of a package.
func (n *native) forget(id kernel.ID) {
	if n == nil {
		return
	}
	n.mu.Lock()
	i := n.installed[id]
	delete(n.installed, id)
	n.mu.Unlock()
	if i != nil {
		n.workers.Drop(i.program.ID)
	}
}

// describe says where and how packages run.
func (n *native) describe(emulated bool) *Workers {
	return &Workers{n.workers.Status(), emulated}
}

// list tells which packages are installed, by name.
func (n *native) list() []Package {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := []Package{}
	for _, i := range n.installed {
		list = append(list, Package{i.program.Name, i.content.String(), trust.Fingerprint(i.signer), i.form.String()})
	}
	slices.SortFunc(list, func(a, b Package) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Signer, b.Signer))
	})
	return list
}

func (n *native) find(id kernel.ID) *installed {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.installed[id]
}

// named finds another package by its hash, or by its name among those that the same
// key has signed.
func (n *native) named(by *installed, name string) (kernel.ID, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var found []*installed
	for _, i := range n.installed {
		if i.content.String() == name || i.program.Name == name && i.signer.Equal(by.signer) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return kernel.ID{}, refused("the package %s sent the package %s, which is not known here with the same signature; send it to this node before", by.program.Name, name)
	case 1:
		return found[0].id, nil
	}
	return kernel.ID{}, refused("the package %s sent the package %s, and %d of that name are known here; name it by its hash", by.program.Name, name, len(found))
}

// runNative runs a package's main function.
func (d *Daemon) runNative(ctx context.Context, owner string, w *node.Native, t *parcel.Timing) (*node.Called, error) {
	n := d.native
	if n == nil {
		return nil, errNoNative
	}
	i := n.find(w.ID)
	if i == nil {
		return nil, &node.WorkError{Reason: parcel.NoCode, Detail: fmt.Sprintf("the package %s is not installed any more", w.ID.Short())}
	}
	if err := n.permits(i); err != nil {
		return nil, err
	}
	grants, release, err := d.grant(ctx, owner, string(i.signer), w.Call.Grants)
	if err != nil {
		return nil, err
	}
	defer release()
	call := &worker.Call{Payload: w.Call.Bytes, Self: uint32(d.self), Grants: grants}
	for _, m := range d.view.Load().Nodes {
		call.Nodes = append(call.Nodes, uint32(m.Peer))
	}
	out, err := n.call(ctx, i, call, t)
	if err != nil {
		if revoked := n.permits(i); revoked != nil {
			return nil, revoked // that is what ended it
		}
		return nil, ran(err)
	}
	end := &node.Called{Replied: out.Replied, Reply: out.Reply}
	for _, s := range out.Sends {
		o := node.Outgoing{To: catalog.Peer(s.To), Payload: s.Payload}
		if s.Package != "" {
			if o.ID, err = n.named(i, s.Package); err != nil {
				return nil, err
			}
		}
		end.Sends = append(end.Sends, o)
	}
	return end, nil
}

// call runs a package in its worker, which may have to be started again.
func (n *native) call(ctx context.Context, i *installed, c *worker.Call, t *parcel.Timing) (*worker.Outcome, error) {
	for {
		start := time.Now()
		out, err := n.workers.Call(ctx, i.program.ID, c)
		if t.Run = micros(time.Since(start)); !errors.Is(err, worker.ErrNotLoaded) {
			return out, err
		}
		start = time.Now()
		if _, err := n.workers.Load(ctx, i.program); err != nil {
			return nil, err
		}
		t.Verify += micros(time.Since(start))
	}
}

// ran gives the failure of a run its reason.
func ran(err error) error {
	var w *worker.Error
	if errors.As(err, &w) && w.Cause == nil {
		return &node.WorkError{Reason: parcel.Crashed, Detail: err.Error()}
	}
	return err
}
