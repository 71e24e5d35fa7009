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
	// InFar is nil if all rows are in far memory; otherwise it says where they are.
	InFar() error
}

// checkPlaces refuses places that this machine does not have. What lies on
// its disk or in its memory is taken where it is, and a local file is one
// shard of a Cluster.
func (f *Func) checkPlaces(args Args) error {
	for i := range f.Graph.ParamInfo {
		p := &f.Graph.ParamInfo[i]
		if help, err := elsewhere(p, args[p.Name]); err != nil {
			return refuse(p.Name, help, "argument `%s` is declared `@ %s`: %v", p.Name, p.Place, err).at(f.Graph.Source, p.Pos, "declared here")
		}
		if what := absent(p.Place); what != "" && p.Place.Kind == graph.GPU {
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

// elsewhere is an error, and what to do about it, if an argument is not on the node or in the far memory where it is declared to be.
func elsewhere(p *graph.ParamInfo, a Arg) (help string, err error) {
	table, _ := a.(Table)
	sited, ok := table.Source.(Sited)
	switch kind := p.Place.Kind; {
	case kind == graph.OnNode && !ok:
		err = errors.New("it is on this machine, which is no node")
	case kind == graph.OnNode:
		err = sited.OnNode(p.Place.Number)
	case kind == graph.Far && !ok:
		err = errors.New("it is on this machine, in its files or its own memory")
	case kind == graph.Far:
		err = sited.InFar()
	}
	if p.Place.Kind == graph.Far {
		return "give it a data set that lies in far memory: " + p.Name + "=@NAME, loaded with `godwit load FILE --as NAME --far`; or leave the place out", err
	}
	return "give it a data set of the cluster that is there: " + p.Name + "=@NAME, loaded with --shards 1; or declare it `@ Cluster`", err
}

// absent names what is missing for a place, "" if nothing is.
func absent(p graph.Place) string {
	switch p.Kind {
	case graph.OnNode:
		return "way to leave a result on a node: results come back to the caller"
	case graph.Far:
		return "way to leave a result in far memory: results come back to the caller, and `godwit load --far` stores a file of them there"
	case graph.GPU:
		return "accelerator that godwit can use"
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
