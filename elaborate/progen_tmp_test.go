package elaborate

import (
	"testing"

	"github.com/godwit-run/godwit/graph"
	"github.com/godwit-run/godwit/progen"
)

func TestProgenTmp(t *testing.T) {
	bad := 0
	for seed := 0; seed < 3000 && bad < 8; seed++ {
		pr := progen.Gen(6).Example(seed)
		p, msgs := checkText("r.gw", pr.Source)
		if err := msgs.Err(); err != nil {
			bad++
			t.Errorf("seed %d\n%s\n%v", seed, pr.Source, err)
			continue
		}
		g, err := p.Graph("f")
		if err != nil {
			t.Fatal(err)
		}
		if err := graph.Verify(g); err != nil {
			bad++
			t.Errorf("seed %d: %v\n%s", seed, err, pr.Source)
		}
	}
}
