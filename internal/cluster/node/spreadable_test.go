package node

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// A fan's pieces end where they are said to: none may end where it has kept enough.
func TestFanKeepsNothing(t *testing.T) {
	tree := &parcel.Tree{Task: parcel.Task{Keep: &parcel.Keep{}}}
	if err := spreadable(tree); err == nil {
		t.Error("a tree whose task keeps some of its elements is accepted")
	}
}
