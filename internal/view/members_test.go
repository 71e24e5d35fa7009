package view

import (
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control"
)

// What is wrong with members of etcd is said: since when one is down, that a majority is missing,
// that one was replaced.
func TestMembers(t *testing.T) {
	now := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	list := []control.MemberState{
		{Name: "n1", Address: "a:1", Role: control.Leader, Replaced: &control.Replaced{Time: now, Reason: "it was damaged", Folder: "/aside"}},
		{Name: "n2", Address: "a:2", Role: control.Down, Since: now.Add(-90 * time.Second)},
		{Name: "n3", Address: "a:3", Role: control.Follower},
	}
	text := Members(list, now)
	for _, want := range []string{"n1", "leader", "down for 90s", "follower", "replaced at 2025-01-02T03:04:05Z: it was damaged; its old records are in /aside"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "majority") {
		t.Errorf("two of three are a majority:\n%s", text)
	}
	list[2].Role = control.Down
	if text := Members(list, now); !strings.Contains(text, "no majority: 1 of 3 members answer, 2 are needed") {
		t.Errorf("one of three is no majority:\n%s", text)
	}
}
