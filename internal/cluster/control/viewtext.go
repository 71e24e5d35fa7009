package control

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// viewText is a view as nodes send it to clients: the records that it was made of, and who
// holds what.
type viewText struct {
	Format   int            `json:"format"`
	Revision int64          `json:"revision"`
	Nodes    []nodeText     `json:"nodes"`
	Away     []catalog.Away `json:"away,omitempty"`
	Sets     []setText      `json:"sets"`
	Trust    trust.List     `json:"trust"`
}

type nodeText struct {
	Peer        catalog.Peer `json:"peer"`
	Name        string       `json:"name"`
	Address     string       `json:"address"`
	Metrics     string       `json:"metrics,omitempty"`
	Arch        string       `json:"arch"`
	Incarnation int64        `json:"incarnation"`
	Draining    bool         `json:"draining,omitempty"`
	Machine     string       `json:"machine,omitempty"`
	Far         bool         `json:"far,omitempty"`
}

type setText struct {
	ID       uint32           `json:"id"`
	Record   json.RawMessage  `json:"record"`
	Replicas [][]catalog.Peer `json:"replicas,omitempty"` // by shard
}

// AppendSet encodes a set, without who holds it.
func AppendSet(s *catalog.Set) []byte {
	return encode(setText{ID: s.ID, Record: encodeSet(s)})
}

// ReadSet decodes what AppendSet wrote, and checks it.
func ReadSet(b []byte) (*catalog.Set, error) {
	var t setText
	if err := json.Unmarshal(b, &t); err != nil {
		return nil, &InvalidError{fmt.Sprintf("a data set was expected: %v", err)}
	}
	s, err := t.set()
	return &s, err
}

// EncodeView encodes a view, without its age.
func EncodeView(v *catalog.View) []byte {
	t := viewText{Format: format, Revision: v.Revision, Away: v.Away, Trust: v.Trust}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		t.Nodes = append(t.Nodes, nodeText{n.Peer, n.Name, n.Address, n.Metrics, n.Arch, n.Incarnation, n.Draining, n.Machine, n.Far})
	}
	for i := range v.Sets {
		s := setText{ID: v.Sets[i].ID, Record: encodeSet(&v.Sets[i])}
		for _, h := range v.Sets[i].Shards {
			s.Replicas = append(s.Replicas, h.Replicas)
		}
		t.Sets = append(t.Sets, s)
	}
	return encode(t)
}

// DecodeView reads what EncodeView wrote.
func DecodeView(b []byte) (*catalog.View, error) {
	var t viewText
	if err := decode("of the view", b, &t, &t.Format); err != nil {
		return nil, err
	}
	v := &catalog.View{Revision: t.Revision, Away: t.Away, Trust: t.Trust}
	for _, n := range t.Nodes {
		v.Nodes = append(v.Nodes, catalog.Node{
			Peer: n.Peer, Name: n.Name, Address: n.Address, Metrics: n.Metrics, Arch: n.Arch, Incarnation: n.Incarnation, Draining: n.Draining, Machine: n.Machine, Far: n.Far,
		})
	}
	for _, st := range t.Sets {
		s, err := st.set()
		if err != nil {
			return nil, err
		}
		v.Sets = append(v.Sets, s)
	}
	if !slices.IsSortedFunc(v.Nodes, func(a, b catalog.Node) int { return int(a.Peer) - int(b.Peer) }) ||
		!slices.IsSortedFunc(v.Sets, func(a, b catalog.Set) int { return int(a.ID) - int(b.ID) }) {
		return nil, &InvalidError{"a view with its nodes and sets in the order of their numbers was expected"}
	}
	return v, nil
}

// set reads a set with who holds it.
func (t *setText) set() (catalog.Set, error) {
	s, err := decodeSet(numbered(setPrefix, t.ID), t.Record)
	if err != nil {
		return s, err
	}
	if len(t.Replicas) != 0 && len(t.Replicas) != len(s.Shards) {
		return s, &InvalidError{fmt.Sprintf("data set %q has %d shards, and replicas of %d were given", s.Name, len(s.Shards), len(t.Replicas))}
	}
	for i, r := range t.Replicas {
		s.Shards[i].Replicas = r
	}
	return s, nil
}
