package elaborate

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// A place is read as what it is, and printed as it was written.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		text, printed string
		want          graph.Place
	}{
		{"Disk", "Disk", graph.Place{Kind: graph.Disk}},
		{"RAM", "RAM", graph.Place{Kind: graph.RAM}},
		{"Far", "Far", graph.Place{Kind: graph.Far}},
		{"GPU(1)", "GPU(1)", graph.Place{Kind: graph.GPU, Number: 1}},
		{"Node(0)", "Node(0)", graph.Place{Kind: graph.OnNode}},
		{"Cluster", "Cluster", graph.Place{Kind: graph.Cluster}},
		{"Cluster(blocks)", "Cluster(blocks)", graph.Place{Kind: graph.Cluster, Shards: "blocks"}},
		{"Cluster(hash, 1 + 2)", "Cluster(hash, 3)", graph.Place{Kind: graph.Cluster, Shards: "hash, 3"}},
	} {
		p, msgs := checkText("p.gw", "fn f(v: &[f32; N] @ "+c.text+") -> f32 @ "+c.text+" { v.sum() }")
		if err := msgs.Err(); err != nil {
			t.Fatal(err)
		}
		g, err := p.Graph("f")
		if err != nil {
			t.Fatal(err)
		}
		if p := g.ParamInfo[0].Place; p != c.want || g.ResultPlace != c.want || p.String() != c.printed {
			t.Errorf("%s is read as %+v and %+v, and printed as %s", c.text, p, g.ResultPlace, p)
		}
	}
	if s := (graph.Place{}).String(); s != "" {
		t.Errorf("no place is printed as %q", s)
	}
}
