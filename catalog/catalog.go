// Package catalog describes a cluster as everyone in it sees it: which nodes
// are alive, which data sets there are, and where their shards lie. A View is
// a value that never changes; package control delivers new ones.
package catalog

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/trust"
)

// Peer is the number of a node or a client in its cluster. Nodes count from 1
// and keep their number when they restart; clients draw a random one from
// FirstClient upwards.
type Peer uint32

// FirstClient is the least number of a client.
const FirstClient Peer = 1 << 31

// MaxShards is how many shards a set has at most: they are numbered from 0.
const MaxShards = 4096

// View is a cluster at one revision.
type View struct {
	Revision int64
	// Records is a random text that the records got when they began: revisions and
	// numbers of others mean nothing here. Views that clients get may lack it.
	Records string
	Nodes   []Node // alive, ascending by Peer
	Sets    []Set  // ascending by ID
	// Trust is whose packages may run, on nodes that run any, and what was revoked.
	Trust trust.List
	// Age is how long ago a node that gave this view was last told that it holds, if the
	// cluster's records could not be asked; else 0.
	Age time.Duration
}

// Node is a member whose lease is alive.
type Node struct {
	Peer        Peer
	Name        string
	Address     string // host:port of its parcels
	Metrics     string // host:port of its metrics; may be empty
	Arch        string // "amd64"
	Incarnation int64  // revision at which this life of the node began; a fence
	// Draining nodes get no new shards, and what they hold does not count as a copy that
	// there should be.
	Draining bool
}

// Set is a data set: a table of columns that is cut into shards by rows. Its
// contents never change under one ID.
type Set struct {
	ID      uint32
	Name    string
	Columns []Column
	Rows    int64
	By      string  // how rows were assigned: "blocks", "rows", "hash(column)"
	Shards  []Shard // contiguous, ascending, covering all rows
}

// Column describes a column as it is stored.
type Column struct {
	Name     string
	Kind     num.Kind // Invalid for what Godwit cannot compute with
	Stored   string   // the type's own name, for messages
	Dims     []int64  // inner dimensions of a row
	Nullable bool
}

// Type is the column's type in the language: "i64", "Option<f64>", "[f32; 3]".
func (c *Column) Type() string {
	t := c.Kind.String()
	for i := len(c.Dims) - 1; i >= 0; i-- {
		t = fmt.Sprintf("[%s; %d]", t, c.Dims[i])
	}
	if c.Nullable {
		t = "Option<" + t + ">"
	}
	return t
}

// Shard is rows Lo..Hi of a set, stored as a whole by each of its replicas.
type Shard struct {
	Lo, Hi int64
	// Assigned are the nodes that got the shard when the set was loaded; as many copies
	// there should be.
	Assigned []Peer
	// Replicas are the live nodes that say they hold it: those of Assigned first, in
	// their order, then others by number.
	Replicas []Peer
	Bytes    int64    // of the stored file
	Sum      [32]byte // SHA-256 of the stored file
}

// Everyone is who was given the shard or says it holds it, each once.
func (s *Shard) Everyone() []Peer {
	all := slices.Clone(s.Assigned)
	for _, p := range s.Replicas {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// Before reports whether a node comes before another in the order of the shard's replicas:
// those that were given it in their order, then all others by number.
func (s *Shard) Before(p, q Peer) bool {
	i, j := slices.Index(s.Assigned, p), slices.Index(s.Assigned, q)
	if i < 0 && j < 0 {
		return p < q
	}
	return i >= 0 && (j < 0 || i < j)
}

// Older reports that a view says less than another one of the same records. Of other records,
// as after etcd was set up anew, the one that came last counts: their revisions do not compare.
func (v *View) Older(o *View) bool { return v.Records == o.Records && v.Revision < o.Revision }

// Node gives a live node.
func (v *View) Node(p Peer) (*Node, bool) {
	i := sort.Search(len(v.Nodes), func(i int) bool { return v.Nodes[i].Peer >= p })
	if i == len(v.Nodes) || v.Nodes[i].Peer != p {
		return nil, false
	}
	return &v.Nodes[i], true
}

// Name gives the name of a live node. A nil view has none.
func (v *View) Name(p Peer) (string, bool) {
	if v == nil {
		return "", false
	}
	n, ok := v.Node(p)
	if !ok {
		return "", false
	}
	return n.Name, true
}

// Set gives a data set by its number.
func (v *View) Set(id uint32) (*Set, bool) {
	i := sort.Search(len(v.Sets), func(i int) bool { return v.Sets[i].ID >= id })
	if i == len(v.Sets) || v.Sets[i].ID != id {
		return nil, false
	}
	return &v.Sets[i], true
}

// Named gives a data set by its name.
func (v *View) Named(name string) (*Set, bool) {
	for i := range v.Sets {
		if v.Sets[i].Name == name {
			return &v.Sets[i], true
		}
	}
	return nil, false
}

// ShardOf is the number of the shard that holds a row of the set.
func (s *Set) ShardOf(row int64) int {
	return sort.Search(len(s.Shards), func(i int) bool { return s.Shards[i].Hi > row })
}

// Owner is the first live replica of a shard that usable accepts, 0 if there is
// none. Everyone who asks with the same view gets the same answer.
func (v *View) Owner(s *Shard, usable func(Peer) bool) Peer {
	for _, p := range s.Replicas {
		if _, alive := v.Node(p); alive && (usable == nil || usable(p)) {
			return p
		}
	}
	return 0
}
