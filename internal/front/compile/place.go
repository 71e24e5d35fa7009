package compile

import (
	"errors"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// Sited is a source that lies on certain nodes of a cluster.
type Sited interface {
	// OnNode is nil if all rows are on the node with this number; otherwise it
	// says where they are.
	OnNode(number int64) error
}

// checkPlaces refuses places that this machine does not have. What lies on
// its disk or in its memory is taken where it is, and a local file is one
// shard of a Cluster.
func (f *Func) checkPlaces(args Args) error {
	for i := range f.Graph.ParamInfo {
		p := &f.Graph.ParamInfo[i]
		if p.Place.Kind == graph.OnNode {
			if err := onNode(args[p.Name], p.Place.Number); err != nil {
				return refuse(p.Name, "give it a data set of the cluster that is there: "+p.Name+"=@NAME, loaded with --shards 1; or declare it `@ Cluster`",
					"argument `%s` is declared `@ %s`: %v", p.Name, p.Place, err).at(f.Graph.Source, p.Pos, "declared here")
			}
			continue
		}
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

func onNode(a Arg, n int64) error {
	t, ok := a.(Table)
	if !ok {
		return errors.New("it is on this machine, which is no node")
	}
	s, ok := t.Source.(Sited)
	if !ok {
		return errors.New("it is on this machine, which is no node")
	}
	return s.OnNode(n)
}

// absent names what is missing for a place, "" if nothing is.
func absent(p graph.Place) string {
	switch p.Kind {
	case graph.OnNode:
		return "way to leave a result on a node: results come back to the caller"
	case graph.GPU:
		return "accelerator that godwit can use"
	case graph.Far:
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
