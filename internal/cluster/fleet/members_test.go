package fleet

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control"
)

// Each change of the members is said once.
func TestMembersWatched(t *testing.T) {
	now := time.Now()
	states := func(roles ...string) (list []control.MemberState) {
		for i, r := range roles {
			m := control.MemberState{Name: string(rune('a' + i)), Role: r}
			if r == control.Down {
				m.Since = now.Add(-downLong)
			}
			list = append(list, m)
		}
		return list
	}
	replaced := states(control.Leader, control.Follower, control.Follower)
	replaced[1].Replaced = &control.Replaced{Time: now.Add(time.Second), Reason: "r"}
	old := states(control.Leader, control.Follower, control.Follower)
	old[1].Replaced = &control.Replaced{Time: now.Add(-time.Hour), Reason: "r"}
	w := &watch{since: now}
	for i, step := range []struct {
		list []control.MemberState
		want []string
	}{
		{nil, nil},
		{old, nil},
		{states(control.Leader, control.Follower, control.Down), []string{"member-down"}},
		{states(control.Leader, control.Follower, control.Down), nil},
		{states(control.Leader, control.Down, control.Down), []string{"member-down"}},
		{states(control.Leader, control.Follower, control.Down), []string{"member-up"}}, // one look finds too much on a busy machine
		{states(control.Leader, control.Down, control.Down), []string{"member-down"}},
		{states(control.Leader, control.Down, control.Down), []string{"majority-lost"}},
		{states(control.Leader, control.Follower, control.Down), []string{"member-up", "majority-back"}},
		{states(control.Leader, control.Follower, control.Follower), []string{"member-up"}},
		{replaced, []string{"member-replaced"}},
		{replaced, nil},
	} {
		var got []string
		for _, e := range w.take(step.list, now) {
			got = append(got, e.Event)
		}
		if len(got) != len(step.want) {
			t.Fatalf("step %d: said %v, expected %v", i, got, step.want)
		}
		for j := range got {
			if got[j] != step.want[j] {
				t.Errorf("step %d: said %v, expected %v", i, got, step.want)
			}
		}
	}
}
