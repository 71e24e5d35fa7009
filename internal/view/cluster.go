package view

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
)

// Cluster writes a cluster's nodes and data sets for people.
func Cluster(v *catalog.View, nodes []cluster.NodeStatus) string {
	var b strings.Builder
	w := &table{}
	w.row(cells("node\tnumber\taddress\tup\tshards\tkernels\tparcels in\tout\tcode in\tcache hits\tin hand\tmemory of calls")...)
	for _, n := range nodes {
		clusterNode(w, n)
	}
	for _, a := range cluster.AwayFrom(v, nodes) {
		w.row(a.Name, fmt.Sprint(a.Peer), "-", "gives no sign of life")
	}
	b.WriteString(w.String())
	b.WriteString(ways(nodes))
	if len(v.Sets) == 0 {
		b.WriteString("\nno data sets; store one with `godwit load FILE --as NAME`\n")
		return b.String()
	}
	b.WriteString("\n")
	w = &table{}
	w.row(cells("data set\trows\tcut by\tshards\treplicas\tsize\tcolumns")...)
	copies := cluster.CopiesOf(v)
	for i := range v.Sets {
		if !catalog.IsCompanion(v, &v.Sets[i]) {
			clusterSet(w, &v.Sets[i], &copies[i])
		}
	}
	b.WriteString(w.String())
	b.WriteString(repairs(v, nodes))
	return b.String()
}

func clusterNode(w *table, n cluster.NodeStatus) {
	var r daemon.Report
	if n.Error != "" || json.Unmarshal(n.Report, &r) != nil {
		w.row(named(&n.Node), fmt.Sprint(n.Peer), n.Address, n.Error)
		return
	}
	w.row(named(&n.Node), fmt.Sprint(n.Peer), n.Address, duration(r.Seconds), fmt.Sprint(len(r.Shards)), fmt.Sprint(r.Core.Codes),
		Bytes(r.Core.BytesIn), Bytes(r.Core.BytesOut), Bytes(r.Core.CodeIn), hits(r.Core.CodeHits, r.Core.CodeMisses), fmt.Sprint(r.Core.Requests), Bytes(r.Arena))
}

func cells(titles string) []string { return strings.Split(titles, "\t") }

// named is a node's name, that it stands for far memory, and that it is being drained.
func named(n *catalog.Node) string {
	name := n.Name
	if n.Far {
		name += " (far memory)"
	}
	if n.Draining {
		name += " (draining)"
	}
	return name
}

// repairs lists the shards that nodes are copying.
func repairs(v *catalog.View, nodes []cluster.NodeStatus) string {
	var b strings.Builder
	for _, n := range nodes {
		var r daemon.Report
		if n.Error != "" || json.Unmarshal(n.Report, &r) != nil {
			continue
		}
		for _, x := range r.Repairs {
			name := fmt.Sprint(x.Set)
			if s, ok := v.Set(x.Set); ok {
				name = "@" + s.Name
			}
			fmt.Fprintf(&b, "\n%s is making a replica of shard %d of %s: %s of %s are there\n", n.Name, x.Shard, Shown(name), Bytes(x.Done), Bytes(x.Bytes))
		}
	}
	return b.String()
}

// ways says how many connections of nodes go through memory of their machine, and how many over a fabric.
func ways(nodes []cluster.NodeStatus) string {
	rings, fabrics, all := 0, 0, 0
	for _, n := range nodes {
		var r daemon.Report
		if n.Error != "" || json.Unmarshal(n.Report, &r) != nil {
			continue
		}
		for _, p := range r.Peers {
			switch all++; p.Way {
			case "ring":
				rings++
			case "fabric":
				fabrics++
			}
		}
	}
	text := ""
	if rings > 0 {
		text = fmt.Sprintf("\n%d of %d connections that the nodes have go through shared memory\n", rings, all)
	}
	if fabrics > 0 {
		text += fmt.Sprintf("\n%d of %d connections that the nodes have go over their fabric\n", fabrics, all)
	}
	return text
}

func hits(hit, miss int64) string {
	if hit+miss == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(hit)/float64(hit+miss))
}

func duration(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0fs", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0fm", seconds/60)
	}
	return fmt.Sprintf("%.0fh", seconds/3600)
}

// typed is a column with its type, as a record of the language declares it.
func typed(c *catalog.Column) string {
	if c.Name == "" {
		return c.Type()
	}
	return c.Name + ": " + c.Type()
}

func clusterSet(w *table, s *catalog.Set, c *cluster.Copies) {
	var names []string
	for i := range s.Columns {
		names = append(names, typed(&s.Columns[i]))
	}
	size, most := int64(0), 0
	for i := range s.Shards {
		size += s.Shards[i].Bytes * int64(len(s.Shards[i].Replicas))
		most = max(most, len(s.Shards[i].Assigned))
	}
	shards, replicas := fmt.Sprint(len(s.Shards)), fmt.Sprint(most)
	if c.OutOfReach > 0 {
		shards += fmt.Sprintf(" (%d out of reach)", c.OutOfReach)
	}
	if c.Missing > 0 {
		replicas += fmt.Sprintf(" (%d missing)", c.Missing)
	}
	w.row("@"+s.Name, fmt.Sprint(s.Rows), s.By, shards, replicas, Bytes(size), strings.Join(names, ", "))
}
