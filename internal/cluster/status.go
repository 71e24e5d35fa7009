package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/repair"
)

// NodeStatus is what one node says about itself, or why it says nothing.
type NodeStatus struct {
	catalog.Node
	Report json.RawMessage `json:"report,omitempty"` // see daemon.Report
	Error  string          `json:"error,omitempty"`
}

// Status asks all nodes at the same time.
func (c *Cluster) Status(ctx context.Context) ([]NodeStatus, error) {
	return c.inquire(ctx, &parcel.Inquiry{})
}

// AwayFrom are the nodes that a view lists as away and that were not asked a moment ago.
func AwayFrom(v *catalog.View, nodes []NodeStatus) []catalog.Away {
	list := []catalog.Away{}
	for _, a := range v.Away {
		if !slices.ContainsFunc(nodes, func(n NodeStatus) bool { return n.Peer == a.Peer }) {
			list = append(list, a)
		}
	}
	return list
}

// Members are the members of etcd, as a node sees them; nil where no node knows.
func (c *Cluster) Members(ctx context.Context) []control.MemberState {
	o, ok := c.cfg.Control.(control.Overseer)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	list, err := o.Members(ctx)
	if err != nil {
		return nil // the cluster has said enough of itself without
	}
	return list
}

// Scrub has all nodes read their shards again from their disks and compare them with their
// checksums, at a rate in bytes a second, or as fast as they can if it is 0. Their
// statuses tell how far they are.
func (c *Cluster) Scrub(ctx context.Context, rate int64) ([]NodeStatus, error) {
	return c.inquire(ctx, &parcel.Inquiry{Scrub: true, Rate: rate})
}

func (c *Cluster) inquire(ctx context.Context, q *parcel.Inquiry) ([]NodeStatus, error) {
	nodes := c.View().Nodes
	waits := make([]*future, len(nodes))
	for i, n := range nodes {
		waits[i] = newFuture()
		c.calls.Begin(waits[i].set, func(id caller.ID) caller.Input {
			return &caller.Ask{ID: id, Kind: parcel.Status, To: n.Peer, Payload: q.Append(nil), Left: c.left(ctx)}
		})
	}
	list := make([]NodeStatus, len(nodes))
	for i, n := range nodes {
		list[i] = NodeStatus{Node: n}
		a, err := c.await(ctx, waits[i])
		own := (*caller.Error)(nil)
		switch {
		case errors.As(err, &own): // which names the node
			list[i].Error = own.Error()
		case err != nil:
			list[i].Error = err.Error()
		case len(a.Columns) != 1 || !json.Valid(a.Columns[0]):
			list[i].Error = "the answer is no status"
		default:
			list[i].Report = a.Columns[0]
		}
	}
	if c.ctx.Err() != nil {
		return nil, ErrClosed
	}
	return list, nil
}

// Copies is how many replicas of a data set's shards there are.
type Copies struct {
	Set        uint32 `json:"set"`
	Name       string `json:"name"`
	Wanted     int    `json:"wanted"`       // as many were made when it was loaded
	Held       int    `json:"held"`         // by live nodes
	Missing    int    `json:"missing"`      // to be made again; those on nodes that are being drained do not count
	OutOfReach int    `json:"out_of_reach"` // shards that no live node holds
}

// Listed are data sets as readers of JSON want them: lists that are empty are there, not null.
func Listed(sets ...catalog.Set) []catalog.Set {
	list := append([]catalog.Set{}, sets...)
	for i := range list {
		s := &list[i]
		s.Columns = append([]catalog.Column{}, s.Columns...)
		s.Shards = append([]catalog.Shard{}, s.Shards...)
		for k := range s.Shards {
			sh := &s.Shards[k]
			sh.Assigned, sh.Replicas = append([]catalog.Peer{}, sh.Assigned...), append([]catalog.Peer{}, sh.Replicas...)
		}
	}
	return list
}

// CopiesOf counts the replicas of all data sets of a view.
func CopiesOf(v *catalog.View) []Copies {
	list := []Copies{}
	for i := range v.Sets {
		s := &v.Sets[i]
		c := Copies{Set: s.ID, Name: s.Name}
		for k := range s.Shards {
			sh := &s.Shards[k]
			c.Wanted += len(sh.Assigned)
			c.Held += len(sh.Replicas)
			c.Missing += repair.Missing(v, sh)
			if v.Owner(sh, nil) == 0 {
				c.OutOfReach++
			}
		}
		list = append(list, c)
	}
	return list
}

// cleanTime is how long it may take to clean up after what has failed.
const cleanTime = 10 * time.Second

// dropTime is how long nodes are asked to drop the shards of a set that is gone. Those that are not
// reached drop them when they hear of it.
const dropTime = 2 * time.Second

// Drop makes a data set invisible and removes its shards from the nodes that are alive. It
// is done when the catalogue has no such set any more, whatever nodes do.
func (c *Cluster) Drop(ctx context.Context, name string) error {
	set, err := c.cfg.Control.Remove(ctx, name)
	if missing := (*control.MissingError)(nil); errors.As(err, &missing) {
		return c.noSet(name)
	}
	if err != nil {
		return c.why(err)
	}
	texts, err := c.forgetTexts(ctx, set)
	_ = c.dropAll(ctx, set, texts)
	if err != nil {
		return fmt.Errorf("@%s is dropped, but its dictionaries are not: drop %s, too: %w", name, catalog.TextsOf(set.ID), c.why(err))
	}
	return nil
}

func (c *Cluster) dropShards(ctx context.Context, set *catalog.Set) error {
	var errs []error
	for i, s := range set.Shards {
		for _, p := range s.Everyone() {
			if _, alive := c.View().Node(p); !alive {
				continue
			}
			if err := c.blob(ctx, parcel.Drop, p, &parcel.Blob{Set: set.ID, Shard: uint32(i), Lo: s.Lo, Hi: s.Hi, Total: s.Bytes, Sum: s.Sum}); err != nil {
				errs = append(errs, fmt.Errorf("shard %d on node %d: %w", i, p, err))
			}
		}
	}
	return errors.Join(errs...)
}

// blob sends a node part of a shard's file, or what is to become of it.
func (c *Cluster) blob(ctx context.Context, kind parcel.Kind, to catalog.Peer, b *parcel.Blob) error {
	return c.store(ctx, kind, to, b.Append(nil))
}

// store asks a node to keep, seal or drop a shard; payload is that of a blob.
func (c *Cluster) store(ctx context.Context, kind parcel.Kind, to catalog.Peer, payload []byte) error {
	_, err := c.do(ctx, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: kind, To: to, Payload: payload, Left: c.left(ctx)}
	})
	return err
}
