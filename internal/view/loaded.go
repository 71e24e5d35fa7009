package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// Loaded writes what a load has stored, each column with its type in the language, and
// what it has left out.
func Loaded(l *cluster.Loaded, took time.Duration) string {
	var b strings.Builder
	if l.More != nil && l.More.Known {
		if l.More.Rows == 1 {
			return fmt.Sprintf("@%s has this row from before: nothing was added; --again adds it once more\n", l.Name)
		}
		return fmt.Sprintf("@%s has these %s from before: nothing was added; --again adds them once more\n", l.Name, Number(int(l.More.Rows), "row"))
	}
	bytes, replicas := int64(0), 0
	for i := range l.Shards {
		replicas = len(l.Shards[i].Assigned)
		bytes += l.Shards[i].Bytes * int64(replicas)
	}
	fmt.Fprintf(&b, "@%s: %s in %s, %s each, %s on the nodes, %.2f s\n",
		l.Name, Number(int(l.Rows), "row"), Number(len(l.Shards), "shard"), Number(replicas, "replica"), Bytes(bytes), took.Seconds())
	if l.More != nil {
		fmt.Fprintf(&b, "  %s added\n", Number(int(l.More.Rows), "row"))
	}
	if len(l.Kept) > 0 {
		fmt.Fprintf(&b, "  kept of the one before: %s\n", Shown(strings.Join(l.Kept, " ")))
	}
	w := &table{}
	for i := range l.Columns {
		c := &l.Columns[i]
		w.row("  "+syntax.FieldText(c.Name), c.Type(), c.Stored+cluster.Also(c))
	}
	for _, left := range l.Left {
		w.row("  "+left.Name, "left out", left.Type)
	}
	b.WriteString(w.String())
	return b.String()
}
