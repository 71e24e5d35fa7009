package control

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
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

// A look that is cut short says nothing about members: nobody was given the time to answer.
func TestLookIsCutShort(t *testing.T) {
	e := &etcd{}
	e.overseer.known = []*pb.Member{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}, {ID: 3, Name: "c"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if list, err := e.members(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that had no time found %v (%v)", list, err)
	}
}
