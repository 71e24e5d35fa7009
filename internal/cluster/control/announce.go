package control

import (
	"context"
	"slices"
	"time"

	etcdmember "go.etcd.io/etcd/server/v3/etcdserver/api/membership"
)

const (
	// announceAgain is after what time a member tries again to tell where it is.
	announceAgain = time.Second
	// yields is how often a member that has moved looks, a second apart, whether it leads again.
	yields = 30
)

// announce tells the other members where this one is, if their records say otherwise:
// it was started at another address than the one at which it was made. It reaches them where they were,
// and they answer on the connections that it opens, so one member that has not moved is
// enough. For a while it leaves the lead to that one: others that have moved reach no other leader before they have told.
func (s *Server) announce() {
	moved := false
	for left := yields; left > 0; {
		ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Options.Timeout)
		told, err := s.tell(ctx)
		cancel()
		moved = moved || told
		switch {
		case err != nil:
			s.cfg.Options.Log.Warn("the control's member cannot tell others its new address", "member", s.cfg.Name, "peer", s.cfg.Peer, "error", err)
		case !moved:
			return
		case told:
			s.cfg.Options.Log.Warn("the control's member told others its new address", "member", s.cfg.Name, "peer", s.cfg.Peer)
		default:
			left--
		}
		if err := s.yield(); err != nil {
			s.cfg.Options.Log.Warn("the control's member, which has moved, cannot leave the lead to another", "member", s.cfg.Name, "error", err)
		}
		select {
		case <-s.e.Server.StopNotify():
			return
		case <-time.After(announceAgain):
		}
	}
}

// tell corrects the record of where this member is, and reports whether it was wrong.
func (s *Server) tell(ctx context.Context) (wrong bool, err error) {
	own := s.e.Server.Cluster().Member(s.e.Server.MemberID())
	var want []string
	for _, u := range s.e.Config().AdvertisePeerUrls {
		want = append(want, u.String())
	}
	if own == nil || slices.Equal(own.PeerURLs, want) {
		return false, nil
	}
	_, err = s.e.Server.UpdateMember(ctx, etcdmember.Member{ID: own.ID, RaftAttributes: etcdmember.RaftAttributes{PeerURLs: want, IsLearner: own.IsLearner}})
	return true, err
}

// yield makes the member that was connected longest the leader, if this one is. Two that have moved do not
// find each other before a leader has told them, and a leader that has moved reaches only
// those that have not.
func (s *Server) yield() error { return s.e.Server.TryTransferLeadershipOnShutdown() }
