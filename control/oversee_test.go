package control

import (
	"testing"
	"testing/synctest"
	"time"
)

// Members that do not answer keep nobody waiting who asks how they are, as long as somebody
// looked after them lately.
func TestMembersAreKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &etcd{}
		c := newRegistry(e, Options{})
		e.overseer.note([]MemberState{{Name: "a", Role: Leader}})
		began := time.Now()
		list, err := c.Members(t.Context())
		if err != nil || len(list) != 1 || list[0].Name != "a" || time.Since(began) > 0 {
			t.Errorf("after %v: %v (%v)", time.Since(began), list, err)
		}
		time.Sleep(2 * overseeing)
		if list, err := c.Members(t.Context()); err == nil {
			t.Errorf("what is known is too old, and was given: %v", list)
		}
	})
}
