package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
)

// Locals is a cluster inside of this process, for tests: nodes with their data in
// memory, a catalogue in memory, and a network in memory.
type Locals struct {
	Client  *cluster.Cluster
	Control *control.Memory
	Network *memnet.Hub
	Nodes   []*daemon.Daemon

	Stores []*store.Store // of the nodes

	dir  string // of the nodes' directories, which hold locks and compiled code
	edit func(*daemon.Config)
}

// localMemory is the address space of each node: tests start many.
const localMemory = 1 << 30

// Local starts n nodes and connects with them.
func Local(ctx context.Context, n int) (*Locals, error) {
	return LocalWith(ctx, n, func(*daemon.Config) {})
}

// LocalWith starts n nodes that edit has made other choices for.
func LocalWith(ctx context.Context, n int, edit func(*daemon.Config)) (*Locals, error) {
	dir, err := os.MkdirTemp("", "godwit")
	if err != nil {
		return nil, err
	}
	l := &Locals{Control: control.NewMemory(), Network: memnet.NewHub(1, memnet.Config{}), dir: dir, edit: edit}
	for i := range n {
		if err := l.node(ctx, fmt.Sprintf("n%d", i+1), store.Options{Memory: true}, false, edit); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	c, err := cluster.Connect(ctx, cluster.Config{Control: l.Control, Self: newClient(), Dial: l.dial})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.Client = c
	return l, nil
}

func (l *Locals) dial(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
	return l.Network.Join(self, h)
}

// Far starts a node that stands for far memory of so many bytes, and holds back what it sends.
func (l *Locals) Far(ctx context.Context, name string, size int64, latency time.Duration) error {
	return l.node(ctx, name, store.Options{Memory: true, Bytes: size}, true, func(cfg *daemon.Config) {
		l.edit(cfg)
		cfg.Latency = latency
	})
}

func (l *Locals) node(ctx context.Context, name string, data store.Options, far bool, edit func(*daemon.Config)) error {
	st, err := store.Open(filepath.Join(l.dir, name), data)
	if err != nil {
		return err
	}
	join := func(ctx context.Context) (control.Membership, error) {
		return l.Control.Join(ctx, control.Member{Name: name, Address: name, Arch: runtime.GOARCH, Far: far, Secret: st.Identity(), Held: daemon.Holding(st)})
	}
	m, err := join(ctx)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	cfg := daemon.Config{Name: name, Store: st, Control: l.Control, Membership: m, Rejoin: join, Limits: DefaultLimits(), Memory: localMemory, Dial: l.dial}
	edit(&cfg)
	d, err := daemon.Start(ctx, cfg)
	if err != nil {
		return err
	}
	l.Nodes, l.Stores = append(l.Nodes, d), append(l.Stores, st)
	return nil
}

// Close ends all nodes. The client is its user's to close.
func (l *Locals) Close() error {
	var errs []error
	for _, d := range l.Nodes {
		errs = append(errs, d.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(l.dir))...)
}
