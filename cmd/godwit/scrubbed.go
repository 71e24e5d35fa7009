package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/view"
)

// scrubbed is what godwit scrub --json prints.
type scrubbed struct {
	Nodes []nodeScrubbed `json:"nodes"`
}

// nodeScrubbed is what one node read; Error says why it did not.
type nodeScrubbed struct {
	Node   string           `json:"node"`
	Bytes  int64            `json:"bytes"`
	Shards int              `json:"shards"`
	Bad    int              `json:"bad"` // of them
	Found  []daemon.Damaged `json:"found"`
	Error  string           `json:"error,omitempty"`
}

// found sorts what the nodes said.
func (s *scrubbing) found(nodes []cluster.NodeStatus) *scrubbed {
	out := &scrubbed{Nodes: []nodeScrubbed{}}
	for _, n := range nodes {
		p := s.passes[n.Peer]
		x := nodeScrubbed{Node: p.name, Error: p.err, Found: []daemon.Damaged{}}
		if p.err == "" {
			sc := p.last.Scrub
			x.Bytes, x.Shards, x.Bad = sc.Bytes, sc.Shards, sc.Bad
			for _, d := range p.last.Damaged {
				if !d.Time.Before(sc.Began) {
					x.Found = append(x.Found, d)
				}
			}
		}
		out.Nodes = append(out.Nodes, x)
	}
	return out
}

// tell prints what was found, and fails if something is wrong.
func (s *scrubbing) tell(w io.Writer, found *scrubbed) error {
	if s.json {
		if err := printJSON(w, found); err != nil {
			return err
		}
	}
	damaged, unread := 0, 0
	for i := range found.Nodes {
		n := &found.Nodes[i]
		damaged += n.Bad
		if n.Error != "" {
			unread++
		}
		if !s.json {
			fmt.Fprint(w, n)
		}
	}
	switch {
	case damaged > 0:
		return &godwit.InputError{Text: fmt.Sprintf("%s damaged", view.Number(damaged, "shard")),
			Help: "they are set aside and made again from other replicas; where a data set has no other, load it again; look after the disk"}
	case unread > 0:
		return errors.New(view.Number(unread, "node") + " not read")
	}
	return nil
}

func (n *nodeScrubbed) String() string {
	if n.Error != "" {
		return fmt.Sprintf("%s: not read: %s\n", n.Node, n.Error)
	}
	text := fmt.Sprintf("%s: %s in %s read, %d damaged\n", n.Node, view.Bytes(n.Bytes), view.Number(n.Shards, "shard"), n.Bad)
	for _, d := range n.Found {
		of := "@" + cmp.Or(d.Name, fmt.Sprint(d.Set))
		if d.Texts != "" {
			of = "the texts of @" + d.Texts
		}
		text += fmt.Sprintf("  shard %d of %s: %s\n", d.Shard, of, d.Reason)
	}
	return text
}
