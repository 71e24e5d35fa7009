package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
)

// Damaged lists the shards that nodes have set aside since they started, a line each;
// nothing if there are none.
func Damaged(nodes []cluster.NodeStatus) string {
	var b strings.Builder
	for _, n := range nodes {
		var r daemon.Report
		if n.Error != "" || json.Unmarshal(n.Report, &r) != nil {
			continue
		}
		for _, d := range r.Damaged {
			name := fmt.Sprintf("set %d", d.Set)
			switch {
			case d.Texts != "":
				name = "the texts of @" + d.Texts
			case d.Name != "":
				name = "@" + d.Name
			}
			fmt.Fprintf(&b, "\n%s set aside shard %d of %s at %s: %s\n", n.Name, d.Shard, Shown(name), d.Time.UTC().Format(time.RFC3339), Shown(d.Reason))
		}
	}
	return b.String()
}
