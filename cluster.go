package godwit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/data"
)

// Strategy is where launches over data sets run.
type Strategy = cluster.Strategy

// The strategies; see package cluster.
const (
	Auto         = cluster.Auto
	Fetch        = cluster.Fetch
	Ship         = cluster.Ship
	Gather       = cluster.Gather
	Single       = cluster.Single
	Preinstalled = cluster.Preinstalled
)

// Travel is what a call took in a cluster.
type Travel struct {
	Nodes     []string `json:"nodes"`      // that took part
	Hops      int64    `json:"hops"`       // most forwards of a parcel from node to node
	Parcels   int64    `json:"parcels"`    // sent and received by the caller
	Bytes     int64    `json:"bytes"`      // of them
	CodeBytes int64    `json:"code_bytes"` // of kernels that the caller sent
	Retries   int64    `json:"retries"`
	Places    []string `json:"places"` // where each launch ran, in words
	// Replaced are the nodes in whose place others were asked, as they had failed, were lost or
	// had no time.
	Replaced []Replacement `json:"replaced"`
}

// Replacement is a node that another one stood in for.
type Replacement struct {
	Node string `json:"node"`
	By   string `json:"by"`
}

// travel gives nodes their names.
func (c *Cluster) travel(s cluster.Stats) *Travel {
	t := &Travel{Nodes: []string{}, Hops: s.Hops, Parcels: s.Parcels, Bytes: s.Bytes, CodeBytes: s.CodeBytes, Retries: s.Retries, Places: s.Places, Replaced: []Replacement{}}
	for _, r := range s.Replaced {
		t.Replaced = append(t.Replaced, Replacement(r))
	}
	for _, p := range s.Nodes {
		name := fmt.Sprintf("node %d", p)
		if n, ok := c.View().Node(p); ok {
			name = n.Name
		}
		t.Nodes = append(t.Nodes, name)
	}
	return t
}

// clusterError gives an error of the cluster the type that callers expect.
func clusterError(err error) error {
	if err == nil {
		return nil
	}
	var unfit *store.UnfitError
	if errors.As(err, &unfit) {
		return &InputError{Text: unfit.Error(), Help: unfit.Help(), Err: err}
	}
	var down *site.UnreachedError
	if errors.As(err, &down) {
		return &InputError{Text: down.Error(), Help: down.Help(), Err: err}
	}
	var file *data.Error
	if errors.As(err, &file) {
		return &InputError{Text: file.Error(), Help: file.Help, Err: err}
	}
	var none *cluster.NoSetError
	if errors.As(err, &none) {
		return &InputError{Text: err.Error(), Help: none.Help, Err: err}
	}
	return &InputError{Text: err.Error(), Err: err}
}

// Cluster is a connection with a cluster of nodes. It is safe for concurrent
// use.
type Cluster struct {
	c     *cluster.Cluster
	stop  func() error // ends nodes that belong to the connection
	ended sync.Once
}

// ErrClosed is what calls end with whose cluster is closed, before or meanwhile; errors.Is finds it.
var ErrClosed = cluster.ErrClosed

// ConnectOptions are the choices of a client.
type ConnectOptions = site.Options

// Connect joins the cluster that a directory describes, as `godwit up` made it.
func Connect(ctx context.Context, dir string, opt ConnectOptions) (*Cluster, error) {
	c, err := site.Connect(ctx, dir, opt)
	if err != nil {
		return nil, clusterError(err)
	}
	return &Cluster{c: c}, nil
}

// LocalCluster starts n nodes inside this process, with their data in memory, and
// connects with them. It is meant for tests. The nodes run no packages: those run in
// processes of their own, which only nodes of the godwit binary start.
func LocalCluster(ctx context.Context, n int) (*Cluster, error) {
	if n < 1 {
		return nil, badOption("LocalCluster: expected 1 node or more, found %d", n)
	}
	if ctx == nil {
		return nil, noContext("LocalCluster")
	}
	l, err := site.Local(ctx, n)
	if err != nil {
		return nil, err
	}
	return &Cluster{c: l.Client, stop: l.Close}, nil
}

// Close ends the connection. Calls in progress end at once with [ErrClosed], as later ones do.
// Closing again does nothing.
func (c *Cluster) Close() (err error) {
	if c.ready() != nil {
		return nil
	}
	c.ended.Do(func() {
		err = c.c.Close()
		if c.stop != nil {
			err = errors.Join(err, c.stop())
		}
	})
	return err
}

// ready is an error of a Cluster that nobody connected.
func (c *Cluster) ready() error {
	if c == nil || c.c == nil {
		return badOption("the Cluster is empty; Connect and LocalCluster make one")
	}
	return nil
}

