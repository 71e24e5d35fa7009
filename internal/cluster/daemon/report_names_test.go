package daemon

import (
	"maps"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/node"
)

func TestCountersInJSON(t *testing.T) {
	s := inJSON(node.Status{In: map[string]int64{"need code": 3, "walk": 1}, Refusals: map[string]int64{"kernel missing": 2}})
	if !maps.Equal(s.In, map[string]int64{"need_code": 3, "walk": 1}) || !maps.Equal(s.Refusals, map[string]int64{"kernel_missing": 2}) {
		t.Errorf("%+v", s)
	}
}
