package schedule

import (
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
)

// A schedule is settled where only its result depends on the sizes that it finds.
func TestFound(t *testing.T) {
	n, k := size.Var("N"), size.Var("?1")
	find := &SetSize{Name: "?1", Max: n}
	launch := func(p size.Poly) *Launch { return &Launch{Sizes: []SizeArg{{Poly: p}}} }
	for _, c := range []struct {
		name    string
		steps   []Step
		length  size.Poly
		bound   size.Poly
		names   []string
		settled bool
	}{
		{"indices below what is left", []Step{find}, n, k, []string{"?1"}, false},
		{"nothing found", []Step{launch(n)}, n, n, nil, true},
		{"a filter", []Step{launch(n), find}, n, n, []string{"?1"}, true},
		{"two", []Step{launch(n), find, &SetSize{Name: "?2", Max: k}}, n, n, []string{"?1", "?2"}, true},
		{"a launch over what is left", []Step{launch(n), find, launch(k)}, n, n, []string{"?1"}, false},
		{"a launch in another form", []Step{&Launch{Packed: &Packed{Launch: launch(k)}}, find}, n, n, []string{"?1"}, false},
		{"a table by what is left", []Step{find, &Launch{Sizes: []SizeArg{{Poly: n, KeyedBy: &k}}}}, n, n, []string{"?1"}, false},
		{"a loop over what is left", []Step{find, &Loop{Hi: ScalarSource{Poly: k}}}, n, n, []string{"?1"}, false},
		{"in a loop", []Step{&Loop{Body: []Step{find}}}, n, n, nil, false},
		{"on one side of a choice", []Step{&Branch{Then: []Step{find}}}, n, n, nil, false},
		{"a buffer of what is left", []Step{find}, k, n, []string{"?1"}, false},
		{"parts", []Step{&SetParts{}, find}, n, n, []string{"?1"}, false},
	} {
		s := &Schedule{Steps: c.steps, Buffers: []Buffer{{Len: c.length, Bound: c.bound}}}
		if names, settled := s.Found(); !slices.Equal(names, c.names) || settled != c.settled {
			t.Errorf("%s: %v, %v", c.name, names, settled)
		}
	}
}
