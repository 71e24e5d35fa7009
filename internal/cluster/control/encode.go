package control

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// format is the version of the records. A reader refuses what is newer.
const format = 1

type nodeRecord struct {
	Format  int    `json:"format"`
	Name    string `json:"name"`
	Address string `json:"address"`
	Metrics string `json:"metrics,omitempty"`
	Arch    string `json:"arch"`
	Machine string `json:"machine,omitempty"` // catalog.Node.Machine
	Far     bool   `json:"far,omitempty"`
	Secret  string `json:"secret,omitempty"` // SHA-256 of Member.Secret
	Lease   int64  `json:"lease"`
}

// knownRecord outlives the leases of its node, so that views can name nodes that are away.
type knownRecord struct {
	Format int    `json:"format"`
	Name   string `json:"name"`
}

type nameRecord struct {
	Format int          `json:"format"`
	Peer   catalog.Peer `json:"peer"`
}

// heldRecord has the sums of some shards of one set that one node holds, and the rows and
// bytes of their files, which nodes of an earlier version do not say; see pieces.
type heldRecord struct {
	Format int                    `json:"format"`
	Shards map[uint32]catalog.Sum `json:"shards"`
	Sizes  map[uint32][2]int64    `json:"sizes,omitempty"`
}

type setRecord struct {
	Format  int             `json:"format"`
	Name    string          `json:"name"`
	Rows    int64           `json:"rows"`
	By      string          `json:"by"`
	Columns []columnRecord  `json:"columns"`
	Shards  []shardRecord   `json:"shards"`
	Texts   uint32          `json:"texts,omitempty"`
	After   uint32          `json:"after,omitempty"`
	Added   []catalog.Added `json:"added,omitempty"`
	Far     bool            `json:"far,omitempty"`
}

type columnRecord struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind,omitempty"` // empty for num.Invalid
	Stored   string  `json:"stored"`
	Dims     []int64 `json:"dims,omitempty"`
	Nullable bool    `json:"nullable,omitempty"`
	Means    string  `json:"means,omitempty"`   // as programs write the type; empty for plain numbers
	Unknown  bool    `json:"unknown,omitempty"` // catalog.Column.Unknown, likewise
	Blank    bool    `json:"blank,omitempty"`   // catalog.Column.Blank, which records before it do not have
}

type shardRecord struct {
	Lo       int64          `json:"lo"`
	Hi       int64          `json:"hi"`
	Bytes    int64          `json:"bytes"`
	Sum      catalog.Sum    `json:"sum"`
	Replicas []catalog.Peer `json:"replicas"`
}

// encode never fails: the records have nothing that JSON cannot hold.
func encode(record any) []byte {
	b, err := json.Marshal(record)
	if err != nil {
		panic(fmt.Sprintf("control: a %T cannot be encoded: %v", record, err))
	}
	return b
}

// decode reads a record. Unknown fields are ignored, newer formats refused.
func decode(key string, b []byte, record any, version *int) error {
	d := json.NewDecoder(bytes.NewReader(b))
	err := d.Decode(record)
	if err == nil {
		if _, e := d.Token(); e != io.EOF {
			err = fmt.Errorf("something follows the record")
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("the record %s is damaged: %w", key, err)
	case *version != format:
		return fmt.Errorf("the record %s has format %d, and this program knows format %d: use the same version everywhere", key, *version, format)
	}
	return nil
}

// numbered is a key that ends in a number, with leading zeros so that keys and
// numbers have the same order.
func numbered(prefix string, n uint32) string { return fmt.Sprintf("%s%010d", prefix, n) }

func numberOf(prefix, key string) (uint32, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(key, prefix), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("the key %s does not end in a number", key)
	}
	return uint32(n), nil
}

// holderOf reads the key of a heldRecord.
func holderOf(key string) (set uint32, p catalog.Peer, piece uint32, err error) {
	of, by, ok := strings.Cut(strings.TrimPrefix(key, heldPrefix), "/")
	if !ok {
		return 0, 0, 0, fmt.Errorf("the key %s names no set and node", key)
	}
	by, n, further := strings.Cut(by, "/")
	if set, err = numberOf("", of); err == nil && further {
		piece, err = numberOf("", n)
	}
	if err != nil {
		return 0, 0, 0, err
	}
	peer, err := numberOf("", by)
	return set, catalog.Peer(peer), piece, err
}

