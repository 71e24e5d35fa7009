package control

import (
	"errors"
	"testing"

	"go.etcd.io/raft/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A change that was dropped for want of a leader is tried again; other errors without a code are not.
func TestDroppedIsTriedAgain(t *testing.T) {
	for err, want := range map[error]bool{
		status.Error(codes.Unknown, raft.ErrProposalDropped.Error()): true,
		status.Error(codes.Unavailable, "no answer"):                 true,
		status.Error(codes.Unknown, "something else"):                false,
		errors.New("something else"):                                 false,
	} {
		if got := silent(err); got != want {
			t.Errorf("%v: tried again %v, expected %v", err, got, want)
		}
	}
}
