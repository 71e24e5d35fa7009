package view

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/data/digest"
)

// Code writes for people what nodes made of the kernels and packages that they were
// sent; "" if that is nothing.
func Code(nodes []cluster.NodeStatus) string {
	var b strings.Builder
	b.WriteString("\n")
	w := &table{}
	w.row(cells("node\tkernels on wasm\tnative\tobjects on disk\tpackages\tregions")...)
	any := false
	for _, n := range nodes {
		var r daemon.Report
		if n.Error != "" || json.Unmarshal(n.Report, &r) != nil {
			continue
		}
		tiers := map[string]int{}
		for _, k := range r.Kernels {
			tiers[k.Tier]++
		}
		any = any || len(r.Kernels)+len(r.Packages)+r.Objects.Count > 0 || r.Workers != nil && (r.Workers.Unconfined || r.Workers.Emulated)
		w.row(n.Name, fmt.Sprint(tiers["wasm"]), fmt.Sprint(tiers["native"]),
			fmt.Sprintf("%d, %s", r.Objects.Count, Bytes(r.Objects.Bytes)), packages(&r), Bytes(r.Regions))
	}
	b.WriteString(w.String())
	if !any {
		return ""
	}
	return b.String()
}

// packages lists a node's packages; a node that runs none says so, and one that runs
// them without the filter of system calls.
func packages(r *daemon.Report) string {
	if !r.Native {
		return "refused"
	}
	if w := r.Workers; w != nil {
		switch {
		case w.Unconfined && w.Emulated:
			return "unconfined, emulated: " + packageNames(r)
		case w.Unconfined:
			return "unconfined: " + packageNames(r)
		case w.Emulated:
			return "emulated: " + packageNames(r)
		}
	}
	return packageNames(r)
}

func packageNames(r *daemon.Report) string {
	var names []string
	for _, p := range r.Packages {
		names = append(names, fmt.Sprintf("%s (%s, %s)", p.Name, digest.Cut(p.Hash), p.Form))
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}
