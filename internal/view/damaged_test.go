package view

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
)

func TestDamaged(t *testing.T) {
	report, err := json.Marshal(&daemon.Report{Damaged: []daemon.Damaged{
		{Set: 3, Name: "flights", Shard: 1, Block: 7, Reason: "block 7 is bad", Time: time.Unix(0, 0)},
		{Set: 4, Shard: 2, Block: -1, Reason: "it is missing", Time: time.Unix(1, 0)},
		{Set: 5, Name: "texts.3", Texts: "flights", Shard: 0, Block: -1, Reason: "it is missing", Time: time.Unix(2, 0)}}})
	if err != nil {
		t.Fatal(err)
	}
	nodes := []cluster.NodeStatus{{Node: catalog.Node{Name: "n1"}, Report: report}, {Node: catalog.Node{Name: "n2"}, Error: "it is away"}}
	const want = "\nn1 set aside shard 1 of @flights at 1970-01-01T00:00:00Z: block 7 is bad\n\nn1 set aside shard 2 of set 4 at 1970-01-01T00:00:01Z: it is missing\n\nn1 set aside shard 0 of the texts of @flights at 1970-01-01T00:00:02Z: it is missing\n"
	if got := Damaged(nodes); got != want {
		t.Errorf("found %q, expected %q", got, want)
	}
}
