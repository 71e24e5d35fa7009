package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/fleet"
	"github.com/godwit-run/godwit/internal/measure"
	"github.com/godwit-run/godwit/internal/packages/trust"
	"github.com/godwit-run/godwit/internal/plan/watch"
	"github.com/godwit-run/godwit/internal/view"
)

// outputs are the types that commands print with --json, each a value of its type. Their fields
// have names in small letters and underscores; a test walks them.
var outputs = []any{
	&reported{}, &checks{}, &explained{}, &measure.Report{}, &versions{}, // programs
	&clusterStatus{}, &cluster.Loaded{}, &trust.List{}, &scrubbed{}, &drained{}, // clusters
	&fleet.Event{}, &fleet.State{}, &fleet.Restarted{}, &fleet.Ended{}, // what up does
	&packaged{}, &sent{}, // packages
	&view.Described{}, &view.Rows{}, &converted{}, // tables
	&failed{},
}

// clusterStatus is what godwit status --json prints.
type clusterStatus struct {
	Nodes   []cluster.NodeStatus  `json:"nodes"`
	Away    []catalog.Away        `json:"away"` // have been here, and are not alive
	Sets    []catalog.Set         `json:"sets"`
	Copies  []cluster.Copies      `json:"copies"`
	Members []control.MemberState `json:"members"`
	Accused []watch.Accusation    `json:"accused"` // of being slow, or not as they are described
}

// printJSON writes v, a pointer to one of outputs, on a line of its own; text stays as it is, <
// and > too.
func printJSON(w io.Writer, v any) error {
	if !isOutput(v) {
		return fmt.Errorf("internal error: %T is not listed as an output", v)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func isOutput(v any) bool {
	for _, o := range outputs {
		if reflect.TypeOf(o) == reflect.TypeOf(v) {
			return true
		}
	}
	return false
}
