package simulate

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// TestPlanted plants a bug between the parts and demands that it is noticed
// soon, for the right reason.
func TestPlanted(t *testing.T) {
	for _, c := range []struct {
		name  string
		hooks hooks
		says  []string // one of these
		least int      // seeds within which it must be noticed
	}{
		{"a lost result is not asked for again", hooks{deaf: true}, []string{"was never delivered"}, 5},
		{"an answer is delivered twice", hooks{deliver: twice}, []string{"although it is not open"}, 5},
		{"an ended life publishes old data", hooks{undead: true}, []string{"the result is", "not those of the table"}, 400},
		{"the hop budget is ignored", hooks{node: astray}, []string{"there was time enough", "does not come to rest"}, 20},
		{"a caller does not exclude who lacks a shard", hooks{forgetful: true}, []string{"which has said that it lacks it"}, 600},
		{"damage is not noticed", hooks{blind: true}, []string{"the result is", "not those of the table", "has copied another file"}, 200},
		{"lost replicas are not made again", hooks{idle: true}, []string{"good replicas on live nodes in the end"}, 50},
		{"rows are combined in order of arrival", hooks{arrival: true}, []string{"the result is"}, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(c.least) {
				_, _, err := simulate(seed, c.hooks)
				if err == nil {
					continue
				}
				first, _, _ := strings.Cut(err.Error(), "; `go test")
				for _, says := range c.says {
					if strings.Contains(first, says) {
						t.Logf("%.300s", first)
						return
					}
				}
				t.Fatalf("it is noticed for another reason: %v", err)
			}
			t.Fatalf("%d worlds do not notice it", c.least)
		})
	}
}

func twice(d *caller.Deliver) []*caller.Deliver { return []*caller.Deliver{d, d} }

// astray passes states to a node that does not own what they want, with a new
// hop budget each time.
func astray(w *world, h *host, e node.Effect) []node.Effect {
	s, ok := e.(*node.Send)
	if !ok || s.To >= catalog.FirstClient {
		return []node.Effect{e}
	}
	p, err := parcel.Decode(s.Bytes)
	if err != nil || p.Kind != parcel.Walk {
		return []node.Effect{e}
	}
	for _, other := range w.hosts {
		if other.peer != s.To && other != h {
			p.Hops = 1000
			parcel.Readdress(s.Bytes, &p.Header)
			return []node.Effect{&node.Send{To: other.peer, Bytes: s.Bytes}}
		}
	}
	return []node.Effect{e}
}