// LoadOptions say how a file becomes a data set.
type LoadOptions struct {
	Shards   int           // as many as there are nodes if 0
	Replicas int           // of each shard; 1 if 0
	By       string        // "blocks" (also if empty), "rows" or "hash(column)"
	Far      bool          // it goes to far memory: to the nodes that stand for it
	Disks    bool          // it does not, though the set that is replaced lay there
	Skip     []string      // columns that are left out; others must be such that they can be stored
	Replace  bool          // an older data set of the name goes; what is said of neither Shards, Replicas, By nor Far stays as it was
	Append   bool          // the rows are added behind those of the data set of the name, which keeps all that is not said
	Widen    bool          // beside Append: columns whose types do not hold the new rows get types that hold both, and columns that one of them lacks have no value there
	Again    bool          // beside Append: also if the same rows were added before
	Deadline time.Duration // that ends a load of which nothing was stored for so long; 2 minutes if 0
	// Progress, if set, is told how many rows are done: looked at, if the file is text, and
	// stored. It is called by one goroutine at a time.
	Progress func(done, total int64)
}

// Loaded is a data set as it was stored, and what was left out.
type Loaded = cluster.Loaded

// UnfitError lists the columns of a file that cannot be stored, and why. LoadOptions.Skip
// leaves them out.
type UnfitError = store.UnfitError

// Load stores a file's columns in the cluster as the data set name. path may be anything that a [Text] names as files. It tells what was
// stored.
func (c *Cluster) Load(ctx context.Context, path, name string, opt LoadOptions) (*Loaded, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	spec, ok, err := data.ParseSpec(path)
	if !ok {
		spec = data.One(path)
	}
	if err == nil {
		err = allColumns(path, spec)
	}
	if err != nil {
		return nil, clusterError(err)
	}
	src, err := data.OpenSpec(ctx, spec, data.StandardInput)
	if err != nil {
		return nil, clusterError(err)
	}
	defer src.Close()
	if src.Rows() == 0 && !opt.Append && (src.Format() == "csv" || src.Format() == "jsonl") {
		return nil, &InputError{Text: src.Path() + " has no rows, and nothing else tells the types of its columns", Help: "load a file that has rows, and add others to it with --append"}
	}
	l, err := c.c.Load(ctx, src, name, cluster.LoadOptions(opt))
	return l, clusterError(err)
}

// Open gives a data set as a table, whose rows come from the nodes when they are read.
func (c *Cluster) Open(name string) (Source, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	src, err := c.c.Open(name)
	if err != nil {
		return nil, clusterError(err)
	}
	return src, nil
}

// Drop removes a data set.
func (c *Cluster) Drop(ctx context.Context, name string) error {
	if err := c.ready(); err != nil {
		return err
	}
	return clusterError(c.c.Drop(ctx, name))
}

// View lists the nodes that are alive and the data sets, as last heard of.
func (c *Cluster) View() *catalog.View {
	if c.ready() != nil {
		return new(catalog.View)
	}
	return c.c.View()
}

// Status asks every node for what it holds and has done.
func (c *Cluster) Status(ctx context.Context) ([]cluster.NodeStatus, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	return c.c.Status(ctx)
}

// Accused lists nodes and links that are slower than they were, and models and descriptions that are off, as far as work of this
// connection and the statuses of nodes while it lasted tell.
func (c *Cluster) Accused() []Accusation {
	if c.ready() != nil {
		return nil
	}
	return c.c.Accused()
}

// Members are the members of etcd that keep the cluster's records, as a node sees them; nil where
// no node knows.
func (c *Cluster) Members(ctx context.Context) []control.MemberState {
	if c.ready() != nil {
		return nil
	}
	return c.c.Members(ctx)
}

// Scrub has every node read its shards again from its disk and compare them with their
// checksums, at a rate in bytes a second, or as fast as it can if that is 0. Statuses tell
// how far they are.
func (c *Cluster) Scrub(ctx context.Context, rate int64) ([]cluster.NodeStatus, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	return c.c.Scrub(ctx, rate)
}

// open gives a data set as a table.
func (c *Cluster) open(arg, name string) (data.Source, error) {
	if c == nil {
		return nil, &InputError{Arg: arg, Text: fmt.Sprintf("argument `%s` is the data set @%s, but there is no cluster", arg, name),
			Help:    "join one with godwit.Connect, and give it to the call with godwit.WithCluster",
			Command: "start one with `godwit up`, or name its directory with --cluster"}
	}
	if err := c.ready(); err != nil {
		return nil, err
	}
	src, err := c.c.Open(name)
	if err != nil {
		e := &InputError{Arg: arg, Text: fmt.Sprintf("argument `%s`: %v", arg, err), Err: err}
		if none := (*cluster.NoSetError)(nil); errors.As(err, &none) {
			e.Help = none.Help
		}
		return nil, e
	}
	return src, nil
}
