package compile

import (
	"strings"

	"github.com/godwit-run/godwit/graph"
)

// checkPlaces refuses places that this machine does not have. What lies on
// its disk or in its memory is taken where it is, and a local file is one
// shard of a Cluster.
func (f *Func) checkPlaces() error {
	for i := range f.Graph.ParamInfo {
		p := &f.Graph.ParamInfo[i]
		if what := absent(p.Place); what != "" {
			return refuse(p.Name, "declare it `@ Disk` or `@ RAM`, or leave the place out to use it wherever it is",
				"argument `%s` is declared `@ %s`, but this machine has no %s", p.Name, p.Place, what).at(f.Graph.Source, p.Pos, "declared here")
		}
	}
	if what := absent(f.Graph.ResultPlace); what != "" {
		return refuse("", "declare it `@ RAM`, or leave the place out",
			"the result is declared `@ %s`, but this machine has no %s", f.Graph.ResultPlace, what)
	}
	return nil
}

// absent names what is missing for a place, "" if nothing is.
func absent(place string) string {
	name, _, _ := strings.Cut(place, "(")
	switch name {
	case "Node":
		return "other nodes: it does not belong to a cluster"
	case "GPU":
		return "accelerator that godwit can use"
	case "Far":
		return "far memory"
	}
	return ""
}

// info is what the graph says about parameter i.
func (f *Func) info(i int) graph.ParamInfo {
	if i < len(f.Graph.ParamInfo) {
		return f.Graph.ParamInfo[i]
	}
	return graph.ParamInfo{Name: f.Graph.Body.Params[i].Name}
}
