package run

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// A sort that does not fit leads to what takes its place.
func TestSortBeyondTheLimit(t *testing.T) {
	p := Prepare(&schedule.Schedule{Buffers: []schedule.Buffer{{Name: "sort:1"}}})
	m := &memory{about: p.about, inputs: make([]*input, 1), opt: Options{Resident: 10}}
	if err := m.tooLarge(0, 100, ""); !strings.Contains(err.Error(), "top_k") {
		t.Error(err)
	}
}