func decodeNode(r record) (catalog.Node, *nodeRecord, error) {
	var n nodeRecord
	peer, err := numberOf(nodePrefix, r.key)
	if err == nil {
		err = decode(r.key, r.value, &n, &n.Format)
	}
	return catalog.Node{
		Peer: catalog.Peer(peer), Name: n.Name, Address: n.Address, Metrics: n.Metrics, Arch: n.Arch, Incarnation: r.created, Machine: n.Machine, Far: n.Far,
	}, &n, err
}

func encodeSet(s *catalog.Set) []byte {
	r := setRecord{Format: format, Name: s.Name, Rows: s.Rows, By: s.By, Columns: []columnRecord{}, Shards: []shardRecord{}, Texts: s.Texts, After: s.After, Added: s.Added, Far: s.Far}
	for _, c := range s.Columns {
		kind := ""
		if c.Kind.Valid() {
			kind = c.Kind.String()
		}
		means := ""
		if c.Means.Sort != meaning.None {
			means = c.Means.String()
		}
		r.Columns = append(r.Columns, columnRecord{c.Name, kind, c.Stored, c.Dims, c.Nullable, means, c.Unknown, c.Blank})
	}
	for _, h := range s.Shards {
		r.Shards = append(r.Shards, shardRecord{h.Lo, h.Hi, h.Bytes, h.Sum, h.Assigned})
	}
	return encode(r)
}

func decodeSet(key string, value []byte) (catalog.Set, error) {
	id, err := numberOf(setPrefix, key)
	if err != nil {
		return catalog.Set{}, err
	}
	var r setRecord
	if err := decode(key, value, &r, &r.Format); err != nil {
		return catalog.Set{}, err
	}
	s := catalog.Set{ID: id, Name: r.Name, Rows: r.Rows, By: r.By, Texts: r.Texts, After: r.After, Added: r.Added, Far: r.Far}
	for _, c := range r.Columns {
		kind, ok := num.ParseKind(c.Kind)
		if !ok && c.Kind != "" {
			return s, fmt.Errorf("the record %s is damaged: column %q has the unknown kind %q", key, c.Name, c.Kind)
		}
		means, ok := meaning.Named(c.Means)
		if !ok && c.Means != "" {
			return s, fmt.Errorf("the record %s is damaged: the values of column %q stand for %q, which is no type", key, c.Name, c.Means)
		}
		s.Columns = append(s.Columns, catalog.Column{Name: c.Name, Kind: kind, Stored: c.Stored, Dims: c.Dims, Nullable: c.Nullable, Means: means, Unknown: c.Unknown, Blank: c.Blank})
	}
	for _, h := range r.Shards {
		s.Shards = append(s.Shards, catalog.Shard{Lo: h.Lo, Hi: h.Hi, Bytes: h.Bytes, Sum: h.Sum, Assigned: h.Replicas})
	}
	if err := checkSet(&s); err != nil {
		return s, fmt.Errorf("the record %s is damaged: %w", key, err)
	}
	return s, nil
}

// checkSet says what is wrong with a set.
func checkSet(s *catalog.Set) error {
	if err := checkName("data set", s.Name); err != nil {
		return err
	}
	if s.ID == 0 || len(s.Shards) == 0 {
		return &InvalidError{fmt.Sprintf("data set %q needs a number and a shard, found number %d and %d shards", s.Name, s.ID, len(s.Shards))}
	}
	row := int64(0)
	for i, h := range s.Shards {
		if h.Lo != row || h.Hi < h.Lo || h.Bytes < 0 {
			return &InvalidError{fmt.Sprintf("data set %q: shard %d has rows %d to %d and %d bytes; rows from %d on were expected", s.Name, i, h.Lo, h.Hi, h.Bytes, row)}
		}
		row = h.Hi
		seen := map[catalog.Peer]bool{}
		for _, p := range h.Assigned {
			if p == 0 || p >= catalog.FirstClient || seen[p] {
				return &InvalidError{fmt.Sprintf("data set %q: shard %d cannot have node %d as a replica, or has it twice", s.Name, i, p)}
			}
			seen[p] = true
		}
		if len(seen) == 0 {
			return &InvalidError{fmt.Sprintf("data set %q: shard %d has no replica", s.Name, i)}
		}
	}
	if row != s.Rows {
		return &InvalidError{fmt.Sprintf("data set %q has %d rows, its shards have %d", s.Name, s.Rows, row)}
	}
	return nil
}

// maxName is the greatest length of a name in bytes.
const maxName = 200

func checkName(what, name string) error {
	if !printable(name, 1, maxName) {
		return &InvalidError{fmt.Sprintf("%.*q cannot be the name of a %s: 1 to %d bytes of printable text were expected", maxName, name, what, maxName)}
	}
	return nil
}
