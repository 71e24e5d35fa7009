package view

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
)

// TestCluster: what is missing, out of reach, being repaired and being drained is said.
func TestCluster(t *testing.T) {
	two := []catalog.Peer{1, 2}
	v := &catalog.View{
		Nodes: []catalog.Node{{Peer: 1, Name: "n1"}, {Peer: 2, Name: "n2", Draining: true}},
		Away:  []catalog.Away{{Peer: 2, Name: "n2"}, {Peer: 3, Name: "n3"}},
		Sets: []catalog.Set{
			{ID: 1, Name: "whole", Shards: []catalog.Shard{{Assigned: []catalog.Peer{1}, Replicas: []catalog.Peer{1}}}},
			{ID: 2, Name: "thin", Shards: []catalog.Shard{{Assigned: two, Replicas: two}, {Assigned: two, Replicas: []catalog.Peer{1}}, {Assigned: two}}},
		},
	}
	report, err := json.Marshal(&daemon.Report{Peers: []daemon.Connected{{Peer: 2, Way: "ring"}, {Peer: 3, Way: "stream"}, {Peer: 4, Way: "fabric"}}, Repairs: []daemon.Repair{{Set: 2, Shard: 1, Done: 1 << 20, Bytes: 2 << 20}}})
	if err != nil {
		t.Fatal(err)
	}
	text := Cluster(v, []cluster.NodeStatus{{Node: v.Nodes[0], Report: report}, {Node: v.Nodes[1], Error: "busy"}})
	for _, want := range []string{
		"n2 (draining)", "1 of 3 connections that the nodes have go through shared memory", "1 of 3 connections that the nodes have go over their fabric", "n3             3       -        gives no sign of life", "3 (1 out of reach)", "2 (4 missing)",
		"n1 is making a replica of shard 1 of @thin: 1.05 MB of 2.10 MB are there",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if strings.Count(text, "n2") != 1 {
		t.Errorf("a node that went while it was asked is there twice:\n%s", text)
	}
	if strings.Count(text, "missing") != 1 {
		t.Errorf("something is missing of a set that is whole:\n%s", text)
	}
}
