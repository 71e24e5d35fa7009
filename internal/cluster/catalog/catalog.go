// Package catalog describes a cluster as everyone in it sees it: which nodes
// are alive, which data sets there are, and where their shards lie. A View is
// a value that never changes; package control delivers new ones.
package catalog

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/packages/trust"
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
	Away    []Away // not alive, and not drained; ascending by Peer
	Sets    []Set  // ascending by ID
	// Trust is whose packages may run, on nodes that run any, and what was revoked.
	Trust trust.List
	// Age is how long ago a node that gave this view was last told that it holds, if the
	// cluster's records could not be asked; else 0.
	Age time.Duration
}

// Node is a member whose lease is alive.
type Node struct {
	Peer        Peer   `json:"peer"`
	Name        string `json:"name"`
	Address     string `json:"address"`     // host:port of its parcels
	Metrics     string `json:"metrics"`     // host:port of its metrics; may be empty
	Arch        string `json:"arch"`        // "amd64"
	Incarnation int64  `json:"incarnation"` // revision at which this life of the node began; a fence
	// Draining nodes get no new shards, and what they hold does not count as a copy that
	// there should be.
	Draining bool `json:"draining"`
	// Far nodes stand for far memory: they hold data in memory alone, and only sets that were loaded into such.
	Far bool `json:"far,omitempty"`
	// Machine describes what the node runs on, as machine.toml has it; "" before that was measured.
	Machine string `json:"-"`
}

// Away is a node that has joined once and is not alive. One that is being drained may go.
type Away struct {
	Peer Peer   `json:"peer"`
	Name string `json:"name"`
}

// Set is a data set: a table of columns that is cut into shards by rows. Its
// contents never change under one ID.
type Set struct {
	ID      uint32   `json:"id"`
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
	Rows    int64    `json:"rows"`
	By      string   `json:"by"`     // how rows were assigned: "blocks", "rows", "hash(column)"
	Shards  []Shard  `json:"shards"` // contiguous, ascending, covering all rows
	// Texts is the set that has the dictionaries of columns of text; 0 if there are none.
	Texts uint32 `json:"texts,omitempty"`
	// After is the set that this one continues with more rows; 0 for none. The catalogue takes it only while that has the name.
	After uint32 `json:"after,omitempty"`
	// Added are the rows that were added last, the latest at the end.
	Added []Added `json:"added,omitempty"`
	// Far sets lie in far memory, on nodes that are Far.
	Far bool `json:"far,omitempty"`
}

// Added are rows that were added to a set.
type Added struct {
	Digest string `json:"digest"` // of their values
	Rows   int64  `json:"rows"`
}

// MostAdded is how many of them a set remembers.
const MostAdded = 32

// The ways to assign rows to shards, beside "hash(column)".
const (
	ByBlocks = "blocks"
	ByRows   = "rows"
)

// HashColumn gives the column of "hash(column)".
func HashColumn(by string) (string, bool) {
	name, ok := strings.CutPrefix(by, "hash(")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, ")")
}

// Column describes a column as it is stored. JSON has its type in the language's words.
type Column struct {
	Name     string   `json:"name"`
	Kind     num.Kind `json:"-"` // Invalid for what Godwit cannot compute with
	Stored   string   `json:"-"` // the type's own name, for messages
	Dims     []int64  `json:"-"` // inner dimensions of a row
	Nullable bool     `json:"-"`
	// Means is what the integers stand for. Those of text are numbers of entries in a dictionary: see Set.Texts.
	Means meaning.Meaning `json:"-"`
	// Unknown: no row has a value, and the file said nothing of what values would be. Rows that are added may.
	Unknown bool `json:"-"`
	// Blank, of text or Unknown: every missing value is a field that CSV left empty, the empty text where a program declares Str.
	Blank bool `json:"-"`
}

// Type is the type of a row in the language's words; of what Godwit cannot compute with, the
// file's own name of it.
func (c *Column) Type() string {
	if c.Means.Sort != meaning.None && c.Nullable {
		return "Option<" + c.Means.String() + ">"
	}
	if c.Means.Sort != meaning.None {
		return c.Means.String()
	}
	if c.Kind == num.Invalid {
		return c.Stored
	}
	return num.TypeName(c.Kind, c.Dims, c.Nullable)
}

// columnText is what JSON has of a column.
type columnText struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Blank columns may be declared as Str, too.
	Blank bool `json:"blank,omitempty"`
}

// MarshalJSON names the type.
func (c Column) MarshalJSON() ([]byte, error) {
	return json.Marshal(columnText{c.Name, c.Type(), c.Blank})
}

// Sum is the SHA-256 of a file. As text it has all of its digits.
type Sum [32]byte

// MarshalText writes it in hexadecimal.
func (s Sum) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Sum) UnmarshalText(b []byte) error {
	if len(b) != hex.EncodedLen(len(s)) {
		return fmt.Errorf("a SHA-256 of %d hexadecimal digits was expected, found %d", hex.EncodedLen(len(s)), len(b))
	}
	_, err := hex.Decode(s[:], b)
	return err
}

// Shard is rows Lo..Hi of a set, stored as a whole by each of its replicas.
type Shard struct {
	Lo int64 `json:"lo"`
	Hi int64 `json:"hi"`
	// Assigned are the nodes that got the shard when the set was loaded; as many copies
	// there should be.
	Assigned []Peer `json:"assigned"`
	// Replicas are the live nodes that say they hold it: those of Assigned first, in
	// their order, then others by number.
	Replicas []Peer `json:"replicas"`
	Bytes    int64  `json:"bytes"`  // of the stored file
	Sum      Sum    `json:"sha256"` // of it
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
